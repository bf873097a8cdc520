/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts.  Each has two queues, inodes to look at and inodes to write out, and
 * never more than `in_flight` pieces of work at once, one batch or one stride
 * each.  The queues take turns, so that a huge file does not keep small ones
 * waiting.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/engine_int.h"

#define STEP_MAX     (1u << 30)
#define RATE_SECONDS 3.0
#define FLUSHES_MAX  64 /* a context's: each holds a descriptor */

/* Bytes count for a few seconds, fading. */
void rate_add(struct rate *r, double now, uint64_t bytes)
{
	r->value = rate_get(r, now) + (double)bytes / RATE_SECONDS;
	r->when = now;
}

double rate_get(const struct rate *r, double now)
{
	return r->value * exp(-(now - r->when) / RATE_SECONDS);
}

/* ---- batches --------------------------------------------------------------- */

/* What is too large to be remembered is larger than any file, so that it never looks
 * as if it grew. */
static uint64_t units_to_bytes(uint32_t units)
{
	return units < UNITS_MAX ? (uint64_t)units * UNIT : UINT64_MAX;
}

static void item_fill(struct engine *e, struct work_item *it, uint32_t idx)
{
	struct ino *i = itab_at(e->tab, idx);

	*it = (struct work_item){
		.idx = idx,
		.ino = i->ino,
		.group = i->group,
		.handle_type = i->handle_type,
		.handle_len = i->handle_len,
		.silence = track_wants_silence(e, i),
		.silenced = i->flags & INO_F_SILENCED,
		.drain = i->flags & INO_F_DRAIN,
		.age_ms = i->flags & INO_F_LINGER ? 0 : track_age_ms(e, i),
		.past =
			{
				.looked = i->flags & INO_F_LOOKED,
				.size = units_to_bytes(i->size),
				.flushed = units_to_bytes(i->flushed),
				.patience = i->patience,
				.lingering = i->flags & INO_F_LINGER,
				.clean_ms = track_age_ms(e, i),
			},
		.fd = -1,
	};
	memcpy(it->handle, i->handle, i->handle_len);
	hint_fill(e, e->fs[i->fs], i, it);
}

static void batch_done(struct pool_job *job)
{
	struct work_batch *b = (struct work_batch *)job;
	struct efs *f = b->owner;
	struct ectx *c = b->ctx;
	struct engine *e = f->e;

	c->in_flight--;
	for (unsigned n = 0; n < b->n && b->ework != f->work; n++)
		b->item[n].rule = -1; /* by a number of rules that may be gone */
	for (unsigned n = 0; n < b->n; n++)
		track_settle(e, f, &b->item[n]);
	ework_put(b->ework);
	free(b);
	run_ctx(c);
	track_arm_timer(e);
	efs_put(f); /* last: may take the context with it */
}

/* One batch of inodes of one file system, from the head of the list. */
static bool start_batch(struct ectx *c)
{
	struct engine *e = c->bdi->e;
	struct work_batch *b = malloc(sizeof(*b));
	struct efs *f;

	if (!b)
		return false;
	f = e->fs[itab_at(e->tab, c->ready.head)->fs];
	*b = (struct work_batch){
		.job = {.run = work_run, .done = batch_done, .cpu = c->cpu},
		.ework = ework_get(f->work),
		.owner = f,
		.ctx = c,
		.pressure = track_presses(e),
		.cachestat = e->cachestat,
	};
	b->fs = &b->ework->fs;
	while (b->n < WORK_BATCH && c->ready.n) {
		uint32_t idx = c->ready.head;

		if (e->fs[itab_at(e->tab, idx)->fs] != f)
			break;
		ilist_remove(e->tab, &c->ready, idx);
		itab_at(e->tab, idx)->state = INO_LOOKING;
		item_fill(e, &b->item[b->n++], idx);
	}
	efs_get(f);
	c->in_flight++;
	pool_submit(e->pool, &b->job);
	return true;
}

/* ---- flushes in strides ------------------------------------------------------ */

struct stride {
	struct io_op op; /* must be first */
	struct eflush *fl;
};

static void close_done(struct io_op *op)
{
	free(op);
}

void run_close(struct engine *e, int fd, int cpu)
{
	struct io_op *op = calloc(1, sizeof(*op));

	if (!op) {
		(void)close(fd);
		return;
	}
	op->kind = IO_CLOSE;
	op->fd = fd;
	op->cpu = cpu;
	op->done = close_done;
	io_submit(e->io, op);
}

/* Takes the flush from its context's queue; it is there exactly once. */
static void unqueue(struct ectx *c, struct eflush *fl)
{
	struct eflush **p = &c->head;

	while (*p && *p != fl)
		p = &(*p)->next;
	if (!*p)
		return;
	*p = fl->next;
	if (!fl->next)
		c->tail = p;
}

static bool is_over(const struct eflush *fl)
{
	return fl->off >= fl->end || fl->error || fl->fs->gone || fl->fs->e->stopping;
}

static void end_flush(struct eflush *fl)
{
	struct efs *f = fl->fs;
	struct engine *e = f->e;

	fl->ctx->n_flush--;
	run_close(e, fl->fd, fl->ctx->cpu);
	track_flushed(e, fl);
	free(fl);
	track_arm_timer(e);
	efs_put(f);
}

/* The share of the flush's dirty bytes that lies in @len bytes of its range. */
static uint64_t share(const struct eflush *fl, uint64_t len)
{
	return fl->range ? (uint64_t)((double)fl->bytes * (double)len / (double)fl->range)
			 : 0;
}

static void stride_done(struct io_op *op)
{
	struct stride *s = (struct stride *)op;
	struct eflush *fl = s->fl;
	struct ectx *c = fl->ctx;
	struct efs *f = fl->fs;
	uint64_t bytes = share(fl, op->len);

	c->in_flight--;
	fl->in_flight--;
	if (op->res < 0) {
		fl->error = fl->error ? fl->error : op->res;
	} else {
		c->flushed += bytes;
		f->stat.flushed_bytes += bytes;
		if (itab_at(f->e->tab, fl->idx)->flags & INO_F_DRAIN)
			f->drain_sum.bytes_done += bytes;
		rate_add(&c->rate, engine_now(), bytes);
	}
	free(s);
	efs_get(f); /* keeps the context for run_ctx() */
	if (is_over(fl) && !fl->in_flight) {
		unqueue(c, fl);
		end_flush(fl);
	}
	run_ctx(c);
	efs_put(f);
}

/* The next stride of the first flush that has one. */
static bool start_stride(struct ectx *c)
{
	struct eflush *fl = c->head;
	struct stride *s;

	while (fl && is_over(fl))
		fl = fl->next;
	if (!fl)
		return false;
	s = calloc(1, sizeof(*s));
	if (!s)
		return false;
	s->fl = fl;
	s->op.kind = IO_FLUSH;
	s->op.fd = fl->fd;
	s->op.off = fl->off;
	s->op.len = fl->end - fl->off < fl->step ? fl->end - fl->off : fl->step;
	s->op.cpu = c->cpu;
	s->op.done = stride_done;
	fl->off += s->op.len;
	fl->in_flight++;
	c->in_flight++;
	io_submit(c->bdi->e->io, &s->op);
	return true;
}

/* A stride has about as many dirty bytes as configured: where little of a large
 * range is dirty, it is longer. */
static uint64_t step_of(const struct judge_ret *v)
{
	uint64_t stride = v->stride, range = v->end - v->off;
	double thin = v->bytes ? (double)range / (double)v->bytes : 1;
	double step = (double)stride * thin;

	return step < STEP_MAX ? (uint64_t)step / stride * stride : STEP_MAX;
}

int run_flush(struct efs *f, struct ectx *c, uint32_t idx, int fd,
	      const struct judge_ret *v)
{
	struct eflush *fl = calloc(1, sizeof(*fl));

	if (!fl)
		return -ENOMEM;
	*fl = (struct eflush){
		.fs = f,
		.ctx = c,
		.idx = idx,
		.fd = fd,
		.off = v->off,
		.end = v->end,
		.step = step_of(v),
		.bytes = v->bytes,
		.range = v->end - v->off,
		.flushed_to = v->flushed,
		.drain = v->reason == JUDGE_R_DRAIN,
		.reason = v->reason,
	};
	efs_get(f);
	*c->tail = fl;
	c->tail = &fl->next;
	c->n_flush++;
	run_ctx(c);
	return 0;
}

void run_reap(struct efs *f)
{
	efs_get(f);
	for (unsigned n = 0; n < CONF_CONTEXTS_MAX; n++) {
		struct ectx *c = &f->bdi->ctx[n];
		struct eflush *fl, *next;

		for (fl = c->head; fl; fl = next) {
			next = fl->next;
			if (fl->fs != f || fl->in_flight)
				continue;
			unqueue(c, fl);
			end_flush(fl);
		}
	}
	efs_put(f);
}

/* ---- turns --------------------------------------------------------------------- */

static bool start_one(struct ectx *c)
{
	bool batch_first = c->batch_next;
	/* Looking further ahead would only use up descriptors. */
	bool may_look = c->ready.n && c->n_flush < FLUSHES_MAX;

	c->batch_next = !c->batch_next;
	if (batch_first && may_look && start_batch(c))
		return true;
	if (start_stride(c))
		return true;
	return !batch_first && may_look && start_batch(c);
}

void run_ctx(struct ectx *c)
{
	struct engine *e = c->bdi->e;

	while (!e->stopping && c->in_flight < e->conf->in_flight && start_one(c))
		;
	/* No memory, and nothing in flight whose end would come back here. */
	if (!e->stopping && !c->in_flight && (c->ready.n || c->head)) {
		e->stalled = true;
		track_arm_timer(e);
	}
}

void run_stalled(struct engine *e)
{
	if (!e->stalled)
		return;
	e->stalled = false;
	for (struct ebdi *b = e->bdis; b; b = b->next)
		for (unsigned n = 0; n < CONF_CONTEXTS_MAX; n++)
			run_ctx(&b->ctx[n]);
}

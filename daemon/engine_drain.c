/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draining: every inode of a file system that is tracked when the drain begins
 * goes through its context now, whatever policy says.  The table is marked in
 * slices, one per turn of the loop.  A second drain of the same file system joins
 * the first: marking begins anew, and both end when all that is marked is done.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "daemon/engine_int.h"

#define SLICE 8192 /* records looked at per turn */

struct engine_drain {
	struct engine_drain *next;
	struct efs *fs; /* NULL: ended */
	void (*progress)(const struct drain_progress *p, void *arg);
	void *arg;
	struct drain_progress base; /* what was done when it began */
	int error;
	bool due; /* to be called in this round */
};

static void report(struct engine_drain *d, const struct drain_progress *sum,
		   bool finished)
{
	struct drain_progress p = {
		.inodes_done = sum->inodes_done - d->base.inodes_done,
		.inodes_all = sum->inodes_all - d->base.inodes_all,
		.bytes_done = sum->bytes_done - d->base.bytes_done,
		.bytes_all = sum->bytes_all - d->base.bytes_all,
		.finished = finished,
		.error = d->error,
	};

	/* What was dirty is a guess where a file changes meanwhile. */
	if (finished || p.bytes_all < p.bytes_done)
		p.bytes_all = p.bytes_done;
	d->progress(&p, d->arg);
}

/* A callback may free any drain, or start one: mark whom to call, then look for
 * the next one anew after each call. */
static void set_due(struct efs *f)
{
	for (struct engine_drain *d = f->drains; d; d = d->next)
		d->due = true;
}

static struct engine_drain *next_due(struct efs *f)
{
	struct engine_drain *d = f->drains;

	while (d && !d->due)
		d = d->next;
	if (d)
		d->due = false;
	return d;
}

static void detach(struct engine_drain *d)
{
	struct engine_drain **p = &d->fs->drains;

	while (*p != d)
		p = &(*p)->next;
	*p = d->next;
	d->fs = NULL;
}

static void finish(struct efs *f, int error)
{
	struct engine_drain *d;

	set_due(f);
	while ((d = next_due(f))) {
		detach(d);
		d->error = d->error ? d->error : error;
		report(d, &f->drain_sum, true);
	}
}

static void finish_if_done(struct efs *f)
{
	if (f->drains && f->drain_scan == ITAB_NONE && !f->drain_left) {
		efs_get(f);
		finish(f, 0);
		efs_put(f);
	}
}

void drain_one_done(struct efs *f, struct ino *i, int error)
{
	if (!(i->flags & INO_F_DRAIN))
		return;
	i->flags &= (uint8_t)~INO_F_DRAIN;
	f->drain_left--;
	f->drain_sum.inodes_done++;
	for (struct engine_drain *d = f->drains; error && d; d = d->next)
		d->error = d->error ? d->error : error;
	/* The end is told from the loop, not from within a batch. */
	if (!f->drain_left && f->drains && !ev_is_active(&f->e->drain_step)) {
		ev_timer_set(&f->e->drain_step, 0., 0.);
		ev_timer_start(f->e->loop, &f->e->drain_step);
	}
}

static void mark(struct efs *f, uint32_t idx)
{
	struct engine *e = f->e;
	struct ino *i = itab_at(e->tab, idx);

	if (i->flags & (INO_F_DRAIN | INO_F_ORPHAN))
		return;
	i->flags |= INO_F_DRAIN;
	f->drain_left++;
	f->drain_sum.inodes_all++;
	f->drain_sum.bytes_all += (uint64_t)i->dirty * UNIT;
	if (i->state == INO_WAIT)
		track_ready(e, idx);
}

/* Returns true while there is more to mark. */
static bool mark_slice(struct efs *f)
{
	struct engine *e = f->e;
	uint32_t idx = f->drain_scan;

	for (unsigned n = 0; n < SLICE; n++) {
		idx = itab_next(e->tab, idx);
		if (idx == ITAB_NONE)
			break;
		if (itab_at(e->tab, idx)->fs == f->slot)
			mark(f, idx);
		idx++;
	}
	f->drain_scan = idx;
	return idx != ITAB_NONE;
}

void drain_on_step(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct engine *e = w->data;
	bool more = false;

	(void)revents;
	ev_timer_stop(loop, w);
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		struct efs *f = e->fs[i];

		if (!f || !f->drains)
			continue;
		if (f->drain_scan != ITAB_NONE)
			more |= mark_slice(f);
		finish_if_done(f);
	}
	if (!more)
		return;
	ev_timer_set(w, 0., 0.);
	ev_timer_start(loop, w);
}

void drain_on_progress(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct engine *e = w->data;
	bool any = false;

	(void)revents;
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		struct efs *f = e->fs[i];
		struct engine_drain *d;

		if (!f || !f->drains)
			continue;
		any = true;
		set_due(f);
		while ((d = next_due(f)))
			report(d, &f->drain_sum, false);
	}
	if (!any)
		ev_timer_stop(loop, w);
}

int engine_drain_start(struct engine *e, dev_t dev,
		       void (*progress)(const struct drain_progress *p, void *arg),
		       void *arg, struct engine_drain **ret)
{
	struct efs *f = efs_find(e, dev);
	struct engine_drain *d;

	if (!f)
		return -ENOENT;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	/* What was written just before belongs to it. */
	if (f->fan)
		source_fan_poll(f->fan);
	else
		source_trace_poll(e->trace);
	d->fs = f;
	d->progress = progress;
	d->arg = arg;
	if (!f->drains && !f->drain_left)
		f->drain_sum = (struct drain_progress){0};
	/* What the drains before have not done yet is waited for, too. */
	d->base.inodes_done = d->base.inodes_all = f->drain_sum.inodes_done;
	d->base.bytes_done = d->base.bytes_all = f->drain_sum.bytes_done;
	d->next = f->drains;
	f->drains = d;
	f->drain_scan = 0;
	if (!ev_is_active(&e->drain_step)) {
		ev_timer_set(&e->drain_step, 0., 0.);
		ev_timer_start(e->loop, &e->drain_step);
	}
	if (!ev_is_active(&e->drain_progress))
		ev_timer_again(e->loop, &e->drain_progress);
	*ret = d;
	return 0;
}

struct engine_drain *engine_drain_free(struct engine_drain *d)
{
	if (d && d->fs)
		detach(d);
	free(d);
	return NULL;
}

void drain_end_all(struct efs *f)
{
	finish(f, -ENODEV);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's life, and how it follows a plan. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "daemon/cachestat.h"
#include "daemon/engine_int.h"
#include "daemon/log.h"
#include "daemon/log_ids.h"

/* Beyond the contexts' operations: looks must go on while all of them write. */
#define POOL_EXTRA 2
#define POOL_MAX   64

static void on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop;
	(void)revents;
	track_on_tick(w->data);
}

/* Not ev_now(): that is the wall clock, which may jump, backwards too. */
double engine_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

uint32_t engine_tick(const struct engine *e)
{
	return (uint32_t)(uint64_t)((engine_now() - e->epoch) * 1000 / WHEEL_TICK_MS);
}

static bool want_ring(const struct conf *c)
{
	/* The ring's workers cannot be pinned one by one; threads can. */
	return c->io == CONF_IO_URING || (c->io == CONF_IO_AUTO && !c->cpu_affinity);
}

int engine_new(struct ev_loop *loop, const struct conf *c, struct engine **ret)
{
	struct engine *e = calloc(1, sizeof(*e));
	int r;

	if (!e)
		return -ENOMEM;
	e->loop = loop;
	e->conf = c;
	e->epoch = engine_now();
	wheel_init(&e->wheel);
	ev_timer_init(&e->tick, on_tick, 0., 0.);
	ev_timer_init(&e->drain_step, drain_on_step, 0., 0.);
	ev_timer_init(&e->drain_progress, drain_on_progress, 0.1, 0.1);
	e->tick.data = e->drain_step.data = e->drain_progress.data = e;
	e->cachestat = cachestat_probe() == 0;
	e->marks = fan_probe_marks();
	e->linger_ms = pressure_expire_ms("") + 1000;
	r = itab_new(c->max_inodes, &e->tab);
	if (r == 0)
		r = pool_new(loop, POOL_EXTRA, &e->pool);
	if (r == 0)
		r = io_new(loop, e->pool, want_ring(c), &e->io);
	if (r < 0) {
		engine_free(e);
		return r;
	}
	*ret = e;
	return 0;
}

static bool is_ours(const struct plan_fs *p)
{
	return p->managed && p->engine != PLAN_ENGINE_KERNEL;
}

static const struct plan_fs *plan_find(const struct plan *p, const struct efs *f)
{
	for (size_t i = 0; i < p->n; i++)
		if (is_ours(&p->v[i]) && efs_same(f, &p->v[i]))
			return &p->v[i];
	return NULL;
}

static bool is_run(const struct engine *e, const struct plan_fs *p)
{
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		if (e->fs[i] && !e->fs[i]->gone && efs_same(e->fs[i], p))
			return true;
	return false;
}

static void log_managed(const struct plan_fs *p, const struct efs *f)
{
	const struct log_field fields[] = {
		{"WB_MOUNT", p->fs->target},
		{"WB_BDI", p->fs->bdev.bdi},
		{"WB_SOURCE", f->stat.source},
		{"WB_REASON", plan_rule_text(p->rule)},
		{NULL, NULL},
	};

	log_decision(LOG_INFO, LOG_ID_MANAGED, fields,
		     "%s (%s on bdi %s): %u contexts for %u groups, dirty inodes by %s",
		     p->fs->target, p->fs->type, p->fs->bdev.bdi, p->contexts,
		     p->fs->geom.groups, f->stat.source);
}

static void log_not_run(const struct plan_fs *p, int r)
{
	const struct log_field fields[] = {
		{"WB_MOUNT", p->fs->target},
		{"WB_BDI", p->fs->bdev.bdi},
		{"WB_REASON", strerror(-r)},
		{NULL, NULL},
	};

	log_decision(LOG_WARNING, LOG_ID_ENGINE_ERROR, fields,
		     "%s (%s): cannot be watched for dirty inodes: %s; the kernel's own "
		     "flusher has it",
		     p->fs->target, p->fs->type, strerror(-r));
}

static void log_released(const struct efs *f)
{
	const struct log_field fields[] = {
		{"WB_MOUNT", f->work->target},
		{"WB_BDI", f->bdi->name},
		{NULL, NULL},
	};

	log_decision(LOG_INFO, LOG_ID_RELEASED, fields, "%s: released", f->work->target);
}

static void add_new(struct engine *e, const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct efs *f;
		int r;

		if (!is_ours(&p->v[i]) || is_run(e, &p->v[i]))
			continue;
		r = efs_new(e, &p->v[i], &f);
		if (r < 0) {
			log_not_run(&p->v[i], r);
			continue;
		}
		log_managed(&p->v[i], f);
		engine_emit(e, ENGINE_FS_MANAGED, f, NULL, 0, 0,
			    plan_rule_text(p->v[i].rule));
	}
}

static void release_gone(struct engine *e, const struct plan *p)
{
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		struct efs *f = e->fs[i];
		const struct plan_fs *now;

		if (!f || f->gone)
			continue;
		now = p ? plan_find(p, f) : NULL;
		if (now && efs_update(f, now) == 0)
			continue;
		log_released(f);
		engine_emit(e, ENGINE_FS_RELEASED, f, NULL, 0, 0, NULL);
		efs_release(f);
	}
}

static void size_pool(struct engine *e)
{
	unsigned n = POOL_EXTRA;

	for (const struct ebdi *b = e->bdis; b; b = b->next)
		n += b->n * e->conf->in_flight;
	pool_set_max(e->pool, n < POOL_MAX ? n : POOL_MAX);
}

int engine_apply(struct engine *e, const struct conf *c, struct fsys_table *t,
		 struct plan *p)
{
	int r;

	itab_set_max(e->tab, c->max_inodes);
	r = hint_set_rules(e, c);
	if (r < 0) {
		fsys_table_free(t);
		plan_free(p);
		return r;
	}
	e->conf = c;
	release_gone(e, p);
	add_new(e, p);
	size_pool(e);
	fsys_table_free(e->table);
	plan_free(e->plan);
	e->table = t;
	e->plan = p;
	track_arm_timer(e);
	return 0;
}

const struct fsys_table *engine_table(const struct engine *e)
{
	return e->table;
}

const struct plan *engine_plan(const struct engine *e)
{
	return e->plan;
}

struct engine *engine_free(struct engine *e)
{
	if (!e)
		return NULL;
	e->stopping = true;
	e->listener = NULL;
	release_gone(e, NULL);
	if (e->pool)
		pool_quiesce(e->pool); /* batches, which may close what they opened */
	e->io = io_free(e->io);
	e->pool = pool_free(e->pool);
	e->trace = source_trace_free(e->trace);
	ev_timer_stop(e->loop, &e->tick);
	ev_timer_stop(e->loop, &e->drain_step);
	ev_timer_stop(e->loop, &e->drain_progress);
	itab_free(e->tab);
	hint_rules_put(e->rules);
	hint_proc_cache_free(e->procs);
	plan_free(e->plan);
	fsys_table_free(e->table);
	free(e);
	return NULL;
}

void engine_emit(struct engine *e, enum engine_event_kind kind, const struct efs *fs,
		 const struct ino *i, uint64_t bytes, int error, const char *reason)
{
	struct engine_event ev = {
		.kind = kind,
		.dev = fs ? fs->dev : 0,
		.ino = i ? i->ino : 0,
		.context = i ? i->ctx : 0,
		.bytes = bytes,
		.error = error,
		.reason = reason,
	};

	if (e->listener)
		e->listener(&ev, e->listener_arg);
}

void engine_listen(struct engine *e, void (*fn)(const struct engine_event *ev, void *arg),
		   void *arg)
{
	e->listener = fn;
	e->listener_arg = arg;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An engine that does as it is told: stands in for engine.c at link time. */
#ifndef WB_TEST_FAKE_ENGINE_H
#define WB_TEST_FAKE_ENGINE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/wbd.h"

struct engine_drain {
	void (*progress)(const struct drain_progress *p, void *arg);
	void *arg;
};

static struct fake {
	struct fsys_table *table;
	struct plan *plan;
	struct engine_drain *drain;
	unsigned drains_started, drains_freed;
	void (*event)(const struct engine_event *ev, void *arg);
	void *event_arg;
	const struct engine_hints *hints;
	const struct hint_rules *rules;
	int reload_result;
	unsigned reloads;
} fake;

const struct fsys_table *engine_table(const struct engine *e)
{
	(void)e;
	return fake.table;
}

const struct plan *engine_plan(const struct engine *e)
{
	(void)e;
	return fake.plan;
}

int engine_new(struct ev_loop *loop, const struct conf *c, struct engine **ret)
{
	(void)loop;
	(void)c;
	(void)ret;
	return -ENOSYS;
}

int engine_apply(struct engine *e, const struct conf *c, struct fsys_table *t,
		 struct plan *p)
{
	(void)e;
	(void)c;
	(void)t;
	(void)p;
	return -ENOSYS;
}

struct engine *engine_free(struct engine *e)
{
	(void)e;
	return NULL;
}

void engine_get_stat(const struct engine *e, struct engine_stat *ret)
{
	(void)e;
	*ret = (struct engine_stat){
		.io = "threads",
		.io_why = "io_uring is disabled",
		.inodes = 12,
		.inodes_max = 1000000,
		.threads = 2,
	};
}

int engine_get_fs_stat(const struct engine *e, dev_t dev, struct engine_fs_stat *ret)
{
	(void)e;
	(void)dev;
	*ret = (struct engine_fs_stat){
		.source = "trace",
		.inodes = 12,
		.dirty_bytes = UINT64_MAX, /* more than JSON's integers hold */
		.errors = 1,
		.last_errno = ENOSPC,
	};
	return 0;
}

int engine_get_ctx_stat(const struct engine *e, dev_t dev, struct engine_ctx_stat *ret,
			unsigned max)
{
	(void)e;
	(void)dev;
	for (unsigned i = 0; i < 4 && i < max; i++)
		ret[i] = (struct engine_ctx_stat){.context = i, .inodes = i};
	return 4;
}

int engine_get_ino_stat(const struct engine *e, dev_t dev, uint64_t ino,
			struct engine_ino_stat *ret)
{
	(void)e;
	(void)dev;
	if (ino != 131)
		return -ENOENT;
	*ret = (struct engine_ino_stat){true, 4096, 1500, "queued", -1};
	return 0;
}

int engine_drain_start(struct engine *e, dev_t dev,
		       void (*progress)(const struct drain_progress *p, void *arg),
		       void *arg, struct engine_drain **ret)
{
	(void)e;
	(void)dev;
	fake.drain = calloc(1, sizeof(*fake.drain));
	fake.drain->progress = progress;
	fake.drain->arg = arg;
	fake.drains_started++;
	*ret = fake.drain;
	return 0;
}

struct engine_drain *engine_drain_free(struct engine_drain *d)
{
	if (d)
		fake.drains_freed++;
	if (fake.drain == d)
		fake.drain = NULL;
	free(d);
	return NULL;
}

void engine_set_hints(struct engine *e, const struct engine_hints *h)
{
	(void)e;
	fake.hints = h;
}

const struct hint_rules *engine_hint_rules(const struct engine *e)
{
	(void)e;
	return fake.rules;
}

const char *engine_event_name(enum engine_event_kind k)
{
	return k == ENGINE_FLUSH ? "flush" : "other";
}

void engine_listen(struct engine *e, void (*fn)(const struct engine_event *ev, void *arg),
		   void *arg)
{
	(void)e;
	fake.event = fn;
	fake.event_arg = arg;
}

int wbd_rescan(struct wbd *w)
{
	(void)w;
	return 0;
}

int wbd_reload(struct wbd *w)
{
	free(w->last_reload_error);
	w->last_reload_error = fake.reload_result ? strdup("wb.conf:3: no") : NULL;
	fake.reloads++;
	w->reloads++;
	return fake.reload_result;
}

void feats_probe(struct feats *ret)
{
	memset(ret, 0, sizeof(*ret));
}

bool feats_kernel_engine(const struct feats *f, char *why, unsigned len)
{
	(void)f;
	snprintf(why, len, "this is a test");
	return false;
}

bool feats_user_engine(const struct feats *f, char *why, unsigned len)
{
	if (f->v[FEAT_TRACE].present)
		return true;
	snprintf(why, len, "no source of dirty inodes");
	return false;
}

static struct fsys *fake_fs(unsigned minor_no, const char *target, int rotational)
{
	struct fsys *f = calloc(1, sizeof(*f));

	f->dev = makedev(254, minor_no);
	f->type = strdup("xfs");
	f->source = strdup("/dev/fake\xff");
	f->target = strdup(target);
	f->sb_options = strdup("rw");
	f->mnt_id = (int)minor_no;
	f->class = FSYS_LOCAL;
	f->bdev.rotational = rotational;
	snprintf(f->bdev.bdi, sizeof(f->bdev.bdi), "254:%u", minor_no);
	snprintf(f->bdev.name, sizeof(f->bdev.name), "fake%u", minor_no);
	f->geom = (struct geom){.kind = GEOM_XFS,
				.groups = 10,
				.block_size = 4096,
				.group_blocks = 65536,
				.ino_shift = 20};
	return f;
}

/* /mnt/a is managed with 4 contexts, /mnt/b is not (it rotates). */
static inline void fake_setup(struct wbd *w)
{
	struct plan_env env = {.cpus = 4, .user_engine = true};

	memset(&fake, 0, sizeof(fake));
	w->conf->contexts = 4;
	for (unsigned i = 0; i < FEAT_N; i++)
		w->feats.v[i] =
			(struct feat){"f", "Linux 1.0", "nothing", i & 1, EPERM, ""};
	fake.table = calloc(1, sizeof(*fake.table));
	fake.table->v = calloc(2, sizeof(*fake.table->v));
	fake.table->v[0] = fake_fs(1, "/mnt/a", 0);
	fake.table->v[1] = fake_fs(2, "/mnt/b", 1);
	fake.table->n = 2;
	if (plan_decide(fake.table, w->conf, &env, &fake.plan) < 0)
		abort();
}

static inline void fake_teardown(void)
{
	free(fake.drain);
	plan_free(fake.plan);
	fsys_table_free(fake.table);
}

#endif

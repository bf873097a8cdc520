/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine tells of itself; copies, no pointers into it. */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/engine_int.h"

void engine_get_stat(const struct engine *e, struct engine_stat *ret)
{
	*ret = (struct engine_stat){
		.io = io_name(e->io),
		.io_why = io_why_not(e->io),
		.inodes = itab_count(e->tab),
		.inodes_max = e->conf->max_inodes,
		.table_bytes = itab_bytes(e->tab),
		.overflows = e->overflows,
		.refused = e->refused,
		.pressure = e->pressure.on,
		.cachestat = e->cachestat,
		.threads = pool_threads(e->pool),
	};
}

static bool in_plan(const struct engine *e, dev_t dev)
{
	for (size_t i = 0; e->plan && i < e->plan->n; i++)
		if (e->plan->v[i].fs->dev == dev)
			return true;
	return false;
}

int engine_get_fs_stat(const struct engine *e, dev_t dev, struct engine_fs_stat *ret)
{
	const struct efs *f = efs_find(e, dev);

	if (!f) {
		if (!in_plan(e, dev))
			return -ENOENT;
		*ret = (struct engine_fs_stat){0};
		return 0;
	}
	*ret = f->stat;
	ret->dirty_bytes = f->dirty * UNIT;
	ret->overflow = track_has_unknown(f);
	return 0;
}

int engine_get_ctx_stat(const struct engine *e, dev_t dev, struct engine_ctx_stat *ret,
			unsigned max)
{
	const struct efs *f = efs_find(e, dev);

	if (!f)
		return -ENOENT;
	for (unsigned i = 0; i < f->bdi->n && i < max; i++) {
		const struct ectx *c = &f->bdi->ctx[i];

		ret[i] = (struct engine_ctx_stat){
			.context = i,
			.inodes = c->inodes,
			.dirty_bytes = c->dirty * UNIT,
			.flushed_bytes = c->flushed,
			.rate = (uint64_t)rate_get(&c->rate, engine_now()),
			.queued = c->ready.n + c->n_flush,
			.in_flight = c->in_flight,
		};
	}
	return (int)f->bdi->n;
}

bool engine_is_active(const struct engine *e, const char *bdi)
{
	const struct ebdi *b = e->bdis;

	while (b && strcmp(b->name, bdi) != 0)
		b = b->next;
	for (unsigned i = 0; b && i < CONF_CONTEXTS_MAX; i++)
		if (b->ctx[i].inodes)
			return true;
	return false;
}

void engine_on_dirty(struct engine *e, void (*fn)(void *arg), void *arg)
{
	e->on_dirty = fn;
	e->on_dirty_arg = arg;
}

static const char *state_text(const struct ino *i)
{
	if (i->state == INO_LOOKING || i->state == INO_QUEUED)
		return "flushing";
	if (i->state == INO_READY)
		return "queued";
	if (i->flags & INO_F_LINGER)
		return "lingering";
	return i->flags & INO_F_HOT ? "hot" : "watched";
}

int engine_get_ino_stat(const struct engine *e, dev_t dev, uint64_t ino,
			struct engine_ino_stat *ret)
{
	const struct efs *f = efs_find(e, dev);
	const struct ino *i;
	uint32_t idx;

	if (!f)
		return -ENOENT;
	*ret = (struct engine_ino_stat){.state = "not tracked", .rule = -1};
	idx = itab_find(e->tab, f->slot, ino, NULL, 0);
	if (idx == ITAB_NONE)
		return 0;
	i = itab_at(e->tab, idx);
	ret->tracked = true;
	ret->dirty_bytes = (uint64_t)i->dirty * UNIT;
	ret->age_ms = track_age_ms(e, i);
	ret->state = state_text(i);
	ret->rule = (int)i->rule - 1;
	return 0;
}

const char *engine_event_name(enum engine_event_kind k)
{
	static const char *const name[] = {
		[ENGINE_FS_MANAGED] = "managed", [ENGINE_FS_RELEASED] = "released",
		[ENGINE_FLUSH] = "flush",        [ENGINE_FLUSHED] = "flushed",
		[ENGINE_GONE] = "gone",          [ENGINE_HOT] = "hot",
		[ENGINE_OVERFLOW] = "overflow",  [ENGINE_ERROR] = "error",
		[ENGINE_PRESSURE] = "pressure",
	};

	return (size_t)k < ARRAY_SIZE(name) ? name[k] : "unknown";
}

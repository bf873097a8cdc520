// SPDX-License-Identifier: GPL-2.0-or-later
/* Status: file systems, their contexts, and the engine's own state. */
#include "common/cleanup.h"
#include "daemon/api_int.h"

static json_t *context_json(const struct plan_fs *f, const struct engine_ctx_stat *s)
{
	char list[64];
	uint64_t n = api_groups_of(f, s->context, list);

	return json_pack("{si so ss so so so so si si}", "context", (int)s->context,
			 "groups", api_u64(n), "group_list", list, "inodes",
			 api_u64(s->inodes), "dirty_bytes", api_u64(s->dirty_bytes),
			 "flushed_bytes", api_u64(s->flushed_bytes), "rate",
			 api_u64(s->rate), "queued", (int)s->queued, "in_flight",
			 (int)s->in_flight);
}

/* Of the kernel's contexts too, which may be another number than the plan's. */
static int get_contexts(const struct api *a, const struct plan_fs *f,
			struct engine_ctx_stat s[CONF_CONTEXTS_MAX])
{
	int n = 0;

	if (f->managed && f->engine == PLAN_ENGINE_KERNEL)
		n = api_kernel_ctx_stats(a, f, s, CONF_CONTEXTS_MAX);
	else if (f->managed)
		n = engine_get_ctx_stat(a->w->engine, f->fs->dev, s, CONF_CONTEXTS_MAX);
	return n < CONF_CONTEXTS_MAX ? n : CONF_CONTEXTS_MAX;
}

static json_t *contexts_json(const struct plan_fs *f, const struct engine_ctx_stat *s,
			     int n)
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, context_json(f, &s[i]));
	return list;
}

/* The kernel counts for the device, not for each file system on it. */
static void add_kernel(const struct plan_fs *f, const struct engine_ctx_stat *c, int n,
		       struct engine_fs_stat *s)
{
	for (int i = 0; i < n && f->engine == PLAN_ENGINE_KERNEL; i++) {
		s->inodes += c[i].inodes;
		s->dirty_bytes += c[i].dirty_bytes;
		s->flushed_bytes += c[i].flushed_bytes;
	}
}

static json_t *identity_json(const struct api *a, const struct plan_fs *f)
{
	const struct fsys *fs = f->fs;
	char why[256];

	return json_pack("{so so so so so so sb sb ss so so}", "mount",
			 vl_string(fs->target), "type", vl_string(fs->type), "source",
			 vl_string(fs->source), "device", api_dev(fs->dev), "bdi",
			 vl_string(fs->bdev.bdi), "disk", vl_string(fs->bdev.name),
			 "readonly", (int)fs->readonly, "managed", (int)f->managed,
			 "rule", plan_rule_name(f->rule), "reason",
			 vl_string(api_reason(a, f, why, sizeof(why))), "where",
			 api_clause(f->where));
}

static json_t *numbers_json(const struct engine_fs_stat *s)
{
	return json_pack("{so so so so so so so so so sb sb}", "source_of_events",
			 vl_string(s->source), "inodes", api_u64(s->inodes),
			 "dirty_bytes", api_u64(s->dirty_bytes), "flushed_bytes",
			 api_u64(s->flushed_bytes), "events", api_u64(s->events),
			 "skipped_gone", api_u64(s->skipped_gone), "left_hot",
			 api_u64(s->left_hot), "errors", api_u64(s->errors), "last_error",
			 api_errno(s->last_errno), "overflow", (int)s->overflow,
			 "unreachable", (int)s->unreachable);
}

static json_t *filesystem_json(const struct api *a, const struct plan_fs *f)
{
	struct engine_ctx_stat c[CONF_CONTEXTS_MAX];
	struct engine_fs_stat s = {0};
	int n = get_contexts(a, f, c);
	const struct geom *g = &f->fs->geom;
	json_t *j = identity_json(a, f), *more, *numbers;

	if (f->managed)
		(void)engine_get_fs_stat(a->w->engine, f->fs->dev, &s);
	add_kernel(f, c, n, &s);
	more = json_pack("{so ss so si so so so}", "groups", api_u64(g->groups),
			 "group_kind", api_group_kind(g), "group_error",
			 vl_string(f->fs->geom_error), "contexts_n", (int)f->contexts,
			 "contexts", contexts_json(f, c, n), "engine", api_engine(f),
			 "kernel", api_kernel(a, f));
	numbers = numbers_json(&s);
	json_object_update(j, more);
	json_object_update(j, numbers);
	json_decref(more);
	json_decref(numbers);
	return j;
}

static json_t *engine_json(const struct api *a)
{
	struct engine_stat s = {0};

	engine_get_stat(a->w->engine, &s);
	return json_pack("{so so so so so so so sb sb si}", "io",
			 vl_string(s.io ? s.io : "none"), "io_why", vl_string(s.io_why),
			 "inodes", api_u64(s.inodes), "inodes_max", api_u64(s.inodes_max),
			 "table_bytes", api_u64(s.table_bytes), "overflows",
			 api_u64(s.overflows), "refused", api_u64(s.refused), "pressure",
			 (int)s.pressure, "cachestat", (int)s.cachestat, "threads",
			 (int)s.threads);
}

void api_status(struct api *a, struct vl_call *call)
{
	const struct plan *p = engine_plan(a->w->engine);
	json_t *list = json_array();

	for (size_t i = 0; p && i < p->n; i++)
		json_array_append_new(list, filesystem_json(a, &p->v[i]));
	vl_call_reply(call,
		      json_pack("{si ss so so so so}", "schema", API_SCHEMA, "version",
				WB_VERSION, "engine", engine_json(a), "filesystems", list,
				"reloads", api_u64(a->w->reloads), "reload_error",
				vl_string(a->w->last_reload_error)));
}

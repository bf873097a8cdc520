// SPDX-License-Identifier: GPL-2.0-or-later
/* Plan, Geometry and Explain: what was decided, and why for one inode. */
#include "daemon/api_int.h"

static json_t *contexts_json(const struct plan_fs *f)
{
	json_t *list = json_array();
	char groups[64];

	for (unsigned c = 0; f->managed && c < f->contexts; c++) {
		uint64_t n = api_groups_of(f, c, groups);

		json_array_append_new(list,
				      json_pack("{si so ss}", "context", (int)c, "groups",
						api_u64(n), "group_list", groups));
	}
	return list;
}

static json_t *flush_json(const struct conf_flush *f)
{
	return json_pack("{so so so so}", "after", api_setting(f->after), "age_ms",
			 api_setting(f->age_ms), "cool_ms", api_setting(f->cool_ms),
			 "stride", api_setting(f->stride));
}

static json_t *filesystem_json(const struct api *a, const struct plan_fs *f)
{
	const struct fsys *fs = f->fs;
	char why[256];

	return json_pack("{so so so so so so sb ss so so so so ss so si so so so so}",
			 "mount", vl_string(fs->target), "type", vl_string(fs->type),
			 "source", vl_string(fs->source), "device", api_dev(fs->dev),
			 "bdi", vl_string(fs->bdev.bdi), "disk", vl_string(fs->bdev.name),
			 "managed", (int)f->managed, "rule", plan_rule_name(f->rule),
			 "reason", vl_string(api_reason(a, f, why, sizeof(why))), "where",
			 api_clause(f->where), "label", api_clause(f->label), "groups",
			 api_u64(fs->geom.groups), "group_kind",
			 api_group_kind(&fs->geom), "group_error",
			 vl_string(fs->geom_error), "contexts_n", (int)f->contexts,
			 "contexts", contexts_json(f), "flush", flush_json(&f->flush),
			 "engine", api_engine(f), "kernel", api_kernel(a, f));
}

void api_plan(struct api *a, struct vl_call *call)
{
	const struct plan *p = engine_plan(a->w->engine);
	json_t *list = json_array();

	for (size_t i = 0; p && i < p->n; i++)
		json_array_append_new(list, filesystem_json(a, &p->v[i]));
	vl_call_reply(call,
		      json_pack("{si so}", "schema", API_SCHEMA, "filesystems", list));
}

void api_geometry(struct api *a, struct vl_call *call)
{
	const struct plan_fs *f = api_fs_of_device(a, call);
	const struct geom *g;

	if (!f)
		return;
	g = &f->fs->geom;
	vl_call_reply(call, json_pack("{so ss so so so so so so sb sb so}", "mount",
				      vl_string(f->fs->target), "kind", api_group_kind(g),
				      "groups", api_u64(g->groups), "block_size",
				      api_u64(g->block_size), "group_blocks",
				      api_u64(g->group_blocks), "first_block",
				      api_u64(g->first_block), "group_inodes",
				      api_u64(g->group_inodes), "ino_shift",
				      api_u64(g->ino_shift), "inode_unplaced",
				      (int)g->inode_unplaced, "has_realtime",
				      (int)f->fs->has_realtime, "error",
				      vl_string(f->fs->geom_error)));
}

static void reply_explain(struct api *a, struct vl_call *call, const struct plan_fs *f,
			  uint32_t group, const char *from)
{
	const struct fsys *fs = f->fs;
	struct engine_ino_stat s = {.rule = -1};
	uint64_t ino = (uint64_t)api_param_int(call, "inode", 0);
	const char *path = api_param_string(call, "path");
	char why[256];

	if (f->managed)
		(void)engine_get_ino_stat(a->w->engine, fs->dev, ino, &s);
	vl_call_reply(
		call,
		json_pack("{so so so so so sb ss so so so so ss ss so si sb so so so so "
			  "so so}",
			  "mount", vl_string(fs->target), "type", vl_string(fs->type),
			  "source", vl_string(fs->source), "bdi", vl_string(fs->bdev.bdi),
			  "disk", vl_string(fs->bdev.name), "managed", (int)f->managed,
			  "rule", plan_rule_name(f->rule), "reason",
			  vl_string(api_reason(a, f, why, sizeof(why))), "where",
			  api_clause(f->where), "group", api_u64(group), "groups",
			  api_u64(fs->geom.groups), "group_kind",
			  api_group_kind(&fs->geom), "group_from", from, "context",
			  f->managed ? api_u64(plan_context(f, group)) : json_null(),
			  "contexts_n", (int)f->contexts, "tracked", (int)s.tracked,
			  "state", vl_string(s.tracked ? s.state : NULL), "dirty_bytes",
			  api_u64(s.dirty_bytes), "age_ms", api_u64(s.age_ms), "hint",
			  api_explained_hint(a, f, ino, s.tracked ? s.rule : -1, path),
			  "engine", api_engine(f), "kernel", api_kernel(a, f)));
}

void api_explain(struct api *a, struct vl_call *call)
{
	const struct plan_fs *f = api_fs_of_device(a, call);
	int64_t ino = api_param_int(call, "inode", 0);
	int64_t group = api_param_int(call, "group", -1);
	const char *from = "caller";
	const struct geom *g;

	if (!f)
		return;
	if (ino < 0) {
		api_fail_param(call, "inode");
		return;
	}
	g = &f->fs->geom;
	if (json_is_null(json_object_get(vl_call_params(call), "group")) ||
	    !json_object_get(vl_call_params(call), "group")) {
		bool hash = g->kind == GEOM_HASH || g->inode_unplaced;

		from = hash ? "hash" : "inode";
		group = hash ? geom_bucket(g, (uint64_t)ino)
			     : geom_group_of_ino(g, (uint64_t)ino);
	} else if (group < 0 || group >= g->groups) {
		vl_call_error(call, API_INTERFACE ".NoSuchGroup",
			      json_pack("{sI so}", "group", (json_int_t)group, "groups",
					api_u64(g->groups)));
		return;
	}
	reply_explain(a, call, f, (uint32_t)group, from);
}

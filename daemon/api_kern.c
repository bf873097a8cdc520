// SPDX-License-Identifier: GPL-2.0-or-later
/* What the API tells of the kernel engine: what is in force, and whose it is. */
#include <string.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "daemon/api_int.h"

static const char *root_of(const struct api *a)
{
	return a->w->opts.root ? a->w->opts.root : "";
}

/* As wbctl verify says; null: the daemon does not write it. */
static json_t *state_json(const struct api *a, enum knob_kind kind, const char *dev)
{
	const struct knob_entry *e =
		a->w->knobs ? knobs_find(a->w->knobs, kind, dev) : NULL;

	if (!e)
		return json_null();
	if (knobs_manual(a->w->knobs, kind, dev))
		return json_string(knob_state_name(KNOB_MANUAL));
	return json_string(knob_state_name(e->state == KNOB_MANUAL ? KNOB_OK : e->state));
}

/* What the kernel has now; null: it cannot be read. */
static json_t *now_json(const struct api *a, enum knob_kind kind, const char *dev)
{
	char path[256], now[KNOB_VALUE];

	knob_path(kind, dev, path);
	if (knob_read(root_of(a), path, now) < 0)
		return json_null();
	for (char *s = now; *s; s++)
		if (*s == '\n')
			*s = ',';
	return vl_string(now);
}

json_t *api_kernel(const struct api *a, const struct plan_fs *f)
{
	const char *bdi = f->fs->bdev.bdi;
	char dev[KNOB_DEV];

	if (f->engine != PLAN_ENGINE_KERNEL)
		return json_null();
	(void)snprintf(dev, sizeof(dev), "%u:%u", major(f->fs->dev), minor(f->fs->dev));
	return json_pack("{so so so so so so}", "contexts",
			 api_u64(kern_contexts(root_of(a), bdi)), "contexts_state",
			 state_json(a, KNOB_CONTEXTS, bdi), "group_map",
			 now_json(a, KNOB_GROUP_MAP, dev), "group_map_state",
			 state_json(a, KNOB_GROUP_MAP, dev), "folio_order_max",
			 now_json(a, KNOB_ORDER_MAX, dev), "folio_order_state",
			 state_json(a, KNOB_ORDER_MAX, dev));
}

json_t *api_engine(const struct plan_fs *f)
{
	if (!f->managed)
		return json_null();
	return json_string(f->engine == PLAN_ENGINE_KERNEL ? "kernel" : "user");
}

int api_kernel_ctx_stats(const struct api *a, const struct plan_fs *f,
			 struct engine_ctx_stat *ret, unsigned max)
{
	unsigned n = kern_contexts(root_of(a), f->fs->bdev.bdi), i;

	for (i = 0; i < n && i < max; i++) {
		struct kern_ctx_stat s;

		if (kern_ctx_stat(root_of(a), f->fs->bdev.bdi, i, &s) < 0)
			break; /* the number was lowered just now */
		ret[i] = (struct engine_ctx_stat){
			.context = i,
			.inodes = s.inodes,
			.dirty_bytes = s.dirty_bytes,
			.flushed_bytes = s.written_bytes,
			.rate = s.rate,
		};
	}
	return (int)i;
}

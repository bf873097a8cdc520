// SPDX-License-Identifier: GPL-2.0-or-later
/* Search: the number of contexts of one device, and how it came to be that. */
#include <string.h>

#include "daemon/api_int.h"

static json_t *known(uint64_t v)
{
	return v == KNEE_UNKNOWN ? json_null() : api_u64(v);
}

static json_t *permille(double v)
{
	return json_integer((json_int_t)(v * 1000 + (v < 0 ? -.5 : .5)));
}

static json_t *trial_json(const struct knee_trial *t)
{
	return json_pack(
		"{si si si ss ss ss ss so so si si so so so so}", "lo", (int)t->lo, "hi",
		(int)t->hi, "was", (int)(t->from_hi ? t->hi : t->lo), "cause",
		knee_cause_name(t->cause), "cause_text", knee_cause_text(t->cause),
		"verdict", knee_verdict_name(t->verdict), "verdict_text",
		knee_verdict_text(t->verdict), "gain_permille", permille(t->gain),
		"error_permille", permille(t->error), "crossings", (int)t->crossings,
		"samples", (int)t->samples, "rate_lo", api_u64(t->rate_lo), "rate_hi",
		api_u64(t->rate_hi), "pause_lo_us", known(t->pause_lo), "pause_hi_us",
		known(t->pause_hi));
}

static json_t *trials_json(const struct knee *k)
{
	json_t *list = json_array();
	const struct knee_trial *t;

	for (unsigned i = 0; (t = knee_trial_get(k, i)); i++)
		json_array_append_new(list, trial_json(t));
	return list;
}

static json_t *rates_json(const struct knee *k)
{
	json_t *list = json_array();

	for (unsigned n = 1; n <= KNEE_MAX; n++)
		if (knee_rate(k, n))
			json_array_append_new(list, json_pack("{si so}", "contexts",
							      (int)n, "rate",
							      api_u64(knee_rate(k, n))));
	return list;
}

static json_t *sample_json(const struct search *d)
{
	const struct knee_obs *o = &d->obs;

	if (!o->ms)
		return json_null();
	return json_pack("{so so so so so so so so so}", "ms", api_u64(o->ms), "written",
			 api_u64(o->written), "writes", known(o->ios), "dirty",
			 api_u64(o->dirty), "mark", api_u64(o->mark), "pause_us",
			 known(o->pause_us), "busy_permille", known(o->busy),
			 "depth_milli", known(o->depth), "depth_max",
			 known(o->depth_max));
}

static json_t *state_json(const struct searches *s, const struct search *d)
{
	const struct knee *k = &d->k;

	return json_pack("{ss ss ss si si si si so so so so so so so so}", "state",
			 knee_state_name(k->state), "why", knee_why_name(k->why),
			 "reason", knee_why_text(k->why), "contexts",
			 (int)knee_contexts(k), "settled", (int)knee_settled(k), "cap",
			 (int)k->conf.cap, "searches", (int)k->searches, "holdoff_ms",
			 api_u64(knee_holdoff_left(k)), "samples", api_u64(d->samples),
			 "sample", sample_json(d), "rates", rates_json(k), "trials",
			 trials_json(k), "remembered_as",
			 d->id[0] ? vl_string(d->id) : json_null(), "began_with",
			 d->remembered ? api_u64(d->remembered) : json_null(), "trouble",
			 vl_string(searches_trouble(s)));
}

static bool is_device(const struct plan_fs *f, const char *device, const char *name)
{
	return !strcmp(f->fs->bdev.bdi, device) || fsys_on_device(f->fs, device) ||
	       fsys_on_device(f->fs, name);
}

static bool is_better(const struct plan_fs *f, const struct plan_fs *than)
{
	return f->fs->bdev.bdi[0] && (!than || (f->managed && !than->managed));
}

/* A file system on the device, a managed one if there is one. */
static const struct plan_fs *find_device(const struct api *a, const char *device)
{
	const struct plan *p = engine_plan(a->w->engine);
	const char *root = a->w->opts.root ? a->w->opts.root : "";
	const struct plan_fs *best = NULL;
	char name[64] = "";

	/* A path would be looked up here, on the loop, and may lead anywhere. */
	if (strchr(device, '/') || fsys_device_name(root, device, name) < 0)
		name[0] = '\0';
	for (size_t i = 0; p && i < p->n; i++)
		if (is_device(&p->v[i], device, name) && is_better(&p->v[i], best))
			best = &p->v[i];
	return best;
}

static json_t *mounts_json(const struct api *a, const char *bdi)
{
	const struct plan *p = engine_plan(a->w->engine);
	json_t *list = json_array();

	for (size_t i = 0; p && i < p->n; i++)
		if (!strcmp(p->v[i].fs->bdev.bdi, bdi))
			json_array_append_new(list, vl_string(p->v[i].fs->target));
	return list;
}

static const char *from_name(const struct plan_fs *f)
{
	if (!f->managed)
		return "none";
	if (f->kern.contexts_manual)
		return "manual";
	if (f->search)
		return "search";
	return f->fixed ? "fixed" : "auto";
}

void api_search(struct api *a, struct vl_call *call)
{
	const char *device = api_param_string(call, "device");
	const struct plan_fs *f = find_device(a, device);
	const struct search *d;
	char why[256];

	if (!f) {
		vl_call_error(call, API_INTERFACE ".NoSuchDevice",
			      json_pack("{so}", "device", vl_string(device)));
		return;
	}
	d = f->search ? searches_find(a->w->searches, f->fs->bdev.bdi) : NULL;
	vl_call_reply(call,
		      json_pack("{si so so so sb so so ss so so}", "schema", API_SCHEMA,
				"bdi", vl_string(f->fs->bdev.bdi), "disk",
				vl_string(f->fs->bdev.name), "mounts",
				mounts_json(a, f->fs->bdev.bdi), "managed",
				(int)f->managed, "engine", api_engine(f), "contexts",
				api_u64(f->contexts), "from", from_name(f), "reason",
				vl_string(api_reason(a, f, why, sizeof(why))), "search",
				d ? state_json(a->w->searches, d) : json_null()));
}

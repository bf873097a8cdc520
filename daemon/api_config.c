// SPDX-License-Identifier: GPL-2.0-or-later
/* Features, Config and Reload: what is possible, what is set, and setting anew. */
#include "common/cleanup.h"
#include "daemon/api_int.h"

void api_features(struct api *a, struct vl_call *call)
{
	const struct feats *fs = &a->w->feats;
	json_t *list = json_array();
	char why[256] = "", kernel_why[256] = "";
	bool works = feats_user_engine(fs, why, sizeof(why));
	bool kernel = feats_kernel_engine(fs, kernel_why, sizeof(kernel_why));

	for (size_t i = 0; i < FEAT_N; i++) {
		const struct feat *f = &fs->v[i];

		json_array_append_new(
			list,
			json_pack("{so so so sb so so}", "name", vl_string(f->name),
				  "since", vl_string(f->since), "consequence",
				  vl_string(f->consequence), "present", (int)f->present,
				  "error", f->present ? json_null() : api_errno(f->error),
				  "detail", vl_string(f->detail)));
	}
	vl_call_reply(call, json_pack("{si so sb so sb so ss}", "schema", API_SCHEMA,
				      "features", list, "user_engine", (int)works,
				      "why_not", works ? json_null() : vl_string(why),
				      "kernel_engine", (int)kernel, "kernel_why_not",
				      kernel ? json_null() : vl_string(kernel_why),
				      "mode", conf_engine_name(a->w->conf->engine)));
}

static int add_row(const struct conf_row *r, void *arg)
{
	json_array_append_new(
		arg, json_pack("{so so so so}", "section", vl_string(r->section), "key",
			       vl_string(r->key), "value", vl_string(r->value), "where",
			       vl_string(r->where)));
	return 0;
}

void api_config(struct api *a, struct vl_call *call)
{
	json_t *list = json_array();

	(void)conf_rows(a->w->conf, add_row, list);
	vl_call_reply(call,
		      json_pack("{si so so}", "schema", API_SCHEMA, "settings", list,
				"reload_error", vl_string(a->w->last_reload_error)));
}

void api_reload(struct api *a, struct vl_call *call)
{
	const char *why;

	if (wbd_reload(a->w) == 0) {
		vl_call_reply(call, json_object());
		return;
	}
	why = a->w->last_reload_error;
	vl_call_error(call, API_INTERFACE ".ReloadRefused",
		      json_pack("{so}", "reason",
				vl_string(why ? why : "the daemon's log says why")));
}

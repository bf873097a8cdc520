// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl features: what is possible here, asked from the daemon or probed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/feats.h"
#include "wbctl/wbctl.h"

enum { FEATURE, PRESENT, SINCE, CONSEQUENCE, ERROR, DETAIL };

static const struct column cols[] = {
	[FEATURE] = {"FEATURE", 0, SCOLS_JSON_STRING, true, "its name"},
	[PRESENT] = {"PRESENT", 0, SCOLS_JSON_BOOLEAN, true, "whether it is to be had"},
	[SINCE] = {"SINCE", 0, SCOLS_JSON_STRING, true, "the version that brings it"},
	[CONSEQUENCE] = {"CONSEQUENCE", 0, SCOLS_JSON_STRING, true,
			 "what is lost without it"},
	[ERROR] = {"ERROR", 0, SCOLS_JSON_STRING, true, "why it is missing"},
	[DETAIL] = {"DETAIL", 0, SCOLS_JSON_STRING, false, "what the probe saw"},
};

static void add_feature(struct table *t, const char *name, bool present,
			const char *since, const char *consequence, const char *error,
			const char *detail)
{
	struct libscols_line *l = table_row(t, NULL);

	table_text(t, l, FEATURE, name);
	table_bool(t, l, PRESENT, present);
	table_color(t, l, PRESENT, present ? "green" : "red");
	table_text(t, l, SINCE, since);
	/* In a table for people a consequence beside "yes" would mislead. */
	if (t->o->json || !present)
		table_text(t, l, CONSEQUENCE, consequence);
	table_text(t, l, ERROR, error);
	table_text(t, l, DETAIL, detail);
}

/* With the caller's privileges, which may be less than the daemon's. */
static void probe_here(struct table *t, json_t *more)
{
	struct feats f = {0};
	char why[256] = "";

	feats_probe(&f);
	for (size_t i = 0; i < FEAT_N; i++)
		add_feature(
			t, f.v[i].name, f.v[i].present, f.v[i].since, f.v[i].consequence,
			f.v[i].present || !f.v[i].error ? NULL : strerror(f.v[i].error),
			f.v[i].detail);
	json_object_set_new(more, "user_engine",
			    json_boolean(feats_user_engine(&f, why, sizeof(why))));
	json_object_set_new(more, "why_not", *why ? json_string(why) : json_null());
	*why = '\0';
	json_object_set_new(more, "kernel_engine",
			    json_boolean(feats_kernel_engine(&f, why, sizeof(why))));
	json_object_set_new(more, "kernel_why_not",
			    *why ? json_string(why) : json_null());
}

static void take_answer(struct table *t, const json_t *answer, json_t *more)
{
	static const char *const keys[] = {"user_engine", "why_not", "kernel_engine",
					   "kernel_why_not", "mode"};
	json_t *f;
	size_t i;

	json_array_foreach (json_object_get(answer, "features"), i, f)
		add_feature(t, get_str(f, "name"), get_bool(f, "present"),
			    get_str(f, "since"), get_str(f, "consequence"),
			    get_str(f, "error"), get_str(f, "detail"));
	/* An older daemon has not all of them. */
	for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
		if (json_object_get(answer, keys[k]))
			json_object_set(more, keys[k], json_object_get(answer, keys[k]));
}

static void print_engine(const json_t *more, const char *name, const char *key,
			 const char *why_key)
{
	CLEANUP(cleanup_freep) char *why = NULL;

	if (!json_object_get(more, key) || get_bool(more, key))
		return;
	if (get_str(more, why_key))
		why = escaped(get_str(more, why_key));
	printf("The %s engine does not work here: %s\n", name, why ? why : "unknown");
}

/* Which engine writes back where a file system has both. */
static void print_choice(const json_t *more)
{
	const char *mode = get_str(more, "mode");
	bool kernel = get_bool(more, "kernel_engine");

	if (!mode || !strcmp(mode, "none"))
		return;
	if (kernel && strcmp(mode, "user") != 0)
		printf("The kernel engine is used where a file system can have it.\n");
	else if (kernel)
		printf("The kernel engine is not used: the configuration says mode = "
		       "user.\n");
}

static int print_features(struct table *t, json_t *more)
{
	bool notes = !t->o->json && !t->o->noheadings && !t->o->columns;
	int r = table_print(t, json_incref(more));

	if (r == WBCTL_OK && notes) {
		print_engine(more, "user", "user_engine", "why_not");
		print_engine(more, "kernel", "kernel_engine", "kernel_why_not");
		print_choice(more);
	}
	json_decref(more);
	return r;
}

static int run(const struct opts *o, int argc, char **argv)
{
	json_t *answer = NULL, *more = json_object();
	struct table t;
	int r;

	(void)argc;
	(void)argv;
	r = table_init(&t, o, "features", cols, ARRAY_SIZE(cols));
	if (r != WBCTL_OK)
		goto out;
	r = daemon_call_if_running(o, "io.writeback.Features", NULL, &answer);
	if (r > 0)
		goto out_table;
	json_object_set_new(more, "asked", json_string(r == 0 ? "daemon" : "here"));
	if (r == 0) {
		take_answer(&t, answer, more);
	} else {
		complain("The daemon does not run: this is what your own privileges "
			 "allow.");
		probe_here(&t, more);
	}
	r = print_features(&t, json_incref(more));
out_table:
	table_clear(&t);
out:
	json_decref(answer);
	json_decref(more);
	return r;
}

const struct command cmd_features = {
	.name = "features",
	.args = "",
	.help = "Shows what this kernel and these privileges allow",
	.run = run,
	.cols = cols,
	.n_cols = ARRAY_SIZE(cols),
};

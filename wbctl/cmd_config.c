// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl config: checks a configuration, shows the one in force. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/conf.h"
#include "wbctl/wbctl.h"

enum { SECTION, KEY, VALUE, WHERE };

static const struct column cols[] = {
	[SECTION] = {"SECTION", 0, SCOLS_JSON_STRING, true, "section of the file"},
	[KEY] = {"KEY", 0, SCOLS_JSON_STRING, true, "name of the setting"},
	[VALUE] = {"VALUE", 0, SCOLS_JSON_STRING, true, "its value in force"},
	[WHERE] = {"WHERE", 0, SCOLS_JSON_STRING, true, "file:line it comes from"},
};

static int print_findings(const struct opts *o, const struct conf_diags *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->n; i++) {
		if (!o->json)
			complain("%s", d->v[i].text);
		json_array_append_new(list,
				      json_pack("{sb ss}", "error", (int)d->v[i].error,
						"text", d->v[i].text));
	}
	if (o->json)
		return print_json(json_pack("{so}", "findings", list));
	json_decref(list);
	return WBCTL_OK;
}

/* Stricter than the daemon: what it only warns of is an error here. */
static int check(const struct opts *o, const char *file)
{
	struct conf_diags d = {0};
	struct conf *c = NULL;
	int r = conf_load("", file, &c, &d);
	int out = print_findings(o, &d);

	if (r < 0 && !d.n)
		complain("Cannot read the configuration: %s.", strerror(-r));
	conf_free(c);
	if (r < 0 || d.n)
		out = WBCTL_FAILED;
	conf_diags_clear(&d);
	return out;
}

static void add_setting(struct table *t, const char *section, const char *key,
			const char *value, const char *where)
{
	struct libscols_line *l = table_row(t, NULL);

	table_text(t, l, SECTION, section);
	table_text(t, l, KEY, key);
	table_text(t, l, VALUE, value);
	table_text(t, l, WHERE, where);
}

static int add_row(const struct conf_row *r, void *arg)
{
	add_setting(arg, r->section, r->key, r->value, r->where);
	return 0;
}

static int show_files(struct table *t)
{
	struct conf_diags d = {0};
	struct conf *c = NULL;
	int r = conf_load("", NULL, &c, &d);

	for (size_t i = 0; i < d.n; i++)
		complain("%s", d.v[i].text);
	conf_diags_clear(&d);
	if (r < 0)
		return WBCTL_FAILED;
	(void)conf_rows(c, add_row, t);
	conf_free(c);
	return WBCTL_OK;
}

static int show(const struct opts *o)
{
	json_t *answer = NULL, *s;
	struct table t;
	size_t i;
	int r = table_init(&t, o, "settings", cols, ARRAY_SIZE(cols));

	if (r != WBCTL_OK)
		return r;
	r = daemon_call_if_running(o, "io.writeback.Config", NULL, &answer);
	if (r == -ENOENT) {
		complain("The daemon does not run: this is what it would read.");
		r = show_files(&t);
	}
	json_array_foreach (json_object_get(answer, "settings"), i, s)
		add_setting(&t, get_str(s, "section"), get_str(s, "key"),
			    get_str(s, "value"), get_str(s, "where"));
	if (r == WBCTL_OK && get_str(answer, "reload_error"))
		complain("The last reload was refused: %s",
			 get_str(answer, "reload_error"));
	if (r == WBCTL_OK)
		r = table_print(&t, NULL);
	json_decref(answer);
	table_clear(&t);
	return r;
}

static int run(const struct opts *o, int argc, char **argv)
{
	if (!strcmp(argv[0], "check"))
		return check(o, argc > 1 ? argv[1] : NULL);
	if (!strcmp(argv[0], "show") && argc == 1)
		return show(o);
	complain("Usage: wbctl config %s", cmd_config.args);
	return WBCTL_USAGE;
}

const struct command cmd_config = {
	.name = "config",
	.args = "check [FILE] | show",
	.help = "Checks a configuration, or shows the one in force",
	.run = run,
	.args_min = 1,
	.args_max = 2,
	.cols = cols,
	.n_cols = ARRAY_SIZE(cols),
};

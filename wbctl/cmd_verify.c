// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wbctl verify: the kernel settings that the configuration asks for, what the kernel
 * has now, and whose value that is.  Reads the daemon's file and the kernel, so it
 * works without a daemon as well.
 */
#include <stdio.h>
#include <string.h>

#include "wbctl/knobs.h"

enum { KNOB, DEVICE, EXPECTED, ACTUAL, FOUND, WHOSE, STATE, WHY, WHERE };

#define S SCOLS_JSON_STRING

static const struct column cols[] = {
	[KNOB] = {"KNOB", 0, S, true, "kernel setting"},
	[DEVICE] = {"DEVICE", 0, S, true, "backing device below /sys/class/bdi"},
	[EXPECTED] = {"EXPECTED", 0, S, true, "what the configuration asks for"},
	[ACTUAL] = {"ACTUAL", 0, S, true, "what the kernel has now"},
	[FOUND] = {"FOUND", 0, S, false,
		   "what was found before (of max_bytes and min_bytes: the ratio)"},
	[WHOSE] = {"WHOSE", 0, S, true, "wb's, somebody else's (manual), the kernel's"},
	[STATE] = {"STATE", 0, S, true,
		   "ok, manual, unsupported, gone, refused, transient"},
	[WHY] = {"WHY", 0, S, true, "the kernel's error"},
	[WHERE] = {"WHERE", 0, S, false, "file:line of the section"},
};

/* What the kernel has now decides, not what the daemon saw when it last looked. */
static enum knob_state state_now(const struct knob_entry *e, const char **ret_whose)
{
	char path[256], now[KNOB_VALUE], identity[80];
	int r;

	*ret_whose = "kernel";
	knob_identity("", e->kind, e->dev, identity);
	if (strcmp(identity, e->identity) != 0)
		return KNOB_GONE;
	knob_state_path(e->kind, e->dev, path);
	r = knob_read("", path, now);
	if (r < 0)
		return knob_classify("", e->kind, e->dev, r);
	if (!e->written)
		return e->state;
	if (!e->pending && strcmp(now, e->ours) != 0) {
		*ret_whose = "manual";
		return KNOB_MANUAL;
	}
	*ret_whose = "wb";
	return e->state == KNOB_MANUAL ? KNOB_OK : e->state;
}

static enum knob_state add_entry(struct table *t, const struct knob_entry *e)
{
	struct libscols_line *l = table_row(t, NULL);
	char path[256], now[KNOB_VALUE] = "";
	const char *whose;
	enum knob_state s = state_now(e, &whose);

	knob_path(e->kind, e->dev, path);
	(void)knob_read("", path, now);
	table_text(t, l, KNOB, knob_name(e->kind));
	table_text(t, l, DEVICE, *e->dev ? e->dev : NULL);
	table_text(t, l, EXPECTED, e->wanted);
	table_text(t, l, ACTUAL, *now ? now : NULL);
	table_text(t, l, FOUND, *e->original ? e->original : NULL);
	table_text(t, l, WHOSE, whose);
	table_text(t, l, STATE, knob_state_name(s));
	table_color(t, l, STATE, s == KNOB_OK ? "green" : "red");
	table_text(t, l, WHY, e->error && s != KNOB_MANUAL ? strerror(e->error) : NULL);
	table_text(t, l, WHERE, e->where);
	return s;
}

static int run(const struct opts *o, int argc, char **argv)
{
	CLEANUP(cleanup_freep) char *dir = NULL;
	struct knob_journal j = {0};
	bool all = true;
	struct table t;
	int r;

	(void)argc;
	(void)argv;
	r = table_init(&t, o, "knobs", cols, ARRAY_SIZE(cols));
	if (r != WBCTL_OK)
		return r;
	r = knobs_load(o, &j, &dir);
	if (r == WBCTL_OK) {
		for (size_t i = 0; i < j.n; i++)
			all &= add_entry(&t, &j.v[i]) == KNOB_OK;
		r = table_print(&t, NULL);
	}
	if (r == WBCTL_OK && !all)
		r = WBCTL_PARTLY;
	knob_journal_clear(&j);
	table_clear(&t);
	return r;
}

const struct command cmd_verify = {
	.name = "verify",
	.args = "",
	.help = "Compares kernel settings with what was asked for",
	.run = run,
	.cols = cols,
	.n_cols = ARRAY_SIZE(cols),
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wbctl rollback: gives kernel settings back what wbd found, with or without a
 * daemon.  What somebody else has changed since is theirs and stays.  A daemon that
 * runs sees that its values are gone, and keeps its hands off them from then on.
 */
#include <stdio.h>
#include <string.h>

#include "wbctl/knobs.h"

/* One line that a shell could run. */
static void print_line(const struct knob_entry *e, const char *note)
{
	char path[256];

	knob_state_path(e->kind, e->dev, path);
	/* A map has several lines, which replace only what they name. */
	if (strchr(e->original, '\n') || strchr(e->original, ' '))
		printf("printf 'default\\n%%s\\n' '%s' >/%s%s%s\n", e->original, path,
		       *note ? "  # " : "", note);
	else
		printf("echo %s >/%s%s%s\n", e->original, path, *note ? "  # " : "",
		       note);
}

static const char *note_of(int r)
{
	if (r == -EEXIST)
		return "left alone: somebody else has changed it";
	if (r == -ENODEV)
		return "left alone: the device is not the same any more";
	return r < 0 ? strerror(-r) : "";
}

static void explain_failure(const struct knob_entry *e, int r)
{
	complain("%s%s%s is not restored: %s.", e->dev, *e->dev ? " " : "",
		 knob_name(e->kind),
		 r == -EACCES || r == -EPERM ? "permission denied; run as root"
					     : strerror(-r));
}

/* True if there was nothing wrong. */
static bool restore(const struct opts *o, struct knob_entry *e)
{
	int r = knob_restore("", e, o->print);

	if (r == -ENODATA)
		return true; /* it was never written */
	if (o->print || r == 0 || r == -EEXIST || r == -ENODEV) {
		if (o->print && r < 0)
			printf("# ");
		print_line(e, note_of(r));
		return true;
	}
	explain_failure(e, r);
	return false;
}

static int run(const struct opts *o, int argc, char **argv)
{
	CLEANUP(cleanup_freep) char *dir = NULL;
	struct knob_journal j = {0};
	bool all = true;
	int r = knobs_load(o, &j, &dir);

	(void)argc;
	(void)argv;
	if (r != WBCTL_OK)
		return r;
	/* In the opposite order of the writes: a limit may depend on one before. */
	for (int late = 0; late < 2; late++)
		for (size_t i = j.n; i--;)
			if (knob_is_late(j.v[i].kind) == late)
				all &= restore(o, &j.v[i]);
	knob_journal_clear(&j);
	return all ? WBCTL_OK : WBCTL_PARTLY;
}

const struct command cmd_rollback = {
	.name = "rollback",
	.args = "",
	.help = "Gives kernel settings back what was found",
	.run = run,
	.takes_print = true,
};

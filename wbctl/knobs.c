// SPDX-License-Identifier: GPL-2.0-or-later
/* See knobs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wbctl/knobs.h"

int knobs_load(const struct opts *o, struct knob_journal *ret, char **ret_dir)
{
	const char *slash = strrchr(o->socket, '/');
	char *dir = slash ? strndup(o->socket, (size_t)(slash - o->socket)) : strdup(".");
	int r = dir ? knob_journal_load("", dir, ret) : -ENOMEM;

	if (r == 0) {
		*ret_dir = dir;
		return WBCTL_OK;
	}
	complain("Cannot read %s/knobs: %s.", dir ? dir : "?",
		 r == -EBADMSG ? "it is damaged or not the daemon's" : strerror(-r));
	free(dir);
	return WBCTL_FAILED;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl version: this program's, and the daemon's where one runs. */
#include <errno.h>
#include <stdio.h>

#include "wbctl/wbctl.h"

static int run(const struct opts *o, int argc, char **argv)
{
	CLEANUP(cleanup_freep) char *safe = NULL;
	json_t *info = NULL;
	const char *theirs;
	int r;

	(void)argc;
	(void)argv;
	r = daemon_call_if_running(o, "org.varlink.service.GetInfo", NULL, &info);
	if (r > 0)
		return r;
	theirs = get_str(info, "version");
	if (o->json) {
		r = print_json(json_pack("{ss ss?}", "wbctl", WB_VERSION, "wbd", theirs));
	} else {
		safe = theirs ? escaped(theirs) : NULL;
		printf("wbctl %s\nwbd %s\n", WB_VERSION, safe ? safe : "(does not run)");
		r = WBCTL_OK;
	}
	json_decref(info);
	return r;
}

const struct command cmd_version = {
	.name = "version",
	.args = "",
	.help = "Shows the versions of wbctl and of the daemon that runs",
	.run = run,
};

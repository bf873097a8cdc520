// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl monitor: what the engine does, a line per event, until it is stopped. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/vl_client.h"
#include "common/units.h"
#include "wbctl/wbctl.h"

static void print_time(uint64_t us)
{
	time_t s = (time_t)(us / 1000000);
	struct tm tm;
	char text[UNITS_LEN];

	localtime_r(&s, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printf("%s.%03u ", text, (unsigned)(us / 1000 % 1000));
}

static void print_part(const char *before, const char *text, const char *after)
{
	CLEANUP(cleanup_freep) char *safe = text ? escaped(text) : NULL;

	if (safe)
		printf("%s%s%s", before, safe, after);
}

static void print_line(const json_t *e)
{
	char bytes[UNITS_LEN];

	print_time(get_u64(e, "time_us"));
	print_part("", get_str(e, "event"), "");
	print_part(" ", get_str(e, "mount"), "");
	if (json_is_integer(json_object_get(e, "inode"))) {
		units_human_size(get_u64(e, "bytes"), bytes);
		printf(" inode %" PRIu64 " context %" PRIu64 " %s", get_u64(e, "inode"),
		       get_u64(e, "context"), bytes);
	}
	print_part(" error: ", get_str(e, "error"), "");
	print_part(" (", get_str(e, "reason"), ")");
	putchar('\n');
}

static int print_event(const struct opts *o, json_t *e)
{
	if (o->json) {
		json_object_set_new(e, "schema", json_integer(WBCTL_SCHEMA));
		json_dumpf(e, stdout, JSON_COMPACT);
		putchar('\n');
	} else {
		print_line(e);
	}
	/* Whoever reads the pipe may have gone: that is how a stream ends. */
	return fflush(stdout) ? -errno : 0;
}

static int take_event(const struct opts *o, struct vl_answer *a, bool *ret_more)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	int r;

	if (a->error) {
		text = daemon_error_text(a);
		complain("The daemon says: %s.", text ? text : a->error);
		return WBCTL_FAILED;
	}
	r = print_event(o, a->params);
	*ret_more = r == 0 && a->continues;
	if (r == 0)
		return WBCTL_OK;
	clearerr(stdout); /* main() need not complain as well */
	if (r == -EPIPE)
		return WBCTL_OK;
	complain("cannot write the output: %s", strerror(-r));
	return WBCTL_FAILED;
}

/* The next event; -EPIPE if nobody reads our output any more, which an idle file
 * system would else never let us notice. */
static int next_event(struct vl_client *c, struct vl_answer *ret)
{
	struct pollfd p[] = {{.fd = vl_client_fd(c), .events = POLLIN},
			     {.fd = STDOUT_FILENO}};
	int r;

	for (;;) {
		r = vl_client_receive(c, 0, ret);
		if (r != -ETIMEDOUT)
			return r;
		if (poll(p, ARRAY_SIZE(p), -1) < 0) {
			if (errno != EINTR)
				return -errno;
		} else if (p[1].revents & (POLLERR | POLLHUP)) {
			return -EPIPE;
		}
	}
}

static int run(const struct opts *o, int argc, char **argv)
{
	json_t *params = argc ? json_pack("{ss}", "mount", argv[0]) : NULL;
	struct vl_answer a;
	struct vl_client *c;
	bool more = true;
	int r = daemon_open(o, &c);

	if (r != WBCTL_OK) {
		json_decref(params);
		return r;
	}
	if (vl_client_send(c, "io.writeback.Monitor", params, true, WBCTL_TIMEOUT_MS) <
	    0) {
		complain("The daemon at %s does not answer.", o->socket);
		r = WBCTL_FAILED;
		more = false;
	}
	while (more && r == WBCTL_OK) {
		int err = next_event(c, &a);

		/* The daemon stopped, or cut us off for reading too slowly. */
		if (err < 0) {
			if (err != -EPIPE)
				complain("The daemon hung up.");
			break;
		}
		r = take_event(o, &a, &more);
		vl_answer_clear(&a);
	}
	vl_client_free(c);
	return r;
}

const struct command cmd_monitor = {
	.name = "monitor",
	.args = "[MOUNT]",
	.help = "Shows what the engine does, event by event",
	.run = run,
	.args_max = 1,
};

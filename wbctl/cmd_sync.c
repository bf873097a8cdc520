// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wbctl sync: everything dirty to the device, in parallel, with the guarantee of
 * syncfs(2).  Without a mount point: every managed file system side by side, then
 * sync(2) for all the others.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vl_client.h"
#include "wbctl/sync.h"

#define JOBS_MAX 256

struct sync_run {
	const struct opts *o;
	struct sync_job *jobs;
	size_t n;
	struct sync_bar bar;
	int64_t deadline; /* -1: none */
	bool use_daemon;
};

enum { MOUNT, DRAINED, BYTES, RESULT, ERROR, NOTE };

static const struct column cols[] = {
	[MOUNT] = {"MOUNT", 0, SCOLS_JSON_STRING, true, "mount point; empty: all others"},
	[DRAINED] = {"DRAINED", 0, SCOLS_JSON_BOOLEAN, true, "whether wb did it"},
	[BYTES] = {"BYTES", SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, true,
		   "written back by wb"},
	[RESULT] = {"RESULT", 0, SCOLS_JSON_STRING, true, "ok, failed or timeout"},
	[ERROR] = {"ERROR", 0, SCOLS_JSON_STRING, true, "what syncfs said"},
	[NOTE] = {"NOTE", 0, SCOLS_JSON_STRING, true, "why wb did not do it"},
};

static const char *error_words(int error)
{
	switch (error) {
	case EIO:
		return "the device failed to write, data is lost (I/O error)";
	case ENOSPC:
		return "no space was left for data that was already accepted, it is lost "
		       "(ENOSPC)";
	case EDQUOT:
		return "the quota was too small for data that was already accepted, it "
		       "is "
		       "lost (EDQUOT)";
	case EINTR:
		return "the sync was interrupted";
	default:
		return strerror(error);
	}
}

static int add_job(struct sync_run *s, const char *mount, const char *device,
		   bool automatic)
{
	struct sync_job *j = reallocarray(s->jobs, s->n + 1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	s->jobs = j;
	j = &s->jobs[s->n];
	*j = (struct sync_job){.fd = -1, .automatic = automatic};
	j->mount = mount ? strdup(mount) : NULL;
	j->device = device ? strdup(device) : NULL;
	s->n++;
	return (mount && !j->mount) || (device && !j->device) ? -ENOMEM : 0;
}

/* The managed file systems, as the daemon sees them. */
static int add_managed(struct sync_run *s)
{
	json_t *st = NULL, *f;
	size_t i;
	int r = daemon_call(s->o, "io.writeback.Status", NULL, &st);

	if (r != WBCTL_OK) /* said why; sync(2) does it all */
		s->use_daemon = false;
	json_array_foreach (json_object_get(st, "filesystems"), i, f)
		if (get_bool(f, "managed") && get_str(f, "mount") && s->n < JOBS_MAX)
			(void)add_job(s, get_str(f, "mount"), get_str(f, "device"), true);
	json_decref(st);
	return WBCTL_OK;
}

static void probe_daemon(struct sync_run *s)
{
	struct vl_client *c;
	int r = vl_client_open(s->o->socket, &c);

	s->use_daemon = r == 0;
	if (r == 0)
		vl_client_free(c);
	else
		complain("%s; the kernel alone writes back (syncfs).",
			 daemon_is_absent(r) ? "The daemon does not run"
			 : r == -ENOTSOCK    ? "What --socket names is not a socket"
					     : "The daemon cannot be reached");
}

/* Until the jobs from @first on are over, or -ETIMEDOUT. */
static int wait_jobs(struct sync_run *s, size_t first)
{
	struct pollfd p[JOBS_MAX + 1];

	for (;;) {
		int64_t left = s->bar.on ? 100 : -1;
		size_t n = 0;

		for (size_t i = first; i < s->n; i++)
			if (s->jobs[i].fd >= 0)
				p[n++] = (struct pollfd){.fd = s->jobs[i].fd,
							 .events = POLLIN};
		if (!n)
			return 0;
		if (s->deadline >= 0) {
			int64_t until = s->deadline - sync_now_ms();

			if (until <= 0)
				return -ETIMEDOUT;
			if (left < 0 || until < left)
				left = until > 86400000 ? 86400000 : until;
		}
		(void)poll(p, n, (int)left);
		for (size_t i = first; i < s->n; i++)
			if (s->jobs[i].fd >= 0)
				sync_job_read(&s->jobs[i]);
		sync_bar_draw(&s->bar, s->jobs, s->n);
	}
}

static int run_jobs(struct sync_run *s, size_t first)
{
	for (size_t i = first; i < s->n; i++) {
		int r = sync_job_start(&s->jobs[i], s->o, s->use_daemon);

		if (r < 0) {
			s->jobs[i].over = true;
			s->jobs[i].last.error = -r;
		}
	}
	return wait_jobs(s, first);
}

/* A managed file system that we may not open is left to sync(2). */
static bool failed(const struct sync_job *j)
{
	return j->over && j->last.error && !(j->automatic && j->last.from_open);
}

static void report_job(const struct sync_job *j)
{
	const char *what = j->mount ? j->mount : "all other file systems";

	if (!j->over && j->unanswered)
		complain("%s: the daemon did not answer in time.", what);
	else if (!j->over)
		complain("%s: the time is over before %s said that all is on the device.",
			 what, j->mount ? "syncfs" : "sync");
	else if (failed(j))
		complain("%s: %s.", what, error_words(j->last.error));
	else if (j->note)
		complain("%s: wb did not drain it (%s); the kernel alone wrote it back.",
			 what, j->note);
}

static int report_json(const struct sync_run *s)
{
	struct table t;
	int r = table_init(&t, s->o, "sync", cols, ARRAY_SIZE(cols));

	if (r != WBCTL_OK)
		return r;
	for (size_t i = 0; i < s->n; i++) {
		const struct sync_job *j = &s->jobs[i];
		struct libscols_line *l = table_row(&t, NULL);

		table_text(&t, l, MOUNT, j->mount);
		table_bool(&t, l, DRAINED, j->last.drained);
		table_number(&t, l, BYTES, j->last.done);
		table_text(&t, l, RESULT,
			   !j->over    ? "timeout"
			   : failed(j) ? "failed"
				       : "ok");
		table_text(&t, l, ERROR,
			   j->last.error ? error_words(j->last.error) : NULL);
		table_text(&t, l, NOTE, j->note);
	}
	r = table_print(&t, NULL);
	table_clear(&t);
	return r;
}

static int verdict(const struct sync_run *s)
{
	size_t bad = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!s->jobs[i].over)
			return WBCTL_TIMED_OUT;
		bad += failed(&s->jobs[i]);
	}
	if (!bad)
		return WBCTL_OK;
	return bad == s->n ? WBCTL_FAILED : WBCTL_PARTLY;
}

static int report(struct sync_run *s)
{
	sync_bar_wipe(&s->bar);
	for (size_t i = 0; i < s->n; i++)
		report_job(&s->jobs[i]);
	if ((s->o->json || s->o->columns) && report_json(s) != WBCTL_OK)
		return WBCTL_FAILED;
	return verdict(s);
}

static int run(const struct opts *o, int argc, char **argv)
{
	struct sync_run s = {.o = o, .deadline = -1};
	size_t first;
	int r = 0;

	sync_bar_init(&s.bar);
	if (o->timeout_ms >= 0)
		s.deadline = s.bar.start_ms + o->timeout_ms;
	if (argc > JOBS_MAX) {
		complain("More than %d mount points at once are too many.", JOBS_MAX);
		return WBCTL_USAGE;
	}
	probe_daemon(&s);
	for (int i = 0; i < argc && r == 0; i++)
		r = add_job(&s, argv[i], NULL, false);
	if (!argc && s.use_daemon)
		add_managed(&s);
	if (r == 0)
		r = run_jobs(&s, 0);
	/* sync(2) sets off the kernel's own flusher everywhere: only after the
	 * drains, which it would get in the way of. */
	first = s.n;
	if (!argc && r == 0 && add_job(&s, NULL, NULL, true) == 0)
		r = run_jobs(&s, first);
	for (size_t i = 0; i < s.n; i++)
		sync_job_kill(&s.jobs[i]);
	r = r == -ENOMEM ? WBCTL_FAILED : report(&s);
	for (size_t i = 0; i < s.n; i++)
		sync_job_clear(&s.jobs[i]);
	free(s.jobs);
	return r;
}

const struct command cmd_sync = {
	.name = "sync",
	.args = "[MOUNT...]",
	.help = "Writes everything dirty to the device, in parallel",
	.run = run,
	.args_max = -1,
	.takes_timeout = true,
	.cols = cols,
	.n_cols = ARRAY_SIZE(cols),
};

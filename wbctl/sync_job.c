// SPDX-License-Identifier: GPL-2.0-or-later
/* One file system of wbctl sync: drain through the daemon, then syncfs(). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/vl_client.h"
#include "wbctl/sync.h"

_Static_assert(sizeof(struct sync_msg) <= PIPE_BUF, "a message must arrive whole");

static void tell(int out, const struct sync_msg *m)
{
	if (write(out, m, sizeof(*m)) < 0)
		_exit(WBCTL_FAILED); /* nobody listens any more */
}

static void tell_note(int out, const char *text)
{
	struct sync_msg m = {.kind = SYNC_NOTE};

	snprintf(m.text, sizeof(m.text), "%s", text ? text : "out of memory");
	tell(out, &m);
}

/* Follows the drain to its end: true if the daemon did it. */
static bool follow_drain(struct vl_client *c, int out, struct sync_msg *m)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	struct vl_answer a;
	bool more = true;
	int r;

	while (more) {
		/* It tells its progress many times a second, or it hangs. */
		r = vl_client_receive(c, WBCTL_TIMEOUT_MS, &a);
		if (r < 0) {
			tell_note(out, r == -ETIMEDOUT
					       ? "the daemon does not answer"
					       : "the daemon stopped during the drain");
			return false;
		}
		if (a.error) {
			text = daemon_error_text(&a);
			tell_note(out, text);
			vl_answer_clear(&a);
			return false;
		}
		more = a.continues;
		m->kind = SYNC_PROGRESS;
		m->done = get_u64(a.params, "bytes_done");
		m->all = get_u64(a.params, "bytes_all");
		vl_answer_clear(&a);
		tell(out, m);
	}
	return true;
}

static bool drain(const struct opts *o, const char *device, int out, struct sync_msg *m)
{
	struct vl_client *c;
	bool ok;
	int r;

	m->kind = SYNC_ASKED;
	tell(out, m);
	r = vl_client_open(o->socket, &c);
	if (r < 0) {
		tell_note(out, "the daemon cannot be reached");
		return false;
	}
	r = vl_client_send(c, "io.writeback.Drain", json_pack("{ss}", "device", device),
			   true, WBCTL_TIMEOUT_MS);
	ok = r == 0 && follow_drain(c, out, m);
	if (r < 0)
		tell_note(out, "the daemon does not answer");
	vl_client_free(c);
	return ok;
}

static _Noreturn void child(const struct sync_job *j, const struct opts *o, bool ask,
			    int out)
{
	struct sync_msg m = {.kind = SYNC_RESULT};
	char device[32];
	int fd;

	if (!j->mount) {
		sync();
		tell(out, &m);
		_exit(0);
	}
	/* Opened before anything is written, so that syncfs() tells of every error
	 * from now on. */
	fd = open(j->mount, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		m.error = errno;
		m.from_open = true;
	}
	if (ask && (fd >= 0 || j->device)) {
		if (fd >= 0 && device_of_fd(fd, device) == 0)
			m.drained = drain(o, device, out, &m);
		else if (j->device)
			m.drained = drain(o, j->device, out, &m);
	}
	if (fd >= 0 && syncfs(fd) < 0)
		m.error = errno;
	m.kind = SYNC_RESULT;
	tell(out, &m);
	_exit(0);
}

/* The child must not keep the caller's pipes open if it hangs for ever. */
static void detach_stdio(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		(void)dup2(null, fd);
}

int sync_job_start(struct sync_job *j, const struct opts *o, bool use_daemon)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	j->pid = fork();
	if (j->pid < 0) {
		int r = -errno;

		close(p[0]);
		close(p[1]);
		return r;
	}
	if (j->pid == 0) {
		close(p[0]);
		detach_stdio();
		child(j, o, use_daemon, p[1]);
	}
	close(p[1]);
	(void)fcntl(p[0], F_SETFL, O_NONBLOCK);
	j->fd = p[0];
	return 0;
}

static void finish(struct sync_job *j)
{
	close(j->fd);
	j->fd = -1;
	j->over = true;
	(void)waitpid(j->pid, NULL, 0); /* it has nothing left to do but to exit */
	j->pid = 0;
}

void sync_job_read(struct sync_job *j)
{
	struct sync_msg m;
	ssize_t n;

	while ((n = read(j->fd, &m, sizeof(m))) == (ssize_t)sizeof(m)) {
		m.text[sizeof(m.text) - 1] = '\0';
		j->unanswered = m.kind == SYNC_ASKED;
		if (m.kind == SYNC_NOTE) {
			free(j->note);
			j->note = strdup(m.text);
			continue;
		}
		j->last = m;
		if (m.kind == SYNC_RESULT) {
			finish(j);
			return;
		}
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* Killed by somebody: not synced, as far as anyone knows. */
	j->last.kind = SYNC_RESULT;
	j->last.error = EINTR;
	finish(j);
}

void sync_job_kill(struct sync_job *j)
{
	if (j->pid > 0 && !j->over)
		(void)kill(j->pid, SIGKILL);
}

void sync_job_clear(struct sync_job *j)
{
	if (j->fd >= 0)
		close(j->fd);
	free(j->mount);
	free(j->device);
	free(j->note);
}

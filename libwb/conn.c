// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A Varlink connection that never signals the caller, never blocks longer than it is
 * told, and never takes another descriptor for its own.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "libwb/int.h"

/* A receive wakes up this often to look at its deadline. */
#define LOOK_MS 100

static int64_t clock_ms(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t);
	return t.tv_sec * (int64_t)1000 + t.tv_nsec / 1000000;
}

int64_t wbi_now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

int64_t wbi_now_coarse_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC_COARSE);
}

void wbi_conn_init(struct wbi_conn *c)
{
	c->fd = -1;
	c->owed = 0;
	c->have = 0;
	c->slow = false;
	c->heard = false;
}

static bool is_ours(const struct wbi_conn *c)
{
	struct stat st;

	return c->fd >= 0 && fstat(c->fd, &st) == 0 && st.st_dev == c->dev &&
	       st.st_ino == c->ino;
}

static int dial(int fd, const char *path)
{
	const struct timeval look = {.tv_usec = LOOK_MS * 1000};
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	memcpy(sa.sun_path, path, strnlen(path, sizeof(sa.sun_path) - 1));
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		return -errno;
	/* Reading blocks, up to its time limit; sending is told not to each time. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look)) < 0 ||
	    fcntl(fd, F_SETFL, 0) < 0)
		return -errno;
	return 0;
}

int wbi_conn_open(struct wbi_conn *c, const char *path)
{
	struct stat st = {0};
	int r, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	r = dial(fd, path);
	if (r == 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r < 0) {
		(void)close(fd);
		return r;
	}
	wbi_conn_init(c);
	c->fd = fd;
	c->dev = st.st_dev;
	c->ino = st.st_ino;
	return 0;
}

void wbi_conn_close(struct wbi_conn *c, bool shut)
{
	if (is_ours(c)) {
		if (shut)
			(void)shutdown(c->fd, SHUT_RDWR);
		(void)close(c->fd);
	}
	wbi_conn_init(c);
}

int wbi_conn_send(struct wbi_conn *c, const char *msg, size_t len, int fd, bool answered)
{
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)msg, .iov_len = len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (!is_ours(c))
		return -EPIPE;
	if (fd >= 0) {
		control.h.cmsg_level = SOL_SOCKET;
		control.h.cmsg_type = SCM_RIGHTS;
		control.h.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.h), &fd, sizeof(int));
		m.msg_control = control.space;
		m.msg_controllen = sizeof(control.space);
	}
	do
		n = sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -EAGAIN : errno == EBADF ? -EBADF : -EPIPE;
	c->owed += answered;
	/* A message this short goes as a whole or not at all. */
	return (size_t)n == len ? 0 : -EPIPE;
}

/* Takes a whole message out of the buffer: 1, 0 if there is none yet. */
static int take(struct wbi_conn *c, struct wbi_reply *ret)
{
	char *nul = memchr(c->in, '\0', c->have);
	size_t used;
	int r;

	if (!nul)
		return c->have == sizeof(c->in) ? -EBADMSG : 0;
	if (!c->owed)
		return -EBADMSG; /* nobody asked */
	r = wbi_reply_parse(c->in, (size_t)(nul - c->in), ret);
	used = (size_t)(nul - c->in) + 1;
	memmove(c->in, c->in + used, c->have - used);
	c->have -= used;
	if (r < 0)
		return r;
	c->heard = true;
	if (!ret->continues && --c->owed == 0)
		c->slow = false;
	return 1;
}

int wbi_conn_receive(struct wbi_conn *c, int64_t deadline_ms, struct wbi_reply *ret)
{
	int flags = deadline_ms ? 0 : MSG_DONTWAIT;

	for (;;) {
		ssize_t n;
		int r = take(c, ret);

		if (r)
			return r < 0 ? r : 0;
		if (!is_ours(c))
			return -ECONNRESET;
		n = recv(c->fd, c->in + c->have, sizeof(c->in) - c->have, flags);
		if (n == 0)
			return -ECONNRESET;
		if (n > 0)
			c->have += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			return -ECONNRESET;
		else if (!deadline_ms && errno == EAGAIN)
			return -ETIMEDOUT;
		if (deadline_ms && wbi_now_ms() >= deadline_ms &&
		    !memchr(c->in, '\0', c->have)) {
			c->slow = true;
			return -ETIMEDOUT;
		}
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A client and a server in one thread: the loop is turned until something is there. */
#ifndef WB_TEST_VL_HARNESS_H
#define WB_TEST_VL_HARNESS_H

#include <ev.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/vl_frame.h"

#define PUMP_S 10 /* a limit against hanging, not a measure */

struct client {
	int fd;
	struct vl_in in;
};

static inline double test_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* An abstract address cannot be left behind. */
static inline int harness_listen(struct sockaddr_un *ret, socklen_t *ret_len)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	*ret_len = sizeof(sa_family_t); /* autobind */
	assert_int_equal(bind(fd, (struct sockaddr *)ret, *ret_len), 0);
	*ret_len = sizeof(*ret);
	assert_int_equal(getsockname(fd, (struct sockaddr *)ret, ret_len), 0);
	assert_int_equal(listen(fd, SOMAXCONN), 0);
	return fd;
}

static inline struct client dial(const struct sockaddr_un *sa, socklen_t len)
{
	struct client c = {.in.max = 64U << 20};

	c.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(c.fd >= 0);
	assert_int_equal(connect(c.fd, (const struct sockaddr *)sa, len), 0);
	return c;
}

static inline void hang_up(struct client *c)
{
	close(c->fd);
	c->fd = -1;
	vl_in_clear(&c->in);
}

static inline void turn(struct ev_loop *loop)
{
	ev_run(loop, EVRUN_NOWAIT);
}

/* Sends all of it, turning the loop; false if the server hung up. */
static inline bool say_bytes(struct ev_loop *loop, struct client *c, const void *data,
			     size_t len)
{
	const char *p = data;
	double end = test_now() + PUMP_S;

	while (len) {
		ssize_t n = send(c->fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			return false;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
		turn(loop);
		if (test_now() > end)
			return false;
	}
	return true;
}

/* A message with its NUL. */
static inline bool say(struct ev_loop *loop, struct client *c, const char *text)
{
	return say_bytes(loop, c, text, strlen(text) + 1);
}

/* The next message, or NULL when the server hung up; *@ret_closed tells a hang-up
 * from the time limit. */
static inline json_t *hear_or_end(struct ev_loop *loop, struct client *c,
				  bool *ret_closed)
{
	double end = test_now() + PUMP_S;
	size_t len = 0;
	char *msg;
	ssize_t n;

	*ret_closed = false;
	while (test_now() < end) {
		if (vl_in_next(&c->in, &msg, &len) == 1)
			return json_loadb(msg, len, 0, NULL);
		turn(loop);
		n = vl_in_read(&c->in, c->fd);
		if (n == 0 || n == -ECONNRESET) {
			*ret_closed = true;
			return NULL;
		}
	}
	return NULL;
}

static inline json_t *hear(struct ev_loop *loop, struct client *c)
{
	bool closed;
	json_t *j = hear_or_end(loop, c, &closed);

	assert_non_null(j);
	return j;
}

static inline void expect_closed(struct ev_loop *loop, struct client *c)
{
	bool closed;
	json_t *j = hear_or_end(loop, c, &closed);

	assert_null(j);
	assert_true(closed);
}

static inline void expect_error(struct ev_loop *loop, struct client *c, const char *name)
{
	json_t *j = hear(loop, c);

	assert_string_equal(json_string_value(json_object_get(j, "error")), name);
	json_decref(j);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* A blocking Varlink client over a Unix stream socket. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/vl_client.h"
#include "common/vl_frame.h"
#include "common/vl_msg.h"

/* A status of thousands of file systems is some MiB. */
#define ANSWER_MAX (32U << 20)
#define CONNECT_S  10

struct vl_client {
	int fd;
	struct vl_in in;
};

/* The kernel says the same of a socket without a listener and of any other file. */
static int connect_error(const char *path, int error)
{
	struct stat st;

	if (error == ECONNREFUSED && stat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	return -error;
}

int vl_client_open(const char *path, struct vl_client **ret)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = CONNECT_S};
	CLEANUP(cleanup_closep) int fd = -1;
	struct vl_client *c;

	if (strlen(path) >= sizeof(sa.sun_path))
		return -ENAMETOOLONG;
	strcpy(sa.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* A full backlog makes connect() wait; sending itself never blocks. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		return connect_error(path, errno);
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->fd = take_fd(&fd);
	c->in.max = ANSWER_MAX;
	*ret = c;
	return 0;
}

struct vl_client *vl_client_free(struct vl_client *c)
{
	if (c) {
		close(c->fd);
		vl_in_clear(&c->in);
		free(c);
	}
	return NULL;
}

int vl_client_fd(const struct vl_client *c)
{
	return c->fd;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Waits for @events until @deadline (-1: for ever). */
static int wait_for(int fd, short events, long long deadline)
{
	struct pollfd p = {.fd = fd, .events = events};
	long long left = -1;
	int r;

	do {
		if (deadline >= 0) {
			left = deadline - now_ms();
			if (left < 0)
				left = 0;
		}
		r = poll(&p, 1, (int)left);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return r ? 0 : -ETIMEDOUT;
}

int vl_client_send(struct vl_client *c, const char *method, json_t *params, bool more,
		   int timeout_ms)
{
	long long deadline = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	CLEANUP(cleanup_freep) char *text = NULL;
	struct vl_out out = {0};
	size_t len = 0;
	ssize_t n = 0;

	if (!params)
		params = json_object();
	text = vl_dump(json_pack("{ss so sb}", "method", method, "parameters", params,
				 "more", more ? 1 : 0),
		       &len);
	if (!text || vl_out_put(&out, text, len) < 0)
		return -ENOMEM;
	while (vl_out_pending(&out)) {
		n = vl_out_send(&out, c->fd);
		/* The server may have said why before it hung up. */
		if (n == -EPIPE || n == -ECONNRESET)
			n = 0, vl_out_clear(&out);
		if (n >= 0 && vl_out_pending(&out))
			n = wait_for(c->fd, POLLOUT, deadline);
		if (n < 0)
			break;
	}
	vl_out_clear(&out);
	return n < 0 ? (int)n : 0;
}

int vl_client_send_fd(struct vl_client *c, const char *method, json_t *params, int fd)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(sizeof(int))];
	} u = {.h = {.cmsg_len = CMSG_LEN(sizeof(int)),
		     .cmsg_level = SOL_SOCKET,
		     .cmsg_type = SCM_RIGHTS}};
	struct iovec v = {0};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &u,
			   .msg_controllen = sizeof(u)};
	ssize_t n;

	text = vl_dump(json_pack("{ss so}", "method", method, "parameters",
				 params ? params : json_object()),
		       &v.iov_len);
	if (!text)
		return -ENOMEM;
	v.iov_base = text;
	memcpy(CMSG_DATA(&u.h), &fd, sizeof(fd));
	do
		n = sendmsg(c->fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	/* A message this short goes as a whole or the server is not reading. */
	return (size_t)n == v.iov_len ? 0 : -ETIMEDOUT;
}

static int read_answer(const char *msg, size_t len, struct vl_answer *ret)
{
	json_t *j, *params, *error;
	const char *why;
	int r = vl_parse(msg, len, &j, &why);

	if (r < 0)
		return -EBADMSG;
	params = json_object_get(j, "parameters");
	error = json_object_get(j, "error");
	if ((params && !json_is_object(params) && !json_is_null(params)) ||
	    (error && !json_is_string(error) && !json_is_null(error))) {
		json_decref(j);
		return -EBADMSG;
	}
	*ret = (struct vl_answer){
		.params = json_is_object(params) ? json_incref(params) : json_object(),
		.error = json_is_string(error) ? strdup(json_string_value(error)) : NULL,
		.continues = json_is_true(json_object_get(j, "continues")),
	};
	json_decref(j);
	return 0;
}

int vl_client_receive(struct vl_client *c, int timeout_ms, struct vl_answer *ret)
{
	long long deadline = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	char *msg = NULL;
	size_t len = 0;
	ssize_t n;
	int r;

	for (;;) {
		r = vl_in_next(&c->in, &msg, &len);
		if (r < 0)
			return -EBADMSG;
		if (r)
			return read_answer(msg, len, ret);
		r = wait_for(c->fd, POLLIN, deadline);
		if (r < 0)
			return r;
		n = vl_in_read(&c->in, c->fd);
		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && n != -EAGAIN)
			return n == -ENOBUFS ? -EBADMSG : (int)n;
	}
}

void vl_answer_clear(struct vl_answer *a)
{
	json_decref(a->params);
	free(a->error);
	*a = (struct vl_answer){0};
}

int vl_client_call(struct vl_client *c, const char *method, json_t *params,
		   int timeout_ms, struct vl_answer *ret)
{
	int r = vl_client_send(c, method, params, false, timeout_ms);

	return r < 0 ? r : vl_client_receive(c, timeout_ms, ret);
}

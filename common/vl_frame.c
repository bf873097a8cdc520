// SPDX-License-Identifier: GPL-2.0-or-later
/* Varlink framing over a stream socket, with bounded buffers. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/vl_frame.h"

#define FIRST_CAP 4096

/* Room for at least one more byte, at most in->max in all. */
static int in_make_room(struct vl_in *in)
{
	size_t cap;
	char *p;

	if (in->head) {
		memmove(in->buf, in->buf + in->head, in->len - in->head);
		in->len -= in->head;
		in->scan -= in->head;
		in->head = 0;
	}
	if (in->len < in->cap)
		return 0;
	if (in->cap >= in->max)
		return -ENOBUFS;
	cap = in->cap ? in->cap * 2 : FIRST_CAP;
	if (cap > in->max)
		cap = in->max;
	p = realloc(in->buf, cap);
	if (!p)
		return -ENOMEM;
	in->buf = p;
	in->cap = cap;
	return 0;
}

ssize_t vl_in_read(struct vl_in *in, int fd)
{
	ssize_t n;
	int r = in_make_room(in);

	if (r < 0)
		return r;
	do
		n = read(fd, in->buf + in->len, in->cap - in->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	in->len += (size_t)n;
	return n;
}

static unsigned take_fds(struct msghdr *m, int *ret)
{
	unsigned n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		if (bytes > (VL_FDS_MAX - n) * sizeof(int))
			bytes = (VL_FDS_MAX - n) * sizeof(int);
		memcpy(ret + n, CMSG_DATA(c), bytes);
		n += (unsigned)(bytes / sizeof(int));
	}
	return n;
}

ssize_t vl_in_recv(struct vl_in *in, int fd, int ret_fds[VL_FDS_MAX], unsigned *ret_n)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(VL_FDS_MAX * sizeof(int))];
	} u;
	struct iovec v;
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u};
	ssize_t n;
	int r = in_make_room(in);

	if (r < 0)
		return r;
	v = (struct iovec){in->buf + in->len, in->cap - in->len};
	m.msg_controllen = sizeof(u);
	do
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	*ret_n = take_fds(&m, ret_fds);
	in->len += (size_t)n;
	return n;
}

ssize_t vl_in_feed(struct vl_in *in, const void *data, size_t len)
{
	int r = in_make_room(in);

	if (r < 0)
		return r;
	if (len > in->cap - in->len)
		len = in->cap - in->len;
	memcpy(in->buf + in->len, data, len);
	in->len += len;
	return (ssize_t)len;
}

int vl_in_next(struct vl_in *in, char **ret_msg, size_t *ret_len)
{
	char *nul;

	if (in->head == in->len) { /* an idle connection keeps no buffer */
		vl_in_clear(in);
		return 0;
	}
	nul = memchr(in->buf + in->scan, '\0', in->len - in->scan);
	if (!nul) {
		in->scan = in->len;
		return in->len - in->head >= in->max ? -EMSGSIZE : 0;
	}
	*ret_msg = in->buf + in->head;
	*ret_len = (size_t)(nul - *ret_msg);
	in->head = in->scan = (size_t)(nul - in->buf) + 1;
	return 1;
}

size_t vl_in_pending(const struct vl_in *in)
{
	return in->len - in->head;
}

void vl_in_clear(struct vl_in *in)
{
	size_t max = in->max;

	free(in->buf);
	*in = (struct vl_in){.max = max};
}

int vl_out_put(struct vl_out *out, const void *data, size_t len)
{
	size_t cap = out->cap ? out->cap : FIRST_CAP;
	char *p;

	if (out->head) {
		memmove(out->buf, out->buf + out->head, out->len - out->head);
		out->len -= out->head;
		out->head = 0;
	}
	if (len > SIZE_MAX / 4 - out->len)
		return -ENOMEM;
	while (cap < out->len + len)
		cap *= 2;
	if (cap != out->cap) {
		p = realloc(out->buf, cap);
		if (!p)
			return -ENOMEM;
		out->buf = p;
		out->cap = cap;
	}
	memcpy(out->buf + out->len, data, len);
	out->len += len;
	return 0;
}

ssize_t vl_out_send(struct vl_out *out, int fd)
{
	ssize_t n, sum = 0;

	while (out->head < out->len) {
		n = send(fd, out->buf + out->head, out->len - out->head,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? sum : -errno;
		out->head += (size_t)n;
		sum += n;
	}
	vl_out_clear(out);
	return sum;
}

size_t vl_out_pending(const struct vl_out *out)
{
	return out->len - out->head;
}

void vl_out_clear(struct vl_out *out)
{
	free(out->buf);
	*out = (struct vl_out){0};
}

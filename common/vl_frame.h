/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Varlink framing: messages are JSON texts that end with a NUL byte.  A bounded
 * buffer for each direction; neither knows what is in a message.
 */
#ifndef WB_VL_FRAME_H
#define WB_VL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What came in and is not yet taken.  All zero but @max is an empty buffer. */
struct vl_in {
	char *buf;
	size_t head; /* first byte not yet taken */
	size_t len;  /* bytes from the start of buf, taken ones included */
	size_t scan; /* no NUL in [head, scan) */
	size_t cap;
	size_t max; /* longest message, its NUL included */
};

/* Reads once.  Bytes read, 0 at the end of the stream, -EAGAIN, -ENOBUFS when
 * @max bytes wait to be taken already, or another -errno. */
ssize_t vl_in_read(struct vl_in *in, int fd);
/*
 * The same, and takes what descriptors came along: up to VL_FDS_MAX (all that one
 * message can carry, so that the kernel never has to close any of them in our
 * name).  They belong to the message in which the bytes of this read end, because
 * the kernel ends a read after bytes that carry descriptors.
 */
#define VL_FDS_MAX 253 /* SCM_MAX_FD */
ssize_t vl_in_recv(struct vl_in *in, int fd, int ret_fds[VL_FDS_MAX], unsigned *ret_n);
/* The same from memory (tests, fuzzing): takes as much as there is room for. */
ssize_t vl_in_feed(struct vl_in *in, const void *data, size_t len);
/*
 * Takes the next whole message: 1 and *@ret_msg (NUL-terminated, @ret_len bytes
 * before the NUL, valid until the next call on @in), 0 if it is not whole yet,
 * -EMSGSIZE if it is longer than allowed.
 */
int vl_in_next(struct vl_in *in, char **ret_msg, size_t *ret_len);
/* Bytes not taken. */
size_t vl_in_pending(const struct vl_in *in);
void vl_in_clear(struct vl_in *in);

/* What waits to be sent.  All zero is an empty queue. */
struct vl_out {
	char *buf;
	size_t head, len, cap;
};

/* Appends @len bytes.  0 or -ENOMEM. */
int vl_out_put(struct vl_out *out, const void *data, size_t len);
/* Sends what the socket takes now: bytes sent (perhaps 0), or -errno. */
ssize_t vl_out_send(struct vl_out *out, int fd);
size_t vl_out_pending(const struct vl_out *out);
void vl_out_clear(struct vl_out *out);

#endif

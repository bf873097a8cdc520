/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the Varlink server: one connection and its call. */
#ifndef WB_VL_CONN_H
#define WB_VL_CONN_H

#include <ev.h>
#include <sys/socket.h>

#include "common/vl_frame.h"
#include "common/vl_msg.h"
#include "daemon/vl_server.h"

#define VL_WAITING_MAX 8 /* messages with a descriptor behind a deferred call */

/* A descriptor that came with the bytes up to @end of the stream. */
struct vl_fd {
	uint64_t end;
	int fd;
	bool surplus; /* there were more */
};

struct vl_call {
	struct vl_conn *conn;
	int fd;
	json_t *msg; /* NULL: no call under way */
	struct vl_request req;
	bool deferred;
	void (*gone)(void *arg);
	void *gone_arg;
};

struct vl_conn {
	struct vl_server *server;
	struct vl_conn *next, **prevp;
	int fd;
	uid_t uid;
	gid_t gid;
	pid_t pid;
	uint64_t id;
	struct vl_fd fds[VL_WAITING_MAX];
	unsigned n_fds;
	uint64_t received, taken; /* bytes of the stream */
	struct ev_io rd, wr;
	struct ev_timer half;  /* a message has begun and must end */
	struct ev_timer stuck; /* answers wait and the client does not read */
	struct vl_in in;
	struct vl_out out;
	struct vl_call call;
	bool eof;     /* the client sends no more */
	bool no_room; /* not read: its user's descriptors wait to be closed */
	bool closing; /* hang up when the answers are sent */
	bool doomed;  /* is freed from the loop, never from within a call */
};

struct vl_server {
	struct ev_loop *loop;
	struct ev_io accept;
	int fd, spare_fd;
	const char *prefix;
	const struct vl_server_ops *ops;
	void *arg;
	struct vl_conn *conns;
	unsigned n_conns;
	uint64_t last_id;
	double patience;
};

/* Takes over @fd also on failure. */
int vl_conn_new(struct vl_server *s, int fd, const struct ucred *cred);
void vl_conn_free(struct vl_conn *c);
void vl_conn_resume(struct vl_conn *c);
void vl_drop_fd(struct vl_server *s, uid_t uid, int fd);
/* A connection's own: what waits in it unread may hold descriptors as well. */
void vl_drop_socket(struct vl_server *s, uid_t uid, int fd);
/* Queues a whole text; a queue that is full dooms the connection. */
void vl_conn_put(struct vl_conn *c, const char *text, size_t len);
void vl_conn_doom(struct vl_conn *c);
/* The call is over: the next one may be taken. */
void vl_conn_call_done(struct vl_conn *c);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the Varlink server: one connection and its call. */
#ifndef WB_VL_CONN_H
#define WB_VL_CONN_H

#include <ev.h>

#include "common/vl_frame.h"
#include "common/vl_msg.h"
#include "daemon/vl_server.h"

struct vl_call {
	struct vl_conn *conn;
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
	struct ev_io rd, wr;
	struct ev_timer half;  /* a message has begun and must end */
	struct ev_timer stuck; /* answers wait and the client does not read */
	struct vl_in in;
	struct vl_out out;
	struct vl_call call;
	bool eof;     /* the client sends no more */
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
	double patience;
};

/* Takes over @fd also on failure. */
int vl_conn_new(struct vl_server *s, int fd, uid_t uid, gid_t gid);
void vl_conn_free(struct vl_conn *c);
/* Queues a whole text; a queue that is full dooms the connection. */
void vl_conn_put(struct vl_conn *c, const char *text, size_t len);
void vl_conn_doom(struct vl_conn *c);
/* The call is over: the next one may be taken. */
void vl_conn_call_done(struct vl_conn *c);

#endif

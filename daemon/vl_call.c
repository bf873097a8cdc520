// SPDX-License-Identifier: GPL-2.0-or-later
/* A Varlink call as its handler sees it: who calls, and the ways to answer. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/cleanup.h"
#include "daemon/vl_conn.h"

const char *vl_call_method(const struct vl_call *c)
{
	return c->req.method;
}

json_t *vl_call_params(const struct vl_call *c)
{
	return c->req.params;
}

bool vl_call_more(const struct vl_call *c)
{
	return c->req.more;
}

bool vl_call_oneway(const struct vl_call *c)
{
	return c->req.oneway;
}

int vl_call_take_fd(struct vl_call *c)
{
	return take_fd(&c->fd);
}

uint64_t vl_call_conn_id(const struct vl_call *c)
{
	return c->conn->id;
}

pid_t vl_call_pid(const struct vl_call *c)
{
	return c->conn->pid;
}

uid_t vl_call_uid(const struct vl_call *c)
{
	return c->conn->uid;
}

bool vl_call_in_group(const struct vl_call *c, gid_t gid)
{
	CLEANUP(cleanup_freep) gid_t *g = NULL;
	socklen_t len = 0;

	if (c->conn->gid == gid)
		return true;
	/* The kernel's record of connect time: no lookup that could block. */
	if (getsockopt(c->conn->fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &len) == 0 || !len)
		return false;
	g = malloc(len);
	if (!g || getsockopt(c->conn->fd, SOL_SOCKET, SO_PEERGROUPS, g, &len) < 0)
		return false;
	for (size_t i = 0; i < len / sizeof(*g); i++)
		if (g[i] == gid)
			return true;
	return false;
}

static void send_msg(struct vl_call *c, json_t *msg)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	size_t len = 0;

	if (c->req.oneway) {
		json_decref(msg);
		return;
	}
	text = vl_dump(msg, &len);
	if (text)
		vl_conn_put(c->conn, text, len);
	else
		vl_conn_doom(c->conn);
}

void vl_call_reply(struct vl_call *c, json_t *params)
{
	send_msg(c, vl_reply(params, false));
	vl_conn_call_done(c->conn);
}

void vl_call_error(struct vl_call *c, const char *error, json_t *params)
{
	send_msg(c, vl_error(error, params));
	vl_conn_call_done(c->conn);
}

void vl_call_continue(struct vl_call *c, json_t *params)
{
	send_msg(c, vl_reply(params, true));
}

void vl_call_continue_text(struct vl_call *c, const char *text, size_t len)
{
	if (!c->req.oneway)
		vl_conn_put(c->conn, text, len);
}

void vl_call_defer(struct vl_call *c, void (*gone)(void *arg), void *arg)
{
	c->deferred = true;
	c->gone = gone;
	c->gone_arg = arg;
}

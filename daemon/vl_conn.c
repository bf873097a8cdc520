// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One Varlink connection: reads and writes what the socket takes, hands whole
 * messages on one by one, and gives up on a client that breaks the limits.
 *
 * Answers may be made deep inside somebody else's callback (an engine's event),
 * so a connection is only ever freed from the loop: it is doomed first.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "daemon/vl_conn.h"

/* With so much unsent no further call is taken: pipelining cannot fill the queue. */
#define QUEUE_LOW      (64U << 10)
#define READS_PER_TURN 16 /* the loop has other work as well */

static bool may_take_call(const struct vl_conn *c)
{
	return !c->doomed && !c->closing && !c->call.msg &&
	       vl_out_pending(&c->out) < QUEUE_LOW;
}

/* The watchers follow from the state; called after each change of it. */
static void conn_watch(struct vl_conn *c)
{
	struct ev_loop *loop = c->server->loop;

	if (c->doomed)
		return;
	if (!c->eof && !c->no_room && c->n_fds < VL_WAITING_MAX &&
	    (c->call.msg || may_take_call(c)))
		ev_io_start(loop, &c->rd);
	else
		ev_io_stop(loop, &c->rd);
	if (vl_out_pending(&c->out)) {
		ev_io_start(loop, &c->wr);
		if (!ev_is_active(&c->stuck))
			ev_timer_again(loop, &c->stuck);
	} else {
		ev_io_stop(loop, &c->wr);
		ev_timer_stop(loop, &c->stuck);
	}
	/* Not restarted by each byte: a drip does not buy time. */
	if (!may_take_call(c) || c->no_room || !vl_in_pending(&c->in))
		ev_timer_stop(loop, &c->half);
	else if (!ev_is_active(&c->half))
		ev_timer_again(loop, &c->half);
}

void vl_conn_doom(struct vl_conn *c)
{
	if (c->doomed)
		return;
	c->doomed = true;
	ev_io_stop(c->server->loop, &c->rd);
	ev_io_stop(c->server->loop, &c->wr);
	ev_feed_event(c->server->loop, &c->wr, EV_CUSTOM);
}

static void conn_send(struct vl_conn *c)
{
	ssize_t n;

	if (c->doomed || !vl_out_pending(&c->out))
		return;
	n = vl_out_send(&c->out, c->fd);
	if (n < 0) {
		vl_conn_doom(c);
		return;
	}
	if (n > 0)
		ev_timer_stop(c->server->loop, &c->stuck);
}

void vl_conn_put(struct vl_conn *c, const char *text, size_t len)
{
	size_t waiting = vl_out_pending(&c->out);

	if (c->doomed)
		return;
	/* How long one answer is, the system decides, not the client: the limit is
	 * for what piles up. */
	if ((waiting && waiting + len > VL_QUEUE_MAX) ||
	    vl_out_put(&c->out, text, len) < 0) {
		vl_conn_doom(c);
		return;
	}
	conn_send(c);
	conn_watch(c);
}

/* ---- descriptors ---------------------------------------------------------- */

void vl_drop_fd(struct vl_server *s, uid_t uid, int fd)
{
	if (fd < 0)
		return;
	if (s->ops->drop_fd)
		s->ops->drop_fd(uid, fd, s->arg);
	else
		(void)close(fd);
}

void vl_drop_socket(struct vl_server *s, uid_t uid, int fd)
{
	int unread = 0;

	(void)shutdown(fd, SHUT_RD); /* from now on nothing more comes in */
	if (ioctl(fd, FIONREAD, &unread) == 0 && unread)
		vl_drop_fd(s, uid, fd);
	else
		(void)close(fd);
}

/* Keeps the first of those that came with one message, if any. */
static void conn_keep_fds(struct vl_conn *c, const int *fds, unsigned n)
{
	if (!n)
		return;
	c->fds[c->n_fds++] = (struct vl_fd){c->received, fds[0], n > 1};
	for (unsigned i = 1; i < n; i++)
		vl_drop_fd(c->server, c->uid, fds[i]);
}

/* What came with the message that ends at c->taken.  -E2BIG: more than one. */
static int conn_fd_of_message(struct vl_conn *c)
{
	bool surplus = false;
	int fd = -1;

	while (c->n_fds && c->fds[0].end <= c->taken) {
		surplus |= c->fds[0].surplus || fd >= 0;
		if (fd >= 0)
			vl_drop_fd(c->server, c->uid, fd);
		fd = c->fds[0].fd;
		memmove(c->fds, c->fds + 1, --c->n_fds * sizeof(*c->fds));
	}
	if (!surplus)
		return fd;
	vl_drop_fd(c->server, c->uid, fd);
	return -E2BIG;
}

void vl_conn_call_done(struct vl_conn *c)
{
	json_decref(c->call.msg);
	vl_drop_fd(c->server, c->uid, c->call.fd);
	/* A deferred call ends inside a callback of the engine: the next one is
	 * taken from the loop. */
	if (c->call.deferred && !c->doomed)
		ev_feed_event(c->server->loop, &c->rd, EV_CUSTOM);
	memset(&c->call, 0, sizeof(c->call));
	c->call.conn = c;
	c->call.fd = -1;
}

/* Not Varlink: says why, then hangs up. */
static void conn_refuse(struct vl_conn *c, const char *why)
{
	size_t len = 0;
	char name[128];
	char *text;

	snprintf(name, sizeof(name), "%s.ProtocolError", c->server->prefix);
	text = vl_dump(vl_error(name, json_pack("{ss}", "reason", why)), &len);
	c->closing = true;
	if (text)
		vl_conn_put(c, text, len);
	else
		vl_conn_doom(c);
	free(text);
}

static void refuse_fd(struct vl_conn *c, const char *why)
{
	char name[128];

	snprintf(name, sizeof(name), "%s.BadDescriptor", c->server->prefix);
	vl_call_error(&c->call, name, json_pack("{ss}", "reason", why));
}

static bool takes_fd(const struct vl_conn *c)
{
	const struct vl_server *s = c->server;

	return s->ops->takes_fd && s->ops->takes_fd(c->call.req.method, s->arg);
}

/* The call's one descriptor goes into it; false: refused. */
static bool conn_attach_fd(struct vl_conn *c, int fd)
{
	if (fd >= 0 && !takes_fd(c)) {
		vl_drop_fd(c->server, c->uid, fd);
		refuse_fd(c, "this method takes no descriptor");
		return false;
	}
	if (fd == -E2BIG) {
		refuse_fd(c, "more than one descriptor came with the message");
		return false;
	}
	c->call.fd = fd;
	return true;
}

static void conn_message(struct vl_conn *c, const char *msg, size_t len)
{
	int fd = conn_fd_of_message(c);
	const char *why = NULL;
	json_t *j;

	if (vl_parse(msg, len, &j, &why) < 0) {
		vl_drop_fd(c->server, c->uid, fd);
		conn_refuse(c, why);
		return;
	}
	if (vl_request_read(j, &c->call.req, &why) < 0) {
		vl_drop_fd(c->server, c->uid, fd);
		json_decref(j);
		conn_refuse(c, why);
		return;
	}
	c->call.msg = j;
	if (!conn_attach_fd(c, fd))
		return;
	if (c->call.req.upgrade)
		vl_call_error(&c->call, "org.varlink.service.InvalidParameter",
			      json_pack("{ss}", "parameter", "upgrade"));
	else
		c->server->ops->call(&c->call, c->server->arg);
}

/* A handler that neither answered nor deferred is ours to notice. */
static void conn_check_answered(struct vl_conn *c)
{
	if (c->call.msg && !c->call.deferred)
		vl_call_error(&c->call, "org.varlink.service.MethodNotImplemented",
			      json_pack("{ss}", "method", c->call.req.method));
}

static void conn_process(struct vl_conn *c)
{
	size_t len = 0;
	char *msg;
	int r = 0;

	while (may_take_call(c)) {
		r = vl_in_next(&c->in, &msg, &len);
		if (r <= 0)
			break;
		c->taken += len + 1;
		conn_message(c, msg, len);
		conn_check_answered(c);
	}
	if (r < 0)
		conn_refuse(c, "the message is longer than 64 KiB");
	/* Nobody sends any more: what is answered is sent, then it is over.  A call
	 * that is deferred has nobody left to wait for it. */
	if (!c->doomed && c->eof && (c->call.msg || may_take_call(c)))
		c->closing = true;
	if (c->closing && !vl_out_pending(&c->out))
		vl_conn_doom(c);
	conn_watch(c);
}

/* False: nothing is read until vl_server_resume(). */
static bool has_room(struct vl_conn *c)
{
	const struct vl_server *s = c->server;

	c->no_room = s->ops->room_fd && !s->ops->room_fd(c->uid, s->arg);
	return !c->no_room;
}

void vl_conn_resume(struct vl_conn *c)
{
	if (!c->no_room)
		return;
	c->no_room = false; /* asked anew before the next read */
	conn_watch(c);
}

/* True: there may be more at once. */
static bool read_once(struct vl_conn *c)
{
	int fds[VL_FDS_MAX];
	unsigned n_fds = 0;
	ssize_t n = -EAGAIN;

	if (c->n_fds < VL_WAITING_MAX && has_room(c))
		n = vl_in_recv(&c->in, c->fd, fds, &n_fds);
	if (n > 0)
		c->received += (size_t)n;
	conn_keep_fds(c, fds, n_fds);
	if (n == 0)
		c->eof = true;
	else if (n < 0 && n != -EAGAIN)
		vl_conn_doom(c); /* -ENOBUFS: 64 KiB of calls behind a deferred one */
	conn_process(c);
	return n_fds && may_take_call(c);
}

static void on_read(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct vl_conn *c = w->data;

	(void)loop;
	if (c->doomed)
		return;
	if (!(revents & EV_READ)) {
		conn_process(c);
		return;
	}
	/* The kernel gives one message at a time where descriptors come with them. */
	for (int i = 0; i < READS_PER_TURN && read_once(c); i++)
		;
}

static void on_write(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct vl_conn *c = w->data;

	(void)loop;
	(void)revents;
	if (c->doomed) {
		vl_conn_free(c);
		return;
	}
	conn_send(c);
	conn_process(c);
}

static void on_half(struct ev_loop *loop, struct ev_timer *t, int revents)
{
	struct vl_conn *c = t->data;

	(void)revents;
	ev_timer_stop(loop, t);
	if (c->doomed)
		return;
	conn_refuse(c, "the message did not end in time");
	conn_process(c);
}

static void on_stuck(struct ev_loop *loop, struct ev_timer *t, int revents)
{
	(void)revents;
	ev_timer_stop(loop, t);
	vl_conn_doom(t->data);
}

int vl_conn_new(struct vl_server *s, int fd, const struct ucred *cred)
{
	struct vl_conn *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return -ENOMEM;
	}
	c->server = s;
	c->fd = fd;
	c->uid = cred->uid;
	c->gid = cred->gid;
	c->pid = cred->pid;
	c->id = ++s->last_id;
	c->call.fd = -1;
	c->in.max = VL_MESSAGE_MAX;
	c->call.conn = c;
	ev_io_init(&c->rd, on_read, fd, EV_READ);
	ev_io_init(&c->wr, on_write, fd, EV_WRITE);
	ev_timer_init(&c->half, on_half, 0., s->patience);
	ev_timer_init(&c->stuck, on_stuck, 0., s->patience);
	c->rd.data = c->wr.data = c->half.data = c->stuck.data = c;
	c->next = s->conns;
	c->prevp = &s->conns;
	if (c->next)
		c->next->prevp = &c->next;
	s->conns = c;
	s->n_conns++;
	ev_io_start(s->loop, &c->rd);
	return 0;
}

void vl_conn_free(struct vl_conn *c)
{
	struct vl_server *s = c->server;

	c->doomed = true;
	ev_io_stop(s->loop, &c->rd);
	ev_io_stop(s->loop, &c->wr);
	ev_timer_stop(s->loop, &c->half);
	ev_timer_stop(s->loop, &c->stuck);
	if (c->call.deferred && c->call.gone)
		c->call.gone(c->call.gone_arg);
	if (s->ops->closed)
		s->ops->closed(c->id, s->arg);
	json_decref(c->call.msg);
	vl_drop_fd(s, c->uid, c->call.fd);
	for (unsigned i = 0; i < c->n_fds; i++)
		vl_drop_fd(s, c->uid, c->fds[i].fd);
	*c->prevp = c->next;
	if (c->next)
		c->next->prevp = c->prevp;
	s->n_conns--;
	vl_drop_socket(s, c->uid, c->fd);
	vl_in_clear(&c->in);
	vl_out_clear(&c->out);
	free(c);
}

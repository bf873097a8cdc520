// SPDX-License-Identifier: GPL-2.0-or-later
/* The Varlink server: new connections, and how many of them there may be. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/vl_conn.h"

#define PATIENCE_S      10.
#define ACCEPT_PER_TURN 64 /* the loop has other work as well */

static unsigned count_uid(const struct vl_server *s, uid_t uid)
{
	unsigned n = 0;

	for (const struct vl_conn *c = s->conns; c; c = c->next)
		n += !c->doomed && c->uid == uid;
	return n;
}

/* One ordinary user gets half, all of them seven eighths: root always gets in. */
static bool has_room(const struct vl_server *s, uid_t uid)
{
	unsigned max = s->ops->connections(s->arg);

	if (s->n_conns >= max)
		return false;
	if (uid == 0)
		return true;
	return s->n_conns < max - max / 8 && count_uid(s, uid) < (max + 1) / 2;
}

/* A few bytes into an empty socket buffer: they fit or they do not matter. */
static void turn_away(struct vl_server *s, uid_t uid, int fd)
{
	size_t len = 0;
	char name[128];
	char *text;

	snprintf(name, sizeof(name), "%s.TooManyConnections", s->prefix);
	text = vl_dump(vl_error(name, json_object()), &len);
	if (text)
		(void)send(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	free(text);
	vl_drop_socket(s, uid, fd);
}

/* Out of descriptors the listening socket would stay readable and the loop spin:
 * the spare one is given up for the moment it takes to hang up on the client. */
static void shed_one(struct vl_server *s)
{
	int fd;

	if (s->spare_fd < 0)
		return;
	close(s->spare_fd);
	fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool accept_one(struct vl_server *s)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
		shed_one(s);
		return true;
	}
	if (fd < 0)
		return errno == ECONNABORTED || errno == EINTR;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		close(fd);
	else if (!has_room(s, cred.uid))
		turn_away(s, cred.uid, fd);
	else
		(void)vl_conn_new(s, fd, &cred);
	return true;
}

static void on_accept(struct ev_loop *loop, struct ev_io *w, int revents)
{
	struct vl_server *s = w->data;

	(void)revents;
	for (int i = 0; i < ACCEPT_PER_TURN; i++) {
		/* Who is turned away may have sent descriptors already. */
		if (s->ops->room_fd && !s->ops->room_fd(0, s->arg)) {
			ev_io_stop(loop, w);
			break;
		}
		if (!accept_one(s))
			break;
	}
}

void vl_server_resume(struct vl_server *s)
{
	ev_io_start(s->loop, &s->accept);
	for (struct vl_conn *c = s->conns; c; c = c->next)
		vl_conn_resume(c);
}

int vl_server_new(struct ev_loop *loop, int listen_fd, const char *prefix,
		  const struct vl_server_ops *ops, void *arg, struct vl_server **ret)
{
	struct vl_server *s = calloc(1, sizeof(*s));

	if (!s) {
		close(listen_fd);
		return -ENOMEM;
	}
	/* Passed by the service manager it may be a blocking one. */
	(void)fcntl(listen_fd, F_SETFL, O_NONBLOCK);
	*s = (struct vl_server){
		.loop = loop,
		.fd = listen_fd,
		.spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
		.prefix = prefix,
		.ops = ops,
		.arg = arg,
		.patience = PATIENCE_S,
	};
	ev_io_init(&s->accept, on_accept, listen_fd, EV_READ);
	s->accept.data = s;
	ev_io_start(loop, &s->accept);
	*ret = s;
	return 0;
}

struct vl_server *vl_server_free(struct vl_server *s)
{
	if (!s)
		return NULL;
	ev_io_stop(s->loop, &s->accept);
	while (s->conns)
		vl_conn_free(s->conns);
	close(s->fd);
	if (s->spare_fd >= 0)
		close(s->spare_fd);
	free(s);
	return NULL;
}

unsigned vl_server_connections(const struct vl_server *s)
{
	return s->n_conns;
}

void vl_server_set_patience(struct vl_server *s, double seconds)
{
	s->patience = seconds;
}

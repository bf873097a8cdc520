// SPDX-License-Identifier: GPL-2.0-or-later
/* A Varlink server for the tests of libwb; see libwb_server.h. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/libwb_server.h"

#define CLIENTS 64

struct peer {
	int fd;
	size_t have;
	char in[4096];
};

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		abort();
	}
}

static void note_descriptor(struct server *s, struct msghdr *m)
{
	for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
		struct stat st;
		int fd;

		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(&fd, CMSG_DATA(h), sizeof(fd));
		if (fstat(fd, &st) == 0)
			s->ino = st.st_ino;
		close(fd);
		s->descriptors++;
	}
}

static bool answer(struct server *s, const struct peer *p)
{
	const char *reply = s->reply;
	size_t len = s->reply_len;

	switch ((int)s->mood) {
	case SERVER_SILENT:
		return true;
	case SERVER_HANGS_UP:
		return false;
	case SERVER_HANGS_UP_HALFWAY:
		(void)send(p->fd, reply, len / 2, MSG_NOSIGNAL);
		return false;
	default:
		while (len) {
			ssize_t n = send(p->fd, reply, len, MSG_NOSIGNAL);

			if (n < 0)
				return false;
			reply += n;
			len -= (size_t)n;
		}
		return true;
	}
}

/* False: this connection is over. */
static bool serve(struct server *s, struct peer *p)
{
	char control[CMSG_SPACE(4 * sizeof(int))], *nul;
	struct iovec iov = {p->in + p->have, sizeof(p->in) - p->have};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(p->fd, &m, MSG_CMSG_CLOEXEC);
	bool oneway;

	if (n <= 0)
		return false;
	note_descriptor(s, &m);
	p->have += (size_t)n;
	while ((nul = memchr(p->in, '\0', p->have))) {
		size_t used = (size_t)(nul - p->in) + 1;

		oneway = strstr(p->in, "\"oneway\":true") != NULL;
		snprintf(s->last, sizeof(s->last), "%.500s", p->in);
		if (strstr(p->in, "io.writeback.Hint"))
			snprintf(s->hint, sizeof(s->hint), "%.500s", p->in);
		s->messages++;
		memmove(p->in, nul + 1, p->have - used);
		p->have -= used;
		if (!oneway && !answer(s, p))
			return false;
	}
	return true;
}

static void *run(void *arg)
{
	struct server *s = arg;
	static struct peer peers[CLIENTS];
	struct pollfd p[CLIENTS + 2];
	unsigned n = 0;

	for (;;) {
		p[0] = (struct pollfd){.fd = s->wake[0], .events = POLLIN};
		p[1] = (struct pollfd){.fd = s->listen_fd, .events = POLLIN};
		for (unsigned i = 0; i < n; i++)
			p[i + 2] = (struct pollfd){.fd = peers[i].fd, .events = POLLIN};
		if (poll(p, n + 2, -1) < 0)
			continue;
		if (p[0].revents)
			break;
		for (unsigned i = n; i-- > 0;)
			if (p[i + 2].revents && !serve(s, &peers[i])) {
				close(peers[i].fd);
				peers[i] = peers[--n];
			}
		if (p[1].revents && n < CLIENTS) {
			peers[n].have = 0;
			peers[n].fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);
			if (peers[n].fd >= 0) {
				s->connections++;
				n++;
			}
		}
	}
	while (n)
		close(peers[--n].fd);
	return NULL;
}

void server_again(struct server *s)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	strcpy(sa.sun_path, s->path);
	(void)unlink(s->path);
	s->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(bind(s->listen_fd, (struct sockaddr *)&sa, sizeof(sa)) == 0, "bind");
	must(listen(s->listen_fd, 16) == 0, "listen");
	must(pipe(s->wake) == 0, "pipe");
	must(pthread_create(&s->thread, NULL, run, s) == 0, "pthread_create");
	s->runs = true;
}

void server_start(struct server *s)
{
	memset(s, 0, sizeof(*s));
	strcpy(s->dir, "/tmp/wb-libwb.XXXXXX");
	must(mkdtemp(s->dir) != NULL, "mkdtemp");
	snprintf(s->path, sizeof(s->path), "%s/sock", s->dir);
	server_again(s);
	setenv("WB_SOCKET", s->path, 1);
}

void server_kill(struct server *s)
{
	if (!s->runs)
		return;
	must(write(s->wake[1], "", 1) == 1, "write");
	pthread_join(s->thread, NULL);
	close(s->listen_fd);
	close(s->wake[0]);
	close(s->wake[1]);
	s->runs = false;
}

void server_remove(struct server *s)
{
	server_kill(s);
	(void)unlink(s->path);
	(void)rmdir(s->dir);
}

void server_reply_bytes(struct server *s, const char *bytes, size_t len)
{
	s->reply = bytes;
	s->reply_len = len;
}

void server_reply(struct server *s, const char *text)
{
	server_reply_bytes(s, text, strlen(text) + 1);
}

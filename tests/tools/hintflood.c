/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hintflood DIR UID METHOD COUNT EACH [FD]
 *
 * Sends COUNT one-way calls as user UID to DIR/io.writeback, with EACH descriptors, and
 * reads nothing.  Without FD each is a new TCP connection of which this program keeps no
 * copy and whose close() waits (SO_LINGER) until this program ends.  Prints "sent", or
 * "stalled" when the daemon has taken nothing for a second; then waits for the end of
 * standard input.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/tools/fdcall.h"

#define STALL_MS 1000

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int listen_tcp(struct sockaddr_in *sa)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 1;
	socklen_t len = sizeof(*sa);

	*sa = (struct sockaddr_in){.sin_family = AF_INET};
	sa->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)) < 0 ||
	    bind(fd, (struct sockaddr *)sa, sizeof(*sa)) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, (struct sockaddr *)sa, &len) < 0)
		die("hintflood: listen");
	return fd;
}

/* Its other end stays open, and is never read from. */
static int lingering(int listener, const struct sockaddr_in *sa)
{
	const struct linger on = {.l_onoff = 1, .l_linger = 600};
	static char data[4096];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)) < 0 ||
	    connect(fd, (const struct sockaddr *)sa, sizeof(*sa)) < 0 ||
	    accept4(listener, NULL, NULL, SOCK_CLOEXEC) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &on, sizeof(on)) < 0)
		die("hintflood: a connection that lingers");
	while (send(fd, data, sizeof(data), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
	return fd;
}

/* False: nothing is taken any more. */
static bool send_call(int sock, const char *text, const int *fds, size_t n)
{
	struct pollfd p = {.fd = sock, .events = POLLOUT};

	while (fdcall_send(sock, text, strlen(text) + 1, fds, n, MSG_DONTWAIT) < 0) {
		if (errno != EAGAIN && errno != ETOOMANYREFS)
			die("hintflood: send");
		if (poll(&p, 1, STALL_MS) == 0 || errno == ETOOMANYREFS)
			return false;
	}
	return true;
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Where the daemon was faster, ours is the last, and waits: until a signal comes. */
static void close_ours(int fd)
{
	const struct itimerval soon = {.it_value.tv_usec = 5000}, off = {0};

	(void)setitimer(ITIMER_REAL, &soon, NULL);
	(void)close(fd);
	(void)setitimer(ITIMER_REAL, &off, NULL);
}

static bool flood(int sock, const char *text, unsigned long count, size_t each, int given)
{
	int fds[FDS], listener = -1;
	struct sockaddr_in sa;
	bool taken = true;

	if (given < 0)
		listener = listen_tcp(&sa);
	for (unsigned long i = 0; i < count && taken; i++) {
		for (size_t k = 0; k < each; k++)
			fds[k] = given < 0 ? lingering(listener, &sa) : given;
		taken = send_call(sock, text, fds, each);
		/* What was not sent would make our own close() wait. */
		for (size_t k = 0; k < each && taken && given < 0; k++)
			close_ours(fds[k]);
	}
	return taken;
}

int main(int argc, char **argv)
{
	unsigned long count, each;
	const struct sigaction sa = {.sa_handler = on_alarm};
	struct rlimit l;
	char text[256];
	uid_t uid;
	int sock;

	if (argc != 6 && argc != 7) {
		fputs("usage: hintflood DIR UID METHOD COUNT EACH [FD]\n", stderr);
		return 2;
	}
	uid = (uid_t)strtoul(argv[2], NULL, 10);
	count = strtoul(argv[4], NULL, 10);
	each = strtoul(argv[5], NULL, 10);
	if (!each || each > FDS || chdir(argv[1]) < 0)
		die("hintflood");
	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &l);
	}
	if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		die("hintflood: setresuid");
	snprintf(text, sizeof(text),
		 "{\"method\":\"io.writeback.%s\",\"parameters\":{\"write_size\":65536},"
		 "\"oneway\":true}",
		 argv[3]);
	(void)sigaction(SIGALRM, &sa, NULL);
	sock = fdcall_dial("io.writeback");
	if (sock < 0)
		die("hintflood: io.writeback");
	puts(flood(sock, text, count, each, argc == 7 ? atoi(argv[6]) : -1) ? "sent"
									    : "stalled");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}

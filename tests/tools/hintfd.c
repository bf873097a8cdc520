// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hintfd [-n COUNT] [-k] SOCKET METHOD PARAMETERS FD...
 *
 * One call of io.writeback.METHOD with descriptors that the shell has opened; prints
 * the reply and exits with 1 if it is an error.  -n: sends it COUNT times, reads the
 * replies, prints the last.  -k: then waits until it is killed.
 */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FDS 253

static int dial(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(sa.sun_path))
		return -1;
	strcpy(sa.sun_path, path);
	return connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 ? -1 : fd;
}

static int send_one(int sock, const char *text, const int *fds, size_t n)
{
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(FDS * sizeof(int))];
	} u = {0};
	struct iovec v = {(void *)(size_t)text, strlen(text) + 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	if (n) {
		m.msg_control = &u;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		u.h.cmsg_len = CMSG_LEN(n * sizeof(int));
		u.h.cmsg_level = SOL_SOCKET;
		u.h.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&u.h), fds, n * sizeof(int));
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* One message, without its NUL. */
static int receive(int sock, char *buf, size_t size)
{
	size_t n = 0;

	while (n < size) {
		ssize_t r = read(sock, buf + n, 1);

		if (r <= 0)
			return -1;
		if (!buf[n++])
			return 0;
	}
	return -1;
}

static int usage(void)
{
	fputs("usage: hintfd [-n COUNT] [-k] SOCKET METHOD PARAMETERS FD...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned long count = 1;
	char text[1024], reply[65536];
	bool keep = false;
	int fds[FDS], c, sock;
	size_t n = 0;
	json_t *j;

	while ((c = getopt(argc, argv, "n:k")) != -1) {
		if (c == 'n')
			count = strtoul(optarg, NULL, 10);
		else if (c == 'k')
			keep = true;
		else
			return usage();
	}
	if (argc - optind < 3)
		return usage();
	for (int i = optind + 3; i < argc && n < FDS; i++)
		fds[n++] = atoi(argv[i]);
	sock = dial(argv[optind]);
	if (sock < 0) {
		perror(argv[optind]);
		return 1;
	}
	snprintf(text, sizeof(text), "{\"method\":\"io.writeback.%s\",\"parameters\":%s}",
		 argv[optind + 1], argv[optind + 2]);
	for (unsigned long i = 0; i < count; i++)
		if (send_one(sock, text, fds, n) < 0 ||
		    receive(sock, reply, sizeof(reply)) < 0) {
			fputs("hintfd: the daemon hung up\n", stderr);
			return 1;
		}
	puts(reply);
	fflush(stdout);
	if (keep)
		pause();
	j = json_loads(reply, 0, NULL);
	c = json_object_get(j, "error") != NULL;
	json_decref(j);
	return c;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hintfd [-n COUNT] [-k] [-p BYTES] SOCKET METHOD PARAMETERS FD...
 *
 * One call of io.writeback.METHOD with descriptors that the shell has opened; prints
 * the reply and exits with 1 if it is an error.  -n: sends it COUNT times, reads the
 * replies, prints the last.  -k: then waits until it is killed.  -p: sends so much of
 * the message, with the descriptors, prints "part", and waits until it is killed.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tools/fdcall.h"

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

static void send_part(int sock, const char *text, size_t part, const int *fds, size_t n)
{
	if (part > strlen(text) || fdcall_send(sock, text, part, fds, n, 0) < 0)
		return;
	puts("part");
	fflush(stdout);
	pause();
}

static int usage(void)
{
	fputs("usage: hintfd [-n COUNT] [-k] [-p BYTES] SOCKET METHOD PARAMETERS FD...\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned long count = 1, part = 0;
	char text[1024], reply[65536];
	bool keep = false;
	int fds[FDS], c, sock;
	size_t n = 0;
	json_t *j;

	while ((c = getopt(argc, argv, "n:kp:")) != -1) {
		if (c == 'n')
			count = strtoul(optarg, NULL, 10);
		else if (c == 'k')
			keep = true;
		else if (c == 'p')
			part = strtoul(optarg, NULL, 10);
		else
			return usage();
	}
	if (argc - optind < 3)
		return usage();
	for (int i = optind + 3; i < argc && n < FDS; i++)
		fds[n++] = atoi(argv[i]);
	sock = fdcall_dial(argv[optind]);
	if (sock < 0) {
		perror(argv[optind]);
		return 1;
	}
	snprintf(text, sizeof(text), "{\"method\":\"io.writeback.%s\",\"parameters\":%s}",
		 argv[optind + 1], argv[optind + 2]);
	if (part) {
		send_part(sock, text, part, fds, n);
		return 1;
	}
	for (unsigned long i = 0; i < count; i++)
		if (fdcall_send(sock, text, strlen(text) + 1, fds, n, 0) < 0 ||
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

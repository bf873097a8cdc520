/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The smallest Varlink client: vl SOCKET METHOD [PARAMETERS].  Sends one call, prints
 * the reply's message, and fails (1) if it is an error, (2) if there is none within
 * 10 seconds.  Shares no code with the product, so that it also checks its framing.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <jansson.h>

#define REPLY_MAX (16u << 20)

static int dial(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(a.sun_path))
		return -1;
	memcpy(a.sun_path, path, strlen(path) + 1);
	return connect(fd, (struct sockaddr *)&a, sizeof(a)) ? -1 : fd;
}

static bool send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t r = send(fd, p, n, MSG_NOSIGNAL);

		if (r <= 0)
			return false;
		p += r;
		n -= (size_t)r;
	}
	return true;
}

/* One message up to its NUL, or NULL. */
static char *receive(int fd)
{
	char *buf = malloc(REPLY_MAX);
	size_t n = 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (buf && n < REPLY_MAX && poll(&p, 1, 10000) == 1) {
		ssize_t r = read(fd, buf + n, REPLY_MAX - n);

		if (r <= 0)
			break;
		if (memchr(buf + n, '\0', (size_t)r))
			return buf;
		n += (size_t)r;
	}
	free(buf);
	return NULL;
}

int main(int argc, char **argv)
{
	json_t *call, *reply, *params = NULL;
	char *text, *answer;
	int fd, status = 0;

	if (argc < 3 || argc > 4 ||
	    (argc == 4 && !(params = json_loads(argv[3], 0, NULL)))) {
		fprintf(stderr, "usage: vl SOCKET METHOD [JSON-PARAMETERS]\n");
		return 2;
	}
	fd = dial(argv[1]);
	if (fd < 0) {
		perror(argv[1]);
		return 2;
	}
	call = json_pack("{s:s, s:o}", "method", argv[2], "parameters",
			 params ? params : json_object());
	text = json_dumps(call, JSON_COMPACT);
	json_decref(call);
	answer = send_all(fd, text, strlen(text) + 1) ? receive(fd) : NULL;
	free(text);
	close(fd);
	reply = answer ? json_loads(answer, 0, NULL) : NULL;
	free(answer);
	if (!reply) {
		fprintf(stderr, "vl: no reply to %s\n", argv[2]);
		return 2;
	}
	if (json_object_get(reply, "error"))
		status = 1;
	json_dumpf(status ? reply : json_object_get(reply, "parameters"), stdout,
		   JSON_COMPACT | JSON_ENCODE_ANY);
	putchar('\n');
	json_decref(reply);
	return status;
}

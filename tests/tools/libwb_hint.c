/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hints one file as it is told, a line at a time on standard input:
 *
 *   libwb_hint FILE		write N | size N | clear | keep | data N | query
 *
 * Answers each with "ok" or the name of the error; query with "daemon=1 engine=user
 * write_size=N file_size=N NAME=1 NAME=0 ...".  FILE is opened for writing if it may be.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/wb/wb.h"

static int say(int r)
{
	return puts(r < 0 ? strerrorname_np(-r) : "ok");
}

static void query(struct wb *wb, int fd)
{
	struct wb_info i = {.size = sizeof(i)};
	int r = wb_query(wb, fd, &i);

	if (r < 0) {
		say(r);
		return;
	}
	printf("daemon=%u engine=%s write_size=%llu file_size=%llu", i.daemon, i.engine,
	       (unsigned long long)i.write_size, (unsigned long long)i.file_size);
	for (unsigned e = 0; e < i.n_effects; e++)
		printf(" %s=%u", i.effects[e].name, i.effects[e].in_force);
	puts("");
	for (unsigned e = 0; e < i.n_effects; e++)
		fprintf(stderr, "%s: %s\n", i.effects[e].name, i.effects[e].why);
	if (i.why[0])
		fprintf(stderr, "why: %s\n", i.why);
}

static int append(int fd, unsigned long long n)
{
	static char buf[65536];

	while (n) {
		ssize_t w = write(fd, buf, n < sizeof(buf) ? n : sizeof(buf));

		if (w < 0)
			return -errno;
		n -= (unsigned long long)w;
	}
	return 0;
}

static void obey(struct wb *wb, int fd, const char *what, unsigned long long n)
{
	if (!strcmp(what, "write"))
		say(wb_hint_write_size(wb, fd, n));
	else if (!strcmp(what, "size"))
		say(wb_hint_file_size(wb, fd, n));
	else if (!strcmp(what, "clear"))
		say(wb_hint_clear(wb, fd));
	else if (!strcmp(what, "keep"))
		say(wb_set_keep(wb, 1));
	else if (!strcmp(what, "data"))
		say(append(fd, n));
	else if (!strcmp(what, "query"))
		query(wb, fd);
	else
		puts("?");
}

int main(int argc, char **argv)
{
	char line[128], what[32];
	unsigned long long n;
	struct wb *wb;
	int fd;

	if (argc != 2 || wb_open(&wb) < 0)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 2;
	setlinebuf(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		n = 0;
		if (sscanf(line, "%31s %llu", what, &n) >= 1)
			obey(wb, fd, what, n);
	}
	wb_close(wb);
	return close(fd) < 0;
}

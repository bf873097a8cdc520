// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that are appended to in turn: libwb_append [--hint] DIR FILES BLOCK BYTES.
 * With --hint each is hinted, when it is empty, by the three lines that README shows.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/wb/wb.h"

#define FILES_MAX  64
#define WRITE_SIZE (8ULL << 20)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void show(struct wb *wb, int fd)
{
	struct wb_info info = {.size = sizeof(info)};

	if (wb_query(wb, fd, &info) < 0)
		return;
	for (unsigned i = 0; i < info.n_effects; i++)
		printf("%s: %s%s\n", info.effects[i].name,
		       info.effects[i].in_force ? "in force " : "", info.effects[i].why);
}

static int make(const char *dir, int i, struct wb *wb, unsigned long long bytes)
{
	char path[4096];
	int fd, r = 0;

	snprintf(path, sizeof(path), "%s/f%d", dir, i);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (fd < 0)
		die(path);
	if (wb) {
		r = wb_hint_write_size(wb, fd, WRITE_SIZE);
		if (r == 0)
			r = wb_hint_file_size(wb, fd, bytes);
	}
	if (r < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(-r));
	return fd;
}

int main(int argc, char **argv)
{
	int hint = argc > 1 && !strcmp(argv[1], "--hint"), fd[FILES_MAX], n;
	unsigned long long bytes;
	struct wb *wb = NULL;
	size_t block;
	char *buf;

	argv += hint;
	if (argc - hint != 5)
		return 2;
	n = atoi(argv[2]);
	block = strtoull(argv[3], NULL, 0);
	bytes = strtoull(argv[4], NULL, 0);
	buf = malloc(block);
	if (n < 1 || n > FILES_MAX || !block || !buf || (hint && wb_open(&wb) < 0))
		return 2;
	memset(buf, 'w', block);
	for (int i = 0; i < n; i++)
		fd[i] = make(argv[1], i, wb, bytes);
	for (unsigned long long at = 0; at < bytes; at += block)
		for (int i = 0; i < n; i++)
			if (write(fd[i], buf, block) != (ssize_t)block)
				die("write");
	if (wb)
		show(wb, fd[0]);
	for (int i = 0; i < n; i++)
		close(fd[i]);
	wb_close(wb);
	free(buf);
	return 0;
}

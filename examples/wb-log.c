// SPDX-License-Identifier: LGPL-2.1-or-later
/* wb-log FILE: appends standard input to FILE, a line at a time, as a hinted log. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wb/wb.h>

int main(int argc, char **argv)
{
	struct wb *wb = NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int fd, bad = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: wb-log FILE\n");
		return 2;
	}
	fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0) {
		fprintf(stderr, "wb-log: %s: %s.\n", argv[1], strerror(errno));
		return 1;
	}
	/* It grows for long: room in large extents, write-back in runs of 1 MiB. */
	if (wb_open(&wb) == 0)
		(void)wb_hint_write_size(wb, fd, 1 << 20);
	while (!bad && (n = getline(&line, &size, stdin)) > 0)
		bad = write(fd, line, (size_t)n) != n;
	bad |= close(fd) < 0;
	if (bad)
		fprintf(stderr, "wb-log: %s: %s.\n", argv[1], strerror(errno));
	wb_close(wb);
	free(line);
	return bad;
}

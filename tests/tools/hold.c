/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An application that writes, waits, and then asks whether its data is safe: hold FILE
 * BYTES writes, prints "written", and when a line (or the end) comes on stdin calls
 * fsync and prints "fsync: OK" or the error.  Exit status: 0, or 1 if fsync failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

int main(int argc, char **argv)
{
	static char block[4096];
	int fd CLEANUP(cleanup_closep) =
		argc == 3 ? open(argv[1], O_WRONLY | O_CREAT, 0644) : -1;
	long left = fd >= 0 ? strtol(argv[2], NULL, 10) : -1;

	if (left < 0) {
		fprintf(stderr, "usage: hold FILE BYTES\n");
		return 2;
	}
	memset(block, 'h', sizeof(block));
	for (; left > 0; left -= (long)sizeof(block))
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block)) {
			perror("hold: write");
			return 2;
		}
	puts("written");
	fflush(stdout);
	(void)getchar();
	if (fsync(fd)) {
		printf("fsync: %s\n", strerror(errno));
		return 1;
	}
	puts("fsync: OK");
	return 0;
}

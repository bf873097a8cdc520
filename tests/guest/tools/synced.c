// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make a file or the file system it is on durable, and print the error: a tool of the
 * guest tests.
 *
 *	synced fsync|syncfs FILE|-	- is what standard input is
 */
#include <fcntl.h>
#include <unistd.h>

#include "tool.h"

int main(int argc, char **argv)
{
	int fd = 0, ret;

	if (argc != 3)
		return 2;
	if (strcmp(argv[2], "-"))
		fd = open(argv[2], O_RDONLY);
	if (fd < 0)
		fail("cannot open %s", argv[2]);
	ret = strcmp(argv[1], "syncfs") ? fsync(fd) : syncfs(fd);
	if (ret)
		printf("%s\n", strerrorname_np(errno));
	return ret ? 1 : 0;
}

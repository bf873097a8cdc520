// SPDX-License-Identifier: GPL-2.0-or-later
/* Ask for and set what the kernel series offers for a file: a tool of the guest tests. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wb/uapi.h"

static int show(const char *path, int fd)
{
	struct fs_writeback_context arg;

	memset(&arg, 0xff, sizeof(arg));
	if (ioctl(fd, FS_IOC_WRITEBACK_CONTEXT_GET, &arg) < 0)
		return -errno;
	if (arg.reserved[0] || arg.reserved[1])
		return -EBADMSG;

	printf("%s context=%u group=%d pinned=%d order=%u\n", path, arg.context,
	       arg.flags & FS_WRITEBACK_CONTEXT_GROUP ? (int)arg.group : -1,
	       !!(arg.flags & FS_WRITEBACK_CONTEXT_PINNED), arg.folio_order);
	return 0;
}

/* Set from raw numbers, so that tests can send nonsense. */
static int set(int fd, unsigned int flags, unsigned int context, unsigned int reserved)
{
	struct fs_writeback_context arg = {
		.flags = flags,
		.context = context,
		.reserved = {0, reserved},
	};

	return ioctl(fd, FS_IOC_WRITEBACK_CONTEXT_SET, &arg) < 0 ? -errno : 0;
}

static unsigned int number(const char *text)
{
	return (unsigned int)strtoul(text, NULL, 0);
}

/* Carry out what argv says on one file. */
static int act(char **argv, int n, const char *path)
{
	int fd, ret;

	fd = open(path, strcmp(argv[1], "hint") ? O_RDONLY : O_WRONLY);
	if (fd < 0)
		return -errno;

	if (!strcmp(argv[1], "get"))
		ret = show(path, fd);
	else if (!strcmp(argv[1], "pin") && n == 1)
		ret = set(fd, FS_WRITEBACK_CONTEXT_PINNED, number(argv[2]), 0);
	else if (!strcmp(argv[1], "unpin"))
		ret = set(fd, 0, 0, 0);
	else if (!strcmp(argv[1], "raw") && n == 3)
		ret = set(fd, number(argv[2]), number(argv[3]), number(argv[4]));
	else if (!strcmp(argv[1], "hint") || !strcmp(argv[1], "hint-readonly"))
		ret = -posix_fadvise(fd, 0, number(argv[2]), POSIX_FADV_WRITE_SIZE);
	else
		ret = -ENOSYS;
	close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	int i, n, ret;

	if (argc < 3) {
		fprintf(stderr, "usage: wbctx get|unpin FILE...\n"
				"       wbctx pin CONTEXT FILE...\n"
				"       wbctx hint|hint-readonly BYTES FILE...\n"
				"       wbctx raw FLAGS CONTEXT RESERVED FILE...\n");
		return 2;
	}

	n = !strcmp(argv[1], "raw")                                ? 3
	    : !strcmp(argv[1], "get") || !strcmp(argv[1], "unpin") ? 0
								   : 1;
	for (i = 2 + n; i < argc; i++) {
		ret = act(argv, n, argv[i]);
		if (ret < 0) {
			printf("%s error=%s\n", argv[i], strerrorname_np(-ret));
			return 1;
		}
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See mnt_open.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "daemon/mnt_open.h"

int mnt_fdinfo_id(int fd)
{
	CLEANUP(cleanup_fclosep) FILE *f = NULL;
	char path[64], line[128];
	int id;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "mnt_id: %d", &id) == 1)
			return id;
	return -ENODATA;
}

static int mnt_id_of(int fd)
{
	struct statx sx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &sx) == 0 &&
	    sx.stx_mask & STATX_MNT_ID)
		return (int)sx.stx_mnt_id;
	return mnt_fdinfo_id(fd); /* before Linux 5.8 */
}

int mnt_open(const char *path, int mnt_id)
{
	/* Mostly a directory; a single file that is a bind mount will do. */
	CLEANUP(cleanup_closep)
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int id;

	if (fd < 0)
		return -errno;
	id = mnt_id_of(fd);
	if (id < 0)
		return id;
	return id == mnt_id ? take_fd(&fd) : -ESTALE;
}

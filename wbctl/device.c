// SPDX-License-Identifier: GPL-2.0-or-later
/* Which superblock an open file is on, in the numbers that the daemon uses. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "wbctl/wbctl.h"

/* The MAJ:MIN of mount @id in our own mount table. */
static int device_of_mount(unsigned long long id, char ret[32])
{
	CLEANUP(cleanup_fclosep) FILE *f = fopen("/proc/self/mountinfo", "re");
	CLEANUP(cleanup_freep) char *line = NULL;
	unsigned maj, min, parent;
	unsigned long long found;
	size_t cap = 0;

	if (!f)
		return -errno;
	while (getline(&line, &cap, f) > 0) {
		if (sscanf(line, "%llu %u %u:%u", &found, &parent, &maj, &min) != 4 ||
		    found != id)
			continue;
		snprintf(ret, 32, "%u:%u", maj, min);
		return 0;
	}
	return -ENOENT;
}

int device_of_fd(int fd, char ret[32])
{
	struct statx sx;
	struct stat st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &sx) == 0 &&
	    (sx.stx_mask & STATX_MNT_ID) && device_of_mount(sx.stx_mnt_id, ret) == 0)
		return 0;
	/* Before Linux 5.8, or without /proc: right for all but btrfs. */
	if (fstat(fd, &st) < 0)
		return -errno;
	snprintf(ret, 32, "%u:%u", major(st.st_dev), minor(st.st_dev));
	return 0;
}

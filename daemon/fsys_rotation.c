// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does a block device turn?  Its own flag says so, or that of anything it lies
 * upon: the members of a dm or md device, the device under a loop's backing file.
 * Under a loop an unknown device (a file on tmpfs, on a network) says nothing.
 */
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/fsys_int.h"

#define DEPTH 6 /* devices upon devices */

static int rotational(const struct fsys_scan_ctx *x, const char *name, int depth);

/* 1 if a disk below the file system that holds @path turns. */
static bool under_file_turns(const struct fsys_scan_ctx *x, const char *path, int depth)
{
	const struct fsys_mount *m = fsys_mounts_at(&x->mounts, path);
	char names[FSYS_MEMBERS][SYSFS_NAME], bdi[40];
	size_t n = 0;

	if (!m)
		return false;
	if (major(m->dev) != 0)
		n = fsys_bdev_name(x->root, m->dev, names[0]) == 0;
	else
		n = fsys_members(x->root, m->type, m->source, names, bdi, sizeof(bdi));
	for (size_t i = 0; i < n; i++)
		if (rotational(x, names[i], depth) == 1)
			return true;
	return false;
}

static bool below_turns(const struct fsys_scan_ctx *x, const char *name, int depth)
{
	char slaves[FSYS_MEMBERS][SYSFS_NAME], file[PATH_MAX];
	size_t n = sysfs_list(x->root, slaves, FSYS_MEMBERS, "sys/class/block/%s/slaves",
			      name);

	for (size_t i = 0; i < n; i++)
		if (rotational(x, slaves[i], depth) == 1)
			return true;
	return sysfs_read(x->root, file, sizeof(file),
			  "sys/class/block/%s/loop/backing_file", name) > 0 &&
	       under_file_turns(x, file, depth);
}

static int rotational(const struct fsys_scan_ctx *x, const char *name, int depth)
{
	uint64_t own;
	int r = -1;

	if (sysfs_u64(x->root, &own, "sys/class/block/%s/queue/rotational", name) == 0 ||
	    /* A partition has no queue of its own; its disk is the folder above. */
	    sysfs_u64(x->root, &own, "sys/class/block/%s/../queue/rotational", name) == 0)
		r = own != 0;
	if (r != 1 && depth > 0 && below_turns(x, name, depth - 1))
		r = 1;
	return r;
}

int fsys_rotational(const struct fsys_scan_ctx *x, const char *name)
{
	return rotational(x, name, DEPTH);
}

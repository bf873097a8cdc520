// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which inodes back swap: swap files, and the backing files of loop devices that
 * are swap themselves or lie under a device that is (dm, md, zram's write-back).
 */
#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "daemon/fsys_int.h"

#define DEPTH 6 /* devices upon devices */

struct found {
	const struct fsys_scan_ctx *x;
	struct fsys_inode *v;
	size_t n, max;
};

static void add_file(struct found *s, const char *path)
{
	const struct fsys_mount *m = fsys_mounts_at(&s->x->mounts, path);
	char full[PATH_MAX];
	struct statx sx;

	if (s->n == s->max ||
	    snprintf(full, sizeof(full), "%s%s", s->x->root, path) >= PATH_MAX)
		return;
	/* Does not ask a server: what is known of the inode is enough. */
	if (statx(AT_FDCWD, full, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_INO, &sx) <
	    0)
		return;
	/* On btrfs st_dev is the subvolume's; an entry goes by the superblock's. */
	s->v[s->n++] = (struct fsys_inode){
		.dev = m ? m->dev : makedev(sx.stx_dev_major, sx.stx_dev_minor),
		.ino = sx.stx_ino,
	};
}

static void add_device(struct found *s, const char *name, int depth)
{
	char slaves[FSYS_MEMBERS][SYSFS_NAME], path[PATH_MAX], below[SYSFS_NAME];
	const char *root = s->x->root;
	size_t n;

	if (sysfs_read(root, path, sizeof(path), "sys/class/block/%s/loop/backing_file",
		       name) > 0)
		add_file(s, path);
	if (depth == 0)
		return;
	n = sysfs_list(root, slaves, FSYS_MEMBERS, "sys/class/block/%s/slaves", name);
	for (size_t i = 0; i < n; i++)
		add_device(s, slaves[i], depth - 1);
	if (sysfs_read(root, path, sizeof(path), "sys/class/block/%s/backing_dev", name) >
		    0 &&
	    fsys_bdev_of_source(root, path, below) == 0)
		add_device(s, below, depth - 1);
	/* The loop under a partition of it. */
	if (sysfs_exists(root, "sys/class/block/%s/partition", name) &&
	    sysfs_read(root, path, sizeof(path),
		       "sys/class/block/%s/../loop/backing_file", name) > 0)
		add_file(s, path);
}

static void add_swap(struct found *s, struct libmnt_fs *fs)
{
	const char *source = mnt_fs_get_source(fs), *type = mnt_fs_get_swaptype(fs);
	char name[SYSFS_NAME];

	if (!source || !type)
		return;
	if (strcmp(type, "file") == 0)
		add_file(s, source);
	else if (fsys_bdev_of_source(s->x->root, source, name) == 0)
		add_device(s, name, DEPTH);
}

static int read_swaps(struct found *s, struct libmnt_table *tb)
{
	char path[PATH_MAX];
	struct libmnt_iter *it;
	struct libmnt_fs *fs;
	int r;

	if (snprintf(path, sizeof(path), "%s/proc/swaps", s->x->root) >= PATH_MAX)
		return -ENAMETOOLONG;
	r = mnt_table_parse_swaps(tb, path);
	if (r)
		return r < 0 ? r : -EINVAL;
	it = mnt_new_iter(MNT_ITER_FORWARD);
	if (!it)
		return -ENOMEM;
	while (mnt_table_next_fs(tb, it, &fs) == 0)
		add_swap(s, fs);
	mnt_free_iter(it);
	return 0;
}

int fsys_swap_inodes(const char *root, struct fsys_inode *ret, size_t max)
{
	struct fsys_scan_ctx x = {.root = root ? root : ""};
	struct found s = {.x = &x, .v = ret, .max = max};
	struct libmnt_table *tb;
	int r;

	r = fsys_mounts_read(x.root, &x.mounts);
	if (r < 0)
		return r;
	tb = mnt_new_table();
	r = tb ? read_swaps(&s, tb) : -ENOMEM;
	mnt_unref_table(tb);
	fsys_mounts_clear(&x.mounts);
	/* A kernel without swap has no such file. */
	return r < 0 && r != -ENOENT ? r : (int)s.n;
}

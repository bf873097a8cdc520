// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What only the file system itself or its device can tell: the geometry, and
 * whether a btrfs subvolume is read-only.  Nothing is opened but local file systems
 * and the very block device that the mount table names.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "daemon/fsys_int.h"
#include "daemon/geom_raw.h"

#define PROC_FD 32 /* "/proc/self/fd/N" */

/* Is @fd (opened at f->target) on the mount that was meant, not on one above it? */
static bool same_mount(int fd, const struct fsys *f)
{
	struct statx sx;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &sx) < 0)
		return false;
	if (sx.stx_mask & STATX_MNT_ID)
		return sx.stx_mnt_id == (uint64_t)f->mnt_id;
	return makedev(sx.stx_dev_major, sx.stx_dev_minor) == f->dev;
}

/* Opens the mount point; a bind mount may have made it anything but a folder. */
static int open_target(const struct fsys *f)
{
	int path CLEANUP(cleanup_closep) =
		open(f->target, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	char proc[PROC_FD];
	struct stat st;
	int fd;

	if (path < 0 || fstat(path, &st) < 0)
		return -errno;
	if (!same_mount(path, f))
		return -ESTALE;
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return -ENOTDIR;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", path);
	fd = open(proc, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOATIME);
	return fd < 0 ? -errno : fd;
}

static int open_node(const char *path, dev_t dev)
{
	int fd CLEANUP(cleanup_closep) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode) || st.st_rdev != dev)
		return -ENXIO;
	return take_fd(&fd);
}

/* The device by its kernel name, else by the path it was mounted from. */
static int open_device(const struct fsys *f)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", f->device);
	for (char *p = path + 5; *p; p++)
		if (*p == '!') /* sysfs's stand-in for a slash */
			*p = '/';
	fd = f->device[0] ? open_node(path, f->dev) : -ENOENT;
	if (fd < 0 && strncmp(f->source, "/dev/", 5) == 0) {
		int other = open_node(f->source, f->dev);

		return other < 0 ? fd : other;
	}
	return fd;
}

static int probe_xfs(const struct fsys *f, struct geom *ret)
{
	int fd CLEANUP(cleanup_closep) = open_target(f);

	return fd < 0 ? fd
		      : geom_read_xfs(fd, fsys_has_option(f->sb_options, "inode32"), ret);
}

static int probe_ext4(const struct fsys *f, struct geom *ret)
{
	int fd CLEANUP(cleanup_closep) = open_device(f);
	char proc[PROC_FD];

	if (fd < 0)
		return fd;
	/* By descriptor: the path could mean another device a moment later. */
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	return geom_read_ext4(proc, ret);
}

static int probe_recorded(const struct fsys_scan_ctx *x, const struct fsys *f,
			  struct geom *ret)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/geometry/%u:%u", x->root, major(f->dev),
		     minor(f->dev)) >= PATH_MAX)
		return -ENAMETOOLONG;
	return geom_read_recorded(path, fsys_has_option(f->sb_options, "inode32"), ret);
}

/* The mount table does not show that a subvolume is a read-only snapshot. */
static bool is_readonly_subvolume(const struct fsys *f)
{
	int fd CLEANUP(cleanup_closep) = open_target(f);
	uint64_t flags = 0;

	return fd >= 0 && ioctl(fd, BTRFS_IOC_SUBVOL_GETFLAGS, &flags) == 0 &&
	       (flags & BTRFS_SUBVOL_RDONLY);
}

static void set_error(struct fsys *f, int e)
{
	const char *what = e == -EUCLEAN  ? "its superblock makes no sense"
			   : e == -ESTALE ? "its mount point is hidden by another mount"
			   : e == -EINVAL ? "the recorded geometry cannot be parsed"
					  : strerror(-e);

	if (asprintf(
		    &f->geom_error,
		    "the allocation groups of %s on %s could not be read (%s), so inodes "
		    "are spread by a hash",
		    f->type, f->device[0] ? f->device : "its device", what) < 0)
		f->geom_error = NULL;
}

void fsys_probe(const struct fsys_scan_ctx *x, struct fsys *f)
{
	bool xfs = strcmp(f->type, "xfs") == 0;
	bool ext = strcmp(f->type, "ext4") == 0 || strcmp(f->type, "ext3") == 0 ||
		   strcmp(f->type, "ext2") == 0;
	int r;

	geom_hash(&f->geom);
	if (fsys_is_real(x) && strcmp(f->type, "btrfs") == 0)
		f->snapshot |= is_readonly_subvolume(f);
	if (f->class != FSYS_LOCAL || (!xfs && !ext))
		return;
	if (!fsys_is_real(x))
		r = probe_recorded(x, f, &f->geom);
	else
		r = xfs ? probe_xfs(f, &f->geom) : probe_ext4(f, &f->geom);
	if (r < 0)
		set_error(f, r);
}

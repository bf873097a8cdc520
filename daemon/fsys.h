/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mounted: one struct fsys per superblock, tied to its backing device.
 * Facts only - whether a file system is managed is decided in plan.c.
 */
#ifndef WB_FSYS_H
#define WB_FSYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/geom.h"

/* The backing device (bdi) of one or more file systems. */
struct bdev {
	char bdi[40];   /* name below /sys/class/bdi: "254:0", "btrfs-1"; "" unknown */
	char name[64];  /* kernel name of the disk: "nvme0n1", "dm-0"; "" if none */
	int rotational; /* 1, 0; -1 unknown.  Any member disk decides for several */
	uint32_t queue_depth; /* queue/nr_requests; 0 unknown */
	uint32_t max_io_kb;   /* queue/max_sectors_kb; 0 unknown */
	bool removable;
	char members[256]; /* kernel names of all its disks where a file system spans
			    * several (btrfs, bcachefs), separated by spaces */
};

#define FSYS_TARGETS_MAX 1024 /* a container host has many binds of one file system */

enum fsys_class {
	FSYS_LOCAL,   /* on a block device of this machine */
	FSYS_NETWORK, /* nfs, cifs, ceph, 9p, afs, ... */
	FSYS_FUSE,    /* fuse, fuseblk, fuse.* */
	FSYS_STACKED, /* overlay, ecryptfs */
	FSYS_MEMORY,  /* tmpfs, ramfs, hugetlbfs */
	FSYS_PSEUDO,  /* proc, sysfs, cgroup: never shown */
	FSYS_OTHER,   /* something else that has no bdi we can name */
};

struct fsys {
	dev_t dev;       /* the superblock's device as mountinfo prints it (s_dev) */
	char device[64]; /* kernel name of the block device itself: "nvme0n1p2"; "" */
	char *type;      /* "xfs" */
	char *source;    /* "/dev/zram0" */
	char *target;    /* the mount point through which the daemon reaches it */
	char **targets;  /* all mount points of it in view, FSYS_TARGETS_MAX at most */
	size_t n_targets;
	int mnt_id;       /* of that mount, as statx(STATX_MNT_ID) and mountinfo say */
	char *sb_options; /* the superblock's options, as in mountinfo */
	enum fsys_class class;
	bool readonly; /* the superblock is read-only (a read-only bind is not) */
	bool snapshot; /* dm-snapshot as LVM makes it, norecovery/nouuid, btrfs read-only
			* subvolume; what cannot be told is listed in fsys_bdev.c */
	bool has_realtime; /* XFS with a realtime device */
	struct bdev bdev;
	struct geom geom;
	char *geom_error; /* why the geometry could not be read (hash is used); or NULL */
};

/* All superblocks in view, ordered by dev; owned by the table. */
struct fsys_table {
	struct fsys **v;
	size_t n;
	char *root; /* as given to fsys_scan() */
};

/*
 * Reads the mount table and everything above from @root ("" = the real system,
 * else a fake tree with proc/self/mountinfo and sys/; device nodes and geometry
 * are then read from recorded files, see tests/golden/README.md).  Pseudo file
 * systems are left out; bind mounts and mounts in other name spaces of the same
 * superblock are one entry.  Returns 0 or -errno.
 */
int fsys_scan(const char *root, struct fsys_table **ret);
struct fsys_table *fsys_table_free(struct fsys_table *t);
struct fsys *fsys_free(struct fsys *f);

/* Entry with superblock device @dev, or NULL. */
struct fsys *fsys_find(const struct fsys_table *t, dev_t dev);
/* Is @path one of @f's mount points? */
bool fsys_mounted_at(const struct fsys *f, const char *path);
/* Takes entry @i out of the table; the caller owns it. */
struct fsys *fsys_steal(struct fsys_table *t, size_t i);

/*
 * A [device] section's match - kernel name, MAJ:MIN or a path whose links are
 * followed - as a kernel name, into @ret (64 bytes).  -ENOENT: no such device.
 * Below a fake root links are followed only within it.
 */
int fsys_device_name(const char *root, const char *match, char *ret);
/* Is the device called @name (a disk, a partition, a member) one of @f's? */
bool fsys_on_device(const struct fsys *f, const char *name);

/*
 * Inodes that back swap (directly, or through a loop device that is swap) must
 * not be touched: flushing them while memory is reclaimed through them can
 * deadlock.  Fills @ret with up to @max pairs; returns their number or -errno.
 */
struct fsys_inode {
	dev_t dev;
	uint64_t ino;
};
int fsys_swap_inodes(const char *root, struct fsys_inode *ret, size_t max);

/*
 * Live mounts: calls @changed(@arg) from the loop after mount or unmount (many
 * at once are one call).  Idle otherwise.
 */
struct ev_loop;
struct fsys_watch;
int fsys_watch_new(struct ev_loop *loop, void (*changed)(void *arg), void *arg,
		   struct fsys_watch **ret);
struct fsys_watch *fsys_watch_free(struct fsys_watch *w);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the discovery share among themselves. */
#ifndef WB_FSYS_INT_H
#define WB_FSYS_INT_H

#include "daemon/fsys.h"
#include "daemon/fsys_mounts.h"
#include "daemon/fsys_sysfs.h"

#define FSYS_MEMBERS 32 /* disks of one file system that are looked at */

/* One scan. */
struct fsys_scan_ctx {
	const char *root; /* "" = the real system */
	struct fsys_mounts mounts;
};

static inline bool fsys_is_real(const struct fsys_scan_ctx *x)
{
	return x->root[0] == '\0';
}

/* ---- fsys_class.c -------------------------------------------------------- */
enum fsys_class fsys_classify(const struct fsys_mount *m);
/* Is @name one of the comma-separated @options, alone or as NAME=VALUE? */
bool fsys_has_option(const char *options, const char *name);

/* ---- fsys_bdev.c --------------------------------------------------------- */
/* Fills f->bdev, f->device and what of f->snapshot device-mapper tells. */
void fsys_find_bdev(const struct fsys_scan_ctx *x, struct fsys *f);
/* Kernel name of the block device @dev: "nvme0n1p2"; -ENOENT if there is none. */
int fsys_bdev_name(const char *root, dev_t dev, char *ret);
/* Kernel name for a path below /dev, by its text and sysfs alone. */
int fsys_bdev_of_source(const char *root, const char *source, char *ret);

/* ---- fsys_rotation.c ------------------------------------------------------ */
/* 1, 0, or -1 for the block device called @name (a disk or a partition). */
int fsys_rotational(const struct fsys_scan_ctx *x, const char *name);

/* ---- fsys_multi.c: file systems that span several devices ----------------- */
/* Kernel names of the devices of a btrfs or bcachefs; returns their number.
 * Fills @bdi if it can be told. */
size_t fsys_members(const char *root, const char *type, const char *source,
		    char (*ret)[SYSFS_NAME], char *bdi, size_t bdi_len);

/* ---- fsys_probe.c -------------------------------------------------------- */
/* Reads the geometry, or sets the hash and f->geom_error. */
void fsys_probe(const struct fsys_scan_ctx *x, struct fsys *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a superblock says, before it is believed: the numbers of which a struct
 * geom is made.  The readers and the recorded geometries of a fake root both end
 * here, so that both are checked by the same code.
 */
#ifndef WB_GEOM_RAW_H
#define WB_GEOM_RAW_H

#include "daemon/geom.h"

struct geom_xfs_raw {
	uint64_t blocksize, inodesize; /* bytes */
	uint64_t agblocks, agcount;
	bool inode32; /* mounted so; counts only where inode numbers could be longer */
};

struct geom_ext4_raw {
	uint64_t blocksize; /* bytes */
	uint64_t blocks;    /* of the file system */
	uint64_t blocks_per_group, inodes_per_group;
	uint64_t first_data_block;
	uint64_t log_groups_per_flex; /* 0 without flex_bg */
};

/* -EUCLEAN: the numbers cannot be those of a file system; @ret is untouched. */
int geom_set_xfs(const struct geom_xfs_raw *raw, struct geom *ret);
int geom_set_ext4(const struct geom_ext4_raw *raw, struct geom *ret);

/*
 * Reads a recorded geometry: lines "key=value", keys as the members above with
 * "type=xfs" or "type=ext4" first (tests/golden/README.md).  -EINVAL: not of that
 * form; -EUCLEAN: as above.
 */
int geom_read_recorded(const char *path, bool inode32, struct geom *ret);

#endif

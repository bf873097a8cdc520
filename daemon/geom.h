/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation geometry of a file system: which group an inode or a byte on the
 * device belongs to.  Pure arithmetic on numbers that were read once; the
 * readers are in geom_xfs.c and geom_ext4.c.
 *
 * The story (inode -> group -> context): writeback of two inodes runs in
 * parallel without getting in each other's way only where they allocate from
 * different groups, because a group has one lock and one set of free-space
 * structures.  So an inode belongs to the group in which its newest data lies
 * (its next extents come from there), and only if it has none yet - delayed
 * allocation - to the group of the inode itself, from which the allocator
 * starts its search.  A file system without groups gets hash buckets, which
 * spread inodes evenly and keep each one at its place.
 */
#ifndef WB_GEOM_H
#define WB_GEOM_H

#include <stdbool.h>
#include <stdint.h>

#define GEOM_BUCKETS 64 /* "groups" of a file system that has none */

enum geom_kind {
	GEOM_HASH, /* no groups: buckets by a hash of the inode number */
	GEOM_XFS,  /* allocation groups */
	GEOM_EXT4, /* flex groups, or block groups without flex_bg */
};

struct geom {
	enum geom_kind kind;
	uint32_t groups;       /* >= 1; GEOM_BUCKETS for GEOM_HASH */
	uint32_t block_size;   /* bytes, a power of two; 0 for GEOM_HASH */
	uint64_t group_blocks; /* XFS: agblocks; ext4: blocks per group << flex_log */
	uint64_t first_block;  /* ext4: first data block; XFS: 0 */
	uint64_t group_inodes; /* ext4: inodes per group << flex_log; XFS: 0 */
	uint32_t ino_shift;    /* XFS: group = ino >> ino_shift */
	bool inode_unplaced;   /* the inode's number says nothing about its data
				* (XFS inode32): data or hash decides */
};

/* Group of inode @ino by its number alone.  < g->groups, whatever @ino is. */
uint32_t geom_group_of_ino(const struct geom *g, uint64_t ino);

/* Group of the device byte @phys.  < g->groups, whatever @phys is. */
uint32_t geom_group_of_phys(const struct geom *g, uint64_t phys);

/* One of g->groups buckets by a hash of @ino (realtime files, GEOM_HASH). */
uint32_t geom_bucket(const struct geom *g, uint64_t ino);

/* Reads the geometry through @dirfd, any directory of the mounted file system;
 * -errno leaves @ret untouched (-EOPNOTSUPP: not XFS). */
int geom_read_xfs(int dirfd, bool inode32, struct geom *ret);

/* Reads an ext4 superblock from the block device @devpath with libext2fs. */
int geom_read_ext4(const char *devpath, struct geom *ret);

/* The geometry of a file system that has no groups. */
void geom_hash(struct geom *ret);

/* Where a file's data is: how geom_of_fd() came to its group. */
enum geom_basis {
	GEOM_BY_DATA,     /* FIEMAP of the newest extents */
	GEOM_BY_INODE,    /* no allocated data yet: the inode's own group */
	GEOM_BY_HASH,     /* no groups, or inode32 without data */
	GEOM_BY_REALTIME, /* XFS realtime file: its data is on another device */
};

/*
 * Group of the open regular file @fd (inode @ino, @size bytes): the group that
 * holds most of the allocated bytes of its last extents.  May block (FIEMAP
 * reads metadata): never call it on the loop.  Returns the group or -errno.
 */
int geom_of_fd(const struct geom *g, int fd, uint64_t ino, uint64_t size,
	       enum geom_basis *ret_basis);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation geometry: from an inode number or a device byte to its group. */
#include <errno.h>

#include "daemon/geom.h"
#include "daemon/geom_raw.h"

/* Finalizer of splitmix64: every bit of the input moves every bit of the output. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

uint32_t geom_bucket(const struct geom *g, uint64_t ino)
{
	return (uint32_t)(((mix(ino) >> 32) * g->groups) >> 32);
}

/*
 * A file system may have grown since its geometry was read, so a group can be
 * beyond the last one known.  Modulo, not the last one: the new groups then
 * spread over all contexts until the next scan knows them.
 */
static uint32_t within(const struct geom *g, uint64_t group)
{
	return (uint32_t)(group % g->groups);
}

uint32_t geom_group_of_ino(const struct geom *g, uint64_t ino)
{
	if (g->inode_unplaced)
		return geom_bucket(g, ino);
	switch (g->kind) {
	case GEOM_XFS:
		return within(g, ino >> g->ino_shift);
	case GEOM_EXT4:
		/* Inode numbers begin with 1; there is no inode 0. */
		return ino ? within(g, (ino - 1) / g->group_inodes) : 0;
	case GEOM_HASH:
		break;
	}
	return geom_bucket(g, ino);
}

uint32_t geom_group_of_phys(const struct geom *g, uint64_t phys)
{
	uint64_t block;

	if (g->kind == GEOM_HASH)
		return geom_bucket(g, phys);
	block = phys / g->block_size;
	/* With 1 KiB blocks ext4 counts its groups from block 1 (0 is the boot
	 * sector). */
	return block < g->first_block
		       ? 0
		       : within(g, (block - g->first_block) / g->group_blocks);
}

void geom_hash(struct geom *ret)
{
	*ret = (struct geom){.kind = GEOM_HASH, .groups = GEOM_BUCKETS};
}

static bool is_pow2(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* Smallest l with 2^l >= v; v >= 1. */
static uint32_t log2_ceil(uint64_t v)
{
	return v <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(v - 1);
}

int geom_set_xfs(const struct geom_xfs_raw *raw, struct geom *ret)
{
	uint32_t inopblog, shift;
	uint64_t last;

	if (!is_pow2(raw->blocksize) || raw->blocksize < 512 || raw->blocksize > 65536 ||
	    !is_pow2(raw->inodesize) || raw->inodesize < 256 ||
	    raw->inodesize > raw->blocksize)
		return -EUCLEAN;
	if (!raw->agcount || raw->agcount > INT32_MAX || !raw->agblocks ||
	    raw->agblocks > INT32_MAX)
		return -EUCLEAN;

	inopblog = log2_ceil(raw->blocksize / raw->inodesize);
	shift = inopblog + log2_ceil(raw->agblocks);
	/* The kernel's own test (xfs_set_inode_alloc): inode32 changes where inodes
	 * go only if the highest inode number would not fit in 32 bits. */
	last = ((raw->agcount - 1) << shift) | ((raw->agblocks << inopblog) - 1);
	*ret = (struct geom){
		.kind = GEOM_XFS,
		.groups = (uint32_t)raw->agcount,
		.block_size = (uint32_t)raw->blocksize,
		.group_blocks = raw->agblocks,
		.ino_shift = shift,
		.inode_unplaced = raw->inode32 && last > UINT32_MAX,
	};
	return 0;
}

int geom_set_ext4(const struct geom_ext4_raw *raw, struct geom *ret)
{
	uint64_t flex = raw->log_groups_per_flex, groups;

	if (!is_pow2(raw->blocksize) || raw->blocksize < 1024 || raw->blocksize > 65536)
		return -EUCLEAN;
	/* One block of bitmap per group bounds both; with bigalloc a bit stands for
	 * up to 2^16 blocks. */
	if (!raw->blocks_per_group || raw->blocks_per_group > raw->blocksize * 8 << 16 ||
	    !raw->inodes_per_group || raw->inodes_per_group > raw->blocksize * 8)
		return -EUCLEAN;
	if (raw->first_data_block > 1 || raw->blocks <= raw->first_data_block ||
	    raw->blocks > 1ULL << 48)
		return -EUCLEAN;
	/* As the kernel: a nonsensical flex size means no flex groups. */
	if (flex > 31)
		flex = 0;

	groups = (raw->blocks - raw->first_data_block + raw->blocks_per_group - 1) /
		 raw->blocks_per_group;
	if (groups > INT32_MAX)
		return -EUCLEAN;
	groups = (groups + (1ULL << flex) - 1) >> flex;
	*ret = (struct geom){
		.kind = GEOM_EXT4,
		.groups = (uint32_t)groups,
		.block_size = (uint32_t)raw->blocksize,
		.group_blocks = raw->blocks_per_group << flex,
		.first_block = raw->first_data_block,
		.group_inodes = raw->inodes_per_group << flex,
	};
	return 0;
}

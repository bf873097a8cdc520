// SPDX-License-Identifier: GPL-2.0-or-later
/* The geometry of an ext4 (ext3, ext2), from the superblock on its device. */
#include <errno.h>
#include <ext2fs/ext2fs.h>

#include "daemon/geom.h"
#include "daemon/geom_raw.h"

/* libext2fs mixes errno values with its own codes, which are far above them. */
static int errcode(errcode_t e)
{
	return e > 0 && e < 4096 ? -(int)e : -EUCLEAN;
}

static int from_super(struct ext2_super_block *sb, struct geom *ret)
{
	struct geom_ext4_raw raw;

	/* EXT2_BLOCK_SIZE shifts by this number. */
	if (sb->s_log_block_size > 6)
		return -EUCLEAN;
	raw = (struct geom_ext4_raw){
		.blocksize = EXT2_BLOCK_SIZE(sb),
		.blocks = ext2fs_blocks_count(sb),
		.blocks_per_group = sb->s_blocks_per_group,
		.inodes_per_group = sb->s_inodes_per_group,
		.first_data_block = sb->s_first_data_block,
	};
	if (ext2fs_has_feature_flex_bg(sb))
		raw.log_groups_per_flex = sb->s_log_groups_per_flex;
	return geom_set_ext4(&raw, ret);
}

int geom_read_ext4(const char *devpath, struct geom *ret)
{
	/* A mounted file system's superblock is written while we look, so its
	 * checksum proves nothing; every number is checked instead. */
	int flags = EXT2_FLAG_SUPER_ONLY | EXT2_FLAG_64BITS | EXT2_FLAG_FORCE |
		    EXT2_FLAG_IGNORE_CSUM_ERRORS;
	ext2_filsys fs = NULL;
	errcode_t e;
	int r;

	e = ext2fs_open(devpath, flags, 0, 0, unix_io_manager, &fs);
	if (e)
		return errcode(e);
	r = from_super(fs->super, ret);
	ext2fs_free(fs);
	return r;
}

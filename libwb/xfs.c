// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * XFS's extent size hint, which only the owner of a file may set: space is then
 * allocated in units of that many bytes, aligned, so that files which grow side by
 * side do not cut each other into pieces.
 *
 * The price is that the last unit of a file stays allocated as a whole.  Where the
 * file's size is known that is little; where it is not the unit is kept small.
 */
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "libwb/int.h"

#define XFS_MAGIC   0x58465342UL
#define KNOWN_MAX   ((uint64_t)64 << 20)
#define UNKNOWN_MAX ((uint64_t)1 << 20)

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint32_t wbi_xfs_unit(uint64_t write_size, uint64_t file_size, uint64_t block)
{
	uint64_t unit = file_size ? smaller(file_size, KNOWN_MAX)
				  : smaller(write_size, UNKNOWN_MAX);

	unit = (unit + block - 1) / block * block;
	return unit > block ? (uint32_t)unit : 0; /* a block is what there is anyway */
}

uint32_t wbi_xfs_block(int fd)
{
	struct statfs sf;

	if (fstatfs(fd, &sf) < 0 || (unsigned long)sf.f_type != XFS_MAGIC ||
	    sf.f_bsize <= 0)
		return 0;
	return (uint32_t)sf.f_bsize;
}

bool wbi_xfs_has(int fd, uint32_t unit)
{
	struct fsxattr x;

	return unit && ioctl(fd, FS_IOC_FSGETXATTR, &x) == 0 &&
	       (x.fsx_xflags & FS_XFLAG_EXTSIZE) && x.fsx_extsize == unit;
}

bool wbi_xfs_set(int fd, uint32_t block, uint64_t write_size, uint64_t file_size,
		 bool again)
{
	uint32_t unit = block ? wbi_xfs_unit(write_size, file_size, block) : 0;
	struct fsxattr x;

	if (!unit || ioctl(fd, FS_IOC_FSGETXATTR, &x) < 0)
		return false;
	/* Somebody's own choice stays; so does the real-time device's unit. */
	if (x.fsx_nextents || (x.fsx_xflags & FS_XFLAG_REALTIME) ||
	    ((x.fsx_xflags & FS_XFLAG_EXTSIZE) && !again))
		return false;
	if (x.fsx_xflags & FS_XFLAG_EXTSIZE && x.fsx_extsize == unit)
		return true;
	x.fsx_xflags |= FS_XFLAG_EXTSIZE;
	/* An allocation group may be too small for that much. */
	for (x.fsx_extsize = unit; x.fsx_extsize > block;) {
		if (ioctl(fd, FS_IOC_FSSETXATTR, &x) == 0)
			return true;
		if (errno != EINVAL)
			return false;
		x.fsx_extsize = x.fsx_extsize / 2 / block * block;
	}
	return false;
}

void wbi_xfs_unset(int fd)
{
	struct fsxattr x;

	if (ioctl(fd, FS_IOC_FSGETXATTR, &x) < 0 || x.fsx_nextents)
		return;
	x.fsx_xflags &= ~(uint32_t)FS_XFLAG_EXTSIZE;
	x.fsx_extsize = 0;
	(void)ioctl(fd, FS_IOC_FSSETXATTR, &x);
}

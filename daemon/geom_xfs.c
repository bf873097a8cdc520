// SPDX-License-Identifier: GPL-2.0-or-later
/* The geometry of a mounted XFS, by its own ioctl. */
#include <errno.h>
#include <sys/ioctl.h>
#include <xfs/xfs.h>

#include "daemon/geom.h"
#include "daemon/geom_raw.h"

int geom_read_xfs(int dirfd, bool inode32, struct geom *ret)
{
	struct xfs_fsop_geom geo = {0};
	struct geom_xfs_raw raw;

	if (ioctl(dirfd, XFS_IOC_FSGEOMETRY, &geo) < 0)
		return errno == ENOTTY ? -EOPNOTSUPP : -errno;
	raw = (struct geom_xfs_raw){
		.blocksize = geo.blocksize,
		.inodesize = geo.inodesize,
		.agblocks = geo.agblocks,
		.agcount = geo.agcount,
		.inode32 = inode32,
	};
	return geom_set_xfs(&raw, ret);
}

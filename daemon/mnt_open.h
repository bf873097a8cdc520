/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a mount point and making sure that it is the mount that was meant. */
#ifndef WB_MNT_OPEN_H
#define WB_MNT_OPEN_H

/*
 * A descriptor for reading of the root of mount @mnt_id at @path.  -ESTALE: the
 * path leads to another mount by now (unmounted, or hidden by a later one);
 * -errno of open(2) or statx(2).  The mount is busy while it is open: close soon.
 */
int mnt_open(const char *path, int mnt_id);

/* The mount of the open descriptor @fd by the kernel's own record in /proc: its file
 * system is not asked, so this cannot block on it.  The id or -errno. */
int mnt_fdinfo_id(int fd);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel ABI of the patch series in kernel/, for building without patched headers. */
#ifndef WB_UAPI_H
#define WB_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version of the directories in /sys/fs/writeback that this header is about. */
#define WB_KERNEL_ABI            1

/* The most writeback contexts a device can have. */
#define WB_KERNEL_CONTEXTS_MAX   64

/* The most ranges a file system's group_map can have. */
#define WB_KERNEL_MAP_RANGES_MAX 160

#ifndef FS_IOC_WRITEBACK_CONTEXT_GET

/*
 * How a file is written back.  Setting ignores group, folio_order and the GROUP flag;
 * reserved must be zero.
 */
struct fs_writeback_context {
	__u32 flags;       /* FS_WRITEBACK_CONTEXT_* */
	__u32 context;     /* that writes the file back, or to pin it to */
	__u32 group;       /* allocation group, if the GROUP flag is set */
	__u32 folio_order; /* that POSIX_FADV_WRITE_SIZE asked for, 0 if none */
	__u64 reserved[2];
};

#define FS_WRITEBACK_CONTEXT_PINNED  (1U << 0) /* whatever the map says */
#define FS_WRITEBACK_CONTEXT_GROUP   (1U << 1) /* group is valid */

/*
 * Any descriptor of the file; setting needs CAP_SYS_ADMIN.  EOPNOTSUPP: the file system
 * has no cgroup writeback; ENOTTY: not a patched kernel; ERANGE: no such context; EINVAL:
 * flags or reserved; EAGAIN: pinned, but moving it has to wait until it next becomes
 * dirty.
 */
#define FS_IOC_WRITEBACK_CONTEXT_GET _IOR(0x15, 32, struct fs_writeback_context)
#define FS_IOC_WRITEBACK_CONTEXT_SET _IOW(0x15, 33, struct fs_writeback_context)

#endif

/*
 * posix_fadvise(fd, 0, bytes, POSIX_FADV_WRITE_SIZE): the file is written in sequential
 * runs of about that many bytes, 0 for not known.  EBADF: not open for writing; EINVAL:
 * an offset, or not a patched kernel.
 */
#ifndef POSIX_FADV_WRITE_SIZE
#define POSIX_FADV_WRITE_SIZE 8
#endif

#endif

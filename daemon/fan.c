/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fanotify's calls, one place for their flags; see fan.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/fanotify.h>

#include "common/cleanup.h"
#include "daemon/fan.h"

#ifndef FAN_MARK_EVICTABLE
#define FAN_MARK_EVICTABLE 0x00000200 /* Linux 5.19 */
#endif
#ifndef FAN_MARK_IGNORE
#define FAN_MARK_IGNORE 0x00000400 /* Linux 6.0 */
#endif

int fan_group_open(void)
{
	int fd = fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID | FAN_NONBLOCK |
				       FAN_CLOEXEC,
			       O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static unsigned mark_flags(enum fan_marks kind)
{
	/* FAN_MARK_IGNORED_MASK rather than FAN_MARK_IGNORE: it is the older
	 * name, and for an inode that is no directory it means the same. */
	unsigned flags = FAN_MARK_IGNORED_MASK | FAN_MARK_IGNORED_SURV_MODIFY;

	return kind == FAN_MARKS_EVICTABLE ? flags | FAN_MARK_EVICTABLE : flags;
}

int fan_silence(int fan_fd, enum fan_marks kind, int fd)
{
	if (kind == FAN_MARKS_NONE)
		return -EOPNOTSUPP;
	if (fanotify_mark(fan_fd, FAN_MARK_ADD | mark_flags(kind), FAN_MODIFY, fd, NULL) <
	    0)
		return -errno;
	return 0;
}

int fan_rearm(int fan_fd, int fd)
{
	unsigned flags = FAN_MARK_REMOVE | FAN_MARK_IGNORED_MASK;

	if (fanotify_mark(fan_fd, flags, FAN_MODIFY, fd, NULL) < 0)
		return errno == ENOENT ? 0 : -errno; /* evicted with its inode */
	return 0;
}

/* Tries an ignore mark on the root directory, which is always there. */
enum fan_marks fan_probe_marks(void)
{
	CLEANUP(cleanup_closep) int fan = fan_group_open();
	CLEANUP(cleanup_closep) int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fan < 0 || fd < 0)
		return FAN_MARKS_NONE;
	if (fan_silence(fan, FAN_MARKS_EVICTABLE, fd) == 0)
		return FAN_MARKS_EVICTABLE;
	return fan_silence(fan, FAN_MARKS_PINNING, fd) == 0 ? FAN_MARKS_PINNING
							    : FAN_MARKS_NONE;
}

int fan_probe_fs_mark(int fan_fd)
{
	/* FAN_DELETE_SELF hardly ever happens, and the mark is gone with the group. */
	unsigned flags = FAN_MARK_ADD | FAN_MARK_FILESYSTEM;

	if (fanotify_mark(fan_fd, flags, FAN_DELETE_SELF, AT_FDCWD, "/") < 0)
		return errno == EPERM || errno == EINVAL ? -errno : 0;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fanotify as far as it is needed: a group that reports handles, ignore marks. */
#ifndef WB_FAN_H
#define WB_FAN_H

/* A new notification group with file handles (Linux 5.1, CAP_SYS_ADMIN for the
 * marks on file systems), non-blocking.  fd or -errno. */
int fan_group_open(void);

/* May a whole file system be marked?  Tried on "/"; 0 or -errno. */
int fan_probe_fs_mark(int fan_fd);

enum fan_marks { FAN_MARKS_NONE, FAN_MARKS_PINNING, FAN_MARKS_EVICTABLE };
/* What ignore marks this kernel has: evictable ones came with Linux 5.19. */
enum fan_marks fan_probe_marks(void);

/* Stop / resume notifications for the open file @fd.  May block; 0 or -errno. */
int fan_silence(int fan_fd, enum fan_marks kind, int fd);
int fan_rearm(int fan_fd, int fd);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One wbd per runtime directory. */
#ifndef WB_LOCK_H
#define WB_LOCK_H

#include <sys/types.h>

/* Takes DIR/wbd.lock (open file description lock, so it ends with the process)
 * and writes our pid into it.  Returns an fd to keep, or -errno; -EBUSY sets
 * *@ret_pid to the holder's pid (0 if it cannot be told). */
int lock_take(const char *dir, pid_t *ret_pid);

#endif

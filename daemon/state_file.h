/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files that the daemon keeps: read within bounds, replaced as a whole. */
#ifndef WB_STATE_FILE_H
#define WB_STATE_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * All of DIR/NAME, with a NUL behind it; free() it.  Links are not followed.
 * -ENOENT, -EBADMSG (no regular file, or more than @max bytes), or -errno.
 */
int state_file_read(const char *dir, const char *name, size_t max, char **ret,
		    size_t *ret_len);
/*
 * Makes @text the content of DIR/NAME, durably: whoever reads sees the old file or
 * the new one, also after a crash.  0 or -errno, and the old one stays.
 */
int state_file_replace(const char *dir, const char *name, const char *text);

#endif

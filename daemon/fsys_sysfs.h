/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small reads below ROOT/sys (or ROOT/proc), bounded and without stdio. */
#ifndef WB_FSYS_SYSFS_H
#define WB_FSYS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/cleanup.h"

#define SYSFS_NAME 64 /* of a kernel object, with its NUL */

/* First @len - 1 bytes of the file ROOT/FMT..., without the newline at the end.
 * Returns their number or -errno. */
int sysfs_read(const char *root, char *buf, size_t len, const char *fmt, ...)
	PRINTF(4, 5);
/* A decimal number; -EINVAL if it is none. */
int sysfs_u64(const char *root, uint64_t *ret, const char *fmt, ...) PRINTF(3, 4);
/* The number after @name, which a blank or a colon ends, at the beginning of a line of
 * @text: /proc/vmstat, /proc/meminfo and the like. */
bool sysfs_field(const char *text, const char *name, uint64_t *ret);
/* Target of the symbolic link ROOT/FMT..., as it stands. */
int sysfs_link(const char *root, char *buf, size_t len, const char *fmt, ...)
	PRINTF(4, 5);
bool sysfs_exists(const char *root, const char *fmt, ...) PRINTF(2, 3);

/* Names in the folder ROOT/FMT..., each at most SYSFS_NAME - 1 bytes, at most
 * @max; returns their number (0 if there is no such folder). */
size_t sysfs_list(const char *root, char (*ret)[SYSFS_NAME], size_t max, const char *fmt,
		  ...) PRINTF(4, 5);

/* A name that may stand in a path: no slash, not "." or "..", not too long. */
bool sysfs_name_ok(const char *name);
/* "MAJ:MIN" -> dev_t; -EINVAL if it is not exactly that. */
int sysfs_parse_devno(const char *s, dev_t *ret);

#endif

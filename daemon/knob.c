// SPDX-License-Identifier: GPL-2.0-or-later
/* One knob: where it is, how it is read and written, what its errors mean. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/knob.h"

#define BDI   "sys/class/bdi/%s/"
#define QUEUE "sys/devices/virtual/workqueue/writeback/"

static const struct {
	const char *name, *path, *state; /* %s: the bdi; state NULL: the same file */
} knobs[KNOB_N] = {
	[KNOB_MAX_BYTES] = {"max_bytes", BDI "max_bytes", BDI "max_ratio_fine"},
	[KNOB_MIN_BYTES] = {"min_bytes", BDI "min_bytes", BDI "min_ratio_fine"},
	[KNOB_STRICT_LIMIT] = {"strict_limit", BDI "strict_limit", NULL},
	[KNOB_READ_AHEAD] = {"read_ahead_kb", BDI "read_ahead_kb", NULL},
	[KNOB_CPUMASK] = {"writeback_cpumask", QUEUE "cpumask", NULL},
};

static const char *const states[] = {
	[KNOB_OK] = "ok",
	[KNOB_MANUAL] = "manual",
	[KNOB_UNSUPPORTED] = "unsupported",
	[KNOB_GONE] = "gone",
	[KNOB_REFUSED] = "refused",
	[KNOB_TRANSIENT] = "transient",
};

const char *knob_name(enum knob_kind k)
{
	return knobs[k].name;
}

int knob_find(const char *name)
{
	for (int i = 0; i < KNOB_N; i++)
		if (!strcmp(knobs[i].name, name))
			return i;
	return -1;
}

const char *knob_state_name(enum knob_state s)
{
	return states[s];
}

enum knob_state knob_state_find(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(states); i++)
		if (!strcmp(states[i], name))
			return (enum knob_state)i;
	return KNOB_GONE;
}

static void put_path(const char *fmt, const char *dev, char *ret)
{
	const char *at = strstr(fmt, "%s");

	if (at)
		(void)snprintf(ret, 256, "%.*s%s%s", (int)(at - fmt), fmt, dev, at + 2);
	else
		(void)snprintf(ret, 256, "%s", fmt);
}

void knob_path(enum knob_kind k, const char *dev, char ret[256])
{
	put_path(knobs[k].path, dev, ret);
}

void knob_state_path(enum knob_kind k, const char *dev, char ret[256])
{
	put_path(knobs[k].state ? knobs[k].state : knobs[k].path, dev, ret);
}

int knob_read(const char *root, const char *path, char ret[KNOB_VALUE])
{
	int r = sysfs_read(root, ret, KNOB_VALUE, "%s", path);

	return r < 0 ? r : 0;
}

int knob_write(const char *root, const char *path, const char *value)
{
	CLEANUP(cleanup_closep) int fd = -1;
	char full[PATH_MAX];
	size_t len = strlen(value);
	ssize_t n;

	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	/* No O_CREAT, no O_TRUNC needed: sysfs files are written as a whole.  Below a
	 * fake root the rest of a longer value must go. */
	fd = open(full, O_WRONLY | O_CLOEXEC | (*root ? O_TRUNC : 0));
	if (fd < 0)
		return -errno;
	n = write(fd, value, len);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

enum knob_state knob_classify(const char *root, const char *dev, int error)
{
	switch (-error) {
	case 0:
		return KNOB_OK;
	case ENOENT:
		return *dev && !sysfs_exists(root, "sys/class/bdi/%s", dev)
			       ? KNOB_GONE
			       : KNOB_UNSUPPORTED;
	case ENODEV:
	case ENXIO:
		return KNOB_GONE;
	case EOPNOTSUPP:
	case ENOSYS:
		return KNOB_UNSUPPORTED;
	case EINTR:
	case EAGAIN:
	case EBUSY:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return KNOB_TRANSIENT;
	default:
		return KNOB_REFUSED;
	}
}

void knob_identity(const char *root, const char *dev, char ret[80])
{
	char text[64];

	/* The kernel counts every disk that comes (5.15); before, a name of the
	 * hardware has to do.  Other bdis (btrfs-1) have numbers that never return. */
	if (*dev &&
	    sysfs_read(root, text, sizeof(text), "sys/dev/block/%s/diskseq", dev) > 0)
		(void)snprintf(ret, 80, "diskseq %s", text);
	else if (*dev && sysfs_read(root, text, sizeof(text),
				    "sys/dev/block/%s/device/wwid", dev) > 0)
		(void)snprintf(ret, 80, "wwid %s", text);
	else
		(void)snprintf(ret, 80, "name");
}

/* "00000000,0000000f" is "f". */
static void bare_mask(const char *s, char *ret)
{
	char *p = ret;

	for (; *s; s++) {
		if (*s == ',' || (*s == '0' && p == ret))
			continue;
		*p++ = *s >= 'A' && *s <= 'F' ? (char)(*s - 'A' + 'a') : *s;
	}
	*p = '\0';
}

bool knob_same(enum knob_kind k, const char *a, const char *b)
{
	char x[KNOB_VALUE], y[KNOB_VALUE];

	if (k != KNOB_CPUMASK)
		return !strcmp(a, b);
	bare_mask(a, x);
	bare_mask(b, y);
	return !strcmp(x, y);
}

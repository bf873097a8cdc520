// SPDX-License-Identifier: GPL-2.0-or-later
/* One knob: where it is, how it is read and written, what its errors mean. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "common/cleanup.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/gmap.h"
#include "daemon/kern.h"
#include "daemon/knob.h"

_Static_assert(KNOB_VALUE >= GMAP_TEXT, "a map must fit");

#define FS    KERN_DIR "/%s/"
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
	[KNOB_CONTEXTS] = {"writeback_contexts", BDI "writeback_contexts", NULL},
	[KNOB_GROUP_MAP] = {"group_map", FS "group_map", NULL},
	[KNOB_ORDER_MAX] = {"folio_order_max", FS "folio_order_max", NULL},
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

bool knob_is_late(enum knob_kind k)
{
	return k == KNOB_GROUP_MAP;
}

bool knob_of_fs(enum knob_kind k)
{
	return k == KNOB_GROUP_MAP || k == KNOB_ORDER_MAX;
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

static void on_alarm(int sig)
{
	(void)sig; /* it only has to interrupt write(2) */
}

/*
 * Lowering the number of contexts waits until their inodes have moved, which can take
 * as long as it likes.  The kernel goes on by itself if it is interrupted, so we wait
 * for a moment only.  The daemon's other threads block all signals.
 */
static void set_alarm(bool on)
{
	const struct itimerval t = {.it_value.tv_sec = on, .it_interval.tv_sec = on};
	struct sigaction sa = {.sa_handler = on ? on_alarm : SIG_DFL};

	if (on)
		(void)sigaction(SIGALRM, &sa, NULL);
	(void)setitimer(ITIMER_REAL, &t, NULL);
	if (!on)
		(void)sigaction(SIGALRM, &sa, NULL);
}

/* No O_CREAT, no O_TRUNC needed: sysfs files are written as a whole.  Below a fake root
 * the rest of a longer value must go. */
static int open_flags(const char *root)
{
	return O_WRONLY | O_CLOEXEC | (*root ? O_TRUNC : 0);
}

static int write_value(int fd, const char *value)
{
	size_t len = strlen(value);
	ssize_t n = write(fd, value, len);

	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static int write_contexts(int fd, const char *value)
{
	int r;

	set_alarm(true);
	r = write_value(fd, value);
	set_alarm(false);
	return r;
}

int knob_write(const char *root, const char *path, const char *value)
{
	CLEANUP(cleanup_closep) int fd = -1;
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, open_flags(root));
	return fd < 0 ? -errno : write_value(fd, value);
}

/* A map's lines change it; what is meant is all of it. */
static const char *whole(enum knob_kind k, const char *value, char buf[KNOB_VALUE + 16])
{
	if (k != KNOB_GROUP_MAP || !strcmp(value, "default"))
		return value;
	(void)snprintf(buf, KNOB_VALUE + 16, "default\n%s", value);
	return buf;
}

int knob_put(const char *root, enum knob_kind k, const char *dev, const char *identity,
	     const char *path, const char *value)
{
	CLEANUP(cleanup_closep) int dir = -1;
	CLEANUP(cleanup_closep) int fd = -1;
	char full[PATH_MAX], now[80], buf[KNOB_VALUE + 16];
	char *name;

	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	name = strrchr(full, '/');
	*name++ = '\0';
	/* The folder first, then whose it is: the folder of a device that went has no
	 * files any more, whoever comes next. */
	dir = open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	knob_identity(root, k, dev, now);
	if (strcmp(now, identity) != 0)
		return -ENODEV;
	fd = openat(dir, name, open_flags(root));
	if (fd < 0)
		return -errno;
	return k == KNOB_CONTEXTS ? write_contexts(fd, value)
				  : write_value(fd, whole(k, value, buf));
}

enum knob_state knob_classify(const char *root, enum knob_kind k, const char *dev,
			      int error)
{
	const char *folder = knob_of_fs(k) ? KERN_DIR : KERN_BDI_DIR;

	switch (-error) {
	case 0:
		return KNOB_OK;
	case ENOENT:
		return *dev && !sysfs_exists(root, "%s/%s", folder, dev)
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

void knob_identity(const char *root, enum knob_kind k, const char *dev, char ret[80])
{
	char text[64];

	/* These belong to a superblock, or to the bdi and not to what disk it is of. */
	if (knob_of_fs(k) || k == KNOB_CONTEXTS) {
		uint64_t id =
			kern_dir_id(root, knob_of_fs(k) ? KERN_DIR : KERN_BDI_DIR, dev);

		if (id)
			(void)snprintf(ret, 80, "inode %" PRIu64, id);
		else
			(void)snprintf(ret, 80, "gone");
		return;
	}
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
	struct gmap m, n;

	if (k == KNOB_GROUP_MAP && gmap_parse(a, &m) == 0 && gmap_parse(b, &n) == 0)
		return gmap_same(&m, &n);
	if (k != KNOB_CPUMASK)
		return !strcmp(a, b);
	bare_mask(a, x);
	bare_mask(b, y);
	return !strcmp(x, y);
}

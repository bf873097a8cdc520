/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Feature probes: each does the thing, once, and undoes it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/io_uring.h>

#include "common/cleanup.h"
#include "daemon/cachestat.h"
#include "daemon/fan.h"
#include "daemon/feats.h"
#include "daemon/kern.h"
#include "daemon/tracefs.h"

static const struct feat table[FEAT_N] = {
	[FEAT_KERNEL_CONTEXTS] =
		{
			.name = "kernel-contexts",
			.since = "the wb kernel series",
			.consequence = "contexts run in user space (the user engine)",
		},
	[FEAT_TRACE] =
		{
			.name = "trace",
			.since = "Linux 3.15, CAP_PERFMON or CAP_SYS_ADMIN, tracefs",
			.consequence =
				"dirty inodes are found by fanotify, which costs every "
				"write some per cent",
		},
	[FEAT_FANOTIFY] =
		{
			.name = "fanotify",
			.since = "Linux 5.1, CAP_SYS_ADMIN",
			.consequence = "btrfs and bcachefs cannot be managed",
		},
	[FEAT_EVICTABLE] =
		{
			.name = "evictable-marks",
			.since = "Linux 5.19",
			.consequence = "with fanotify, ignore marks keep inodes in "
				       "memory and are "
				       "limited to 8192; other inodes' writes cost more",
		},
	[FEAT_CACHESTAT] =
		{
			.name = "cachestat",
			.since = "Linux 6.5",
			.consequence = "dirty bytes are estimated from file sizes",
		},
	[FEAT_IO_URING] =
		{
			.name = "io_uring",
			.since = "Linux 5.6, kernel.io_uring_disabled = 0",
			.consequence = "a pool of threads does the flushing",
		},
	[FEAT_HANDLES] =
		{
			.name = "open-by-handle",
			.since = "Linux 2.6.39, CAP_DAC_READ_SEARCH",
			.consequence =
				"no inode can be reached: the user engine cannot work",
		},
	[FEAT_STATX_MNT_ID] =
		{
			.name = "statx-mnt-id",
			.since = "Linux 5.8",
			.consequence =
				"mounts are told apart through /proc, which is slower",
		},
};

static int probe_kernel(char *detail, size_t len)
{
	return kern_probe("", detail, len);
}

static int probe_trace(char *detail, size_t len)
{
	struct trace_format f;
	int fd, r = tracefs_dirty_inode(&f);

	if (r < 0) {
		(void)snprintf(detail, len, "tracefs: %s", strerror(-r));
		return r;
	}
	fd = tracefs_open_event(&f, 0, 0);
	if (fd < 0) {
		(void)snprintf(detail, len, "perf_event_open: %s", strerror(-fd));
		return fd;
	}
	(void)close(fd);
	(void)snprintf(detail, len, "tracepoint %llu", (unsigned long long)f.id);
	return 0;
}

/* Without CAP_SYS_ADMIN a group can be had, but no mark on a file system. */
static int probe_fanotify(char *detail, size_t len)
{
	CLEANUP(cleanup_closep) int fd = fan_group_open();
	int r = fd;

	if (fd >= 0)
		r = fan_probe_fs_mark(fd);
	if (r < 0)
		(void)snprintf(detail, len, "%s: %s",
			       fd < 0 ? "fanotify_init" : "fanotify_mark", strerror(-r));
	return r < 0 ? r : 0;
}

static int probe_evictable(char *detail, size_t len)
{
	enum fan_marks m = fan_probe_marks();

	if (m == FAN_MARKS_EVICTABLE)
		return 0;
	(void)snprintf(detail, len, "%s",
		       m == FAN_MARKS_PINNING ? "only marks that pin the inode"
					      : "no ignore marks at all");
	return -EINVAL;
}

static int probe_cachestat(char *detail, size_t len)
{
	int r = cachestat_probe();

	if (r < 0)
		(void)snprintf(detail, len, "cachestat: %s", strerror(-r));
	return r;
}

/* The three calls that the engine needs; a policy may forbid any of them. */
static int probe_uring(char *detail, size_t len)
{
	CLEANUP(cleanup_closep) int fd = -1, efd = eventfd(0, EFD_CLOEXEC);
	struct io_uring_params p = {0};
	const char *what = "io_uring_setup";
	int r = 0;

	fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (fd < 0) {
		r = -errno;
	} else if (syscall(SYS_io_uring_register, fd, IORING_REGISTER_EVENTFD, &efd, 1) <
		   0) {
		what = "io_uring_register";
		r = -errno;
	} else if (syscall(SYS_io_uring_enter, fd, 0, 0, 0, NULL, 0) < 0) {
		what = "io_uring_enter";
		r = -errno;
	}
	if (r < 0)
		(void)snprintf(detail, len, "%s: %s", what, strerror(-r));
	return r;
}

static int probe_handles(char *detail, size_t len)
{
	union {
		struct file_handle h;
		char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} u = {.h = {.handle_bytes = MAX_HANDLE_SZ}};
	CLEANUP(cleanup_closep) int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd, mnt, r;

	/* A handle of the root directory, or any at all: what is asked is whether
	 * we may, and that is decided before the handle is looked at. */
	if (name_to_handle_at(AT_FDCWD, "/", &u.h, &mnt, 0) < 0) {
		u.h.handle_bytes = 8;
		u.h.handle_type = 1;
	}
	fd = open_by_handle_at(dir, &u.h, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		(void)close(fd);
		return 0;
	}
	r = -errno;
	if (r != -EPERM && r != -ENOSYS)
		return 0;
	(void)snprintf(detail, len, "open_by_handle_at: %s", strerror(-r));
	return r;
}

static int probe_mnt_id(char *detail, size_t len)
{
	struct statx sx;

	if (statx(AT_FDCWD, "/", 0, STATX_MNT_ID, &sx) == 0 && sx.stx_mask & STATX_MNT_ID)
		return 0;
	(void)snprintf(detail, len, "statx tells no mount id");
	return -EOPNOTSUPP;
}

void feats_probe(struct feats *ret)
{
	static int (*const probe[FEAT_N])(char *detail, size_t len) = {
		[FEAT_KERNEL_CONTEXTS] = probe_kernel, [FEAT_TRACE] = probe_trace,
		[FEAT_FANOTIFY] = probe_fanotify,      [FEAT_EVICTABLE] = probe_evictable,
		[FEAT_CACHESTAT] = probe_cachestat,    [FEAT_IO_URING] = probe_uring,
		[FEAT_HANDLES] = probe_handles,        [FEAT_STATX_MNT_ID] = probe_mnt_id,
	};

	memcpy(ret->v, table, sizeof(table));
	for (int i = 0; i < FEAT_N; i++) {
		struct feat *f = &ret->v[i];
		int r = probe[i](f->detail, sizeof(f->detail));

		f->present = r == 0;
		f->error = -r;
	}
}

bool feats_kernel_engine(const struct feats *f, char *why, unsigned len)
{
	const struct feat *k = &f->v[FEAT_KERNEL_CONTEXTS];

	if (!k->present)
		(void)snprintf(why, len, "%s",
			       *k->detail ? k->detail
					  : "the kernel has no writeback contexts");
	return k->present;
}

bool feats_user_engine(const struct feats *f, char *why, unsigned len)
{
	const struct feat *trace = &f->v[FEAT_TRACE], *fan = &f->v[FEAT_FANOTIFY];

	if (!f->v[FEAT_HANDLES].present) {
		(void)snprintf(why, len, "inodes cannot be reached (%s)",
			       f->v[FEAT_HANDLES].detail);
		return false;
	}
	if (!trace->present && !fan->present) {
		(void)snprintf(why, len, "dirty inodes cannot be seen (%s; %s)",
			       trace->detail, fan->detail);
		return false;
	}
	return true;
}

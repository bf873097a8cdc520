// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The effect that needs no daemon: on a kernel with the wb series the size of a file's
 * writes chooses the order of its folios, as far as the file system's bounds allow.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "include/wb/uapi.h"
#include "libwb/int.h"

#define XFS_MAGIC      0x58465342UL
#define BCACHEFS_MAGIC 0xca451a4eUL
#define LARGE_FOLIOS   "/sys/kernel/mm/transparent_hugepage"

int wbi_order_advise(struct wb *wb, int fd, uint64_t bytes)
{
	int r;

	if (atomic_load_explicit(&wb->orders, memory_order_relaxed) == ORDERS_NO)
		return -EINVAL;
	r = posix_fadvise(fd, 0, (off_t)bytes, POSIX_FADV_WRITE_SIZE);
	/* Any other kernel says EINVAL; another error is about this file. */
	if (r == EINVAL)
		atomic_store(&wb->orders, ORDERS_NO);
	else if (r == 0)
		atomic_store(&wb->orders, ORDERS_YES);
	return -r;
}

/* The bound that the file system of @fd has; -errno if it tells none. */
static int order_max(int fd)
{
	char path[80], text[16] = "";
	unsigned order = 0;
	struct stat st;
	ssize_t n;
	int f;

	if (fstat(fd, &st) < 0)
		return -errno;
	(void)snprintf(path, sizeof(path), "/sys/fs/writeback/%u:%u/folio_order_max",
		       major(st.st_dev), minor(st.st_dev));
	f = open(path, O_RDONLY | O_CLOEXEC);
	if (f < 0)
		return -errno;
	n = read(f, text, sizeof(text) - 1);
	(void)close(f);
	return n > 0 && sscanf(text, "%u", &order) == 1 && order < 32 ? (int)order
								      : -EPROTO;
}

/* NULL: it is known to have large folios; else the clause that says what is not. */
static const char *why_no_large_folios(int fd)
{
	struct statfs sf;

	if (access(LARGE_FOLIOS, F_OK) < 0)
		return "this kernel was built without large folios";
	if (fstatfs(fd, &sf) < 0)
		return "the file system does not answer";
	switch ((unsigned long)sf.f_type) {
	case XFS_MAGIC:
	case BCACHEFS_MAGIC:
		return NULL;
	default:
		return "the kernel has it, but whether this file system has large "
		       "folios is not known";
	}
}

static const char *why_not(struct wb *wb, int fd)
{
	struct fs_writeback_context c = {0};
	int max;

	if (atomic_load_explicit(&wb->orders, memory_order_relaxed) == ORDERS_NO)
		return "this kernel takes no hints about folio orders";
	if (ioctl(fd, FS_IOC_WRITEBACK_CONTEXT_GET, &c) < 0) {
		if (errno == EOPNOTSUPP)
			return "this file system has no writeback contexts";
		return "this kernel takes no hints about folio orders";
	}
	if (!c.folio_order)
		return "nobody has said that the file is written in runs of two pages "
		       "or more";
	max = order_max(fd);
	if (max < 0)
		return "the file system has no bounds in /sys/fs/writeback";
	if (!max)
		return "the file system's folio_order_max in /sys/fs/writeback is 0";
	return why_no_large_folios(fd);
}

void wbi_order_effect(struct wb *wb, int fd, struct wb_effect *ret)
{
	const char *why = why_not(wb, fd);

	memset(ret, 0, sizeof(*ret));
	wbi_copy(ret->name, sizeof(ret->name), "folio-order");
	wbi_copy(ret->why, sizeof(ret->why), why ? why : "");
	ret->in_force = !why;
}

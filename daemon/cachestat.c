/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See cachestat.h; glibc has no wrapper. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "common/cleanup.h"
#include "daemon/cachestat.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451 /* the same on every architecture */
#endif

struct cs_range {
	uint64_t off, len; /* len 0: to the end */
};

struct cs {
	uint64_t nr_cache, nr_dirty, nr_writeback, nr_evicted, nr_recently_evicted;
};

int cachestat_dirty(int fd, uint64_t *ret)
{
	struct cs_range all = {0, 0};
	struct cs cs;

	if (syscall(SYS_cachestat, fd, &all, &cs, 0) < 0)
		return -errno;
	*ret = cs.nr_dirty * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

int cachestat_probe(void)
{
	CLEANUP(cleanup_closep) int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t dirty;

	return fd < 0 ? -errno : cachestat_dirty(fd, &dirty);
}

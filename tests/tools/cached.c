/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dirty and under-write-back bytes of files, by cachestat(2): cached [-s] FILE... or
 * cached -0 (names on stdin, each ended by a NUL).  -s prints only the sum.
 * Exit status 77: this kernel has no cachestat (before 6.5).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* As in <linux/mman.h> since 6.5; Debian 12's headers lack it. */
struct range {
	uint64_t off, len;
};
struct cached {
	uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

/* A file that is gone by now has nothing dirty. */
static int64_t dirty_bytes(const char *name)
{
	struct range whole = {0, 0};
	struct cached c = {0};
	int fd CLEANUP(cleanup_closep) = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (syscall(SYS_cachestat, fd, &whole, &c, 0))
		return -errno;
	return (int64_t)(c.dirty + c.writeback) * sysconf(_SC_PAGESIZE);
}

static int64_t show(const char *name, bool sum)
{
	int64_t n = dirty_bytes(name);

	if (n == -ENOSYS)
		exit(77);
	if (n < 0) {
		fprintf(stderr, "cached: %s: %s\n", name, strerror((int)-n));
		exit(1);
	}
	if (!sum)
		printf("%" PRId64 " %s\n", n, name);
	return n;
}

int main(int argc, char **argv)
{
	char *line CLEANUP(cleanup_freep) = NULL;
	bool sum = false, from_stdin = false;
	int64_t total = 0;
	size_t size = 0;
	int c;

	while ((c = getopt(argc, argv, "0s")) != -1) {
		if (c == '?')
			return 2;
		*(c == 's' ? &sum : &from_stdin) = true;
	}
	while (from_stdin && getdelim(&line, &size, '\0', stdin) > 0)
		total += show(line, sum);
	for (int i = optind; i < argc; i++)
		total += show(argv[i], sum);
	if (sum)
		printf("%" PRId64 "\n", total);
	return 0;
}

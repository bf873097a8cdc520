// SPDX-License-Identifier: GPL-2.0-or-later
/* Time, files of a set, whole writes: what wbload's modes share. */
#include "bench/wbload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ULL

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void sleep_until_ns(uint64_t when)
{
	struct timespec ts = {.tv_sec = (time_t)(when / NS_PER_S),
			      .tv_nsec = (long)(when % NS_PER_S)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

int fail(struct worker *w, int err, const char *what, unsigned i)
{
	if (!w->error) {
		w->error = err;
		snprintf(w->where, sizeof(w->where), "%s file %u: %s", what, i,
			 strerror(-err));
	}
	return err;
}

int open_file(struct worker *w, unsigned i, int flags)
{
	const struct load *l = w->l;
	char path[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/w%06u", l->dirs[i % l->n_dirs], i) >=
	    (int)sizeof(path))
		return fail(w, -ENAMETOOLONG, "open", i);
	fd = open(path, flags | O_CLOEXEC, 0644);
	return fd < 0 ? fail(w, -errno, "open", i) : fd;
}

int write_all(int fd, const void *buf, size_t len, uint64_t off)
{
	const char *p = buf;

	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

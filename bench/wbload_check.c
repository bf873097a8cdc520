// SPDX-License-Identifier: GPL-2.0-or-later
/* wbload's modes that only look, or not even that: verify, dirty, nothing. */
#include "bench/wbload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/pattern.h"
#include "common/cleanup.h"

#define READ_BYTES (256u << 10)

static bool block_ok(const struct load *l, const unsigned char *p, size_t len,
		     const struct pattern_key *k)
{
	if (pattern_check(p, len, k, l->any_gen))
		return true;
	return l->any_gen && pattern_is_hole(p, len);
}

/* 0, 1 for a file that is not what was written, -errno. */
static int verify_one(struct worker *w, unsigned i, unsigned char *buf)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_closep) int fd = open_file(w, i, O_RDONLY);
	struct pattern_key k = {.half = l->half, .seed = l->seed, .file = i};
	uint64_t off = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = pread(fd, buf, READ_BYTES, (off_t)off)) > 0) {
		for (ssize_t p = 0; p < n; p += PATTERN_BLOCK, k.block++)
			if (!block_ok(l, buf + p, MIN(PATTERN_BLOCK, (size_t)(n - p)),
				      &k))
				return 1;
		off += (uint64_t)n;
	}
	if (n < 0)
		return fail(w, -errno, "read", i);
	w->bytes += off;
	return off != l->size;
}

/* Goes on after a bad file, so that the count is of all of them. */
int mode_verify(struct worker *w)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_freep) unsigned char *buf = malloc(READ_BYTES);

	if (!buf)
		return fail(w, -ENOMEM, "buffer for", 0);
	for (unsigned i = w->index; i < l->files; i += l->threads) {
		int r = verify_one(w, i, buf);

		if (r > 0)
			fprintf(stderr, "wbload: file %u differs from what was written\n",
				i);
		if (r)
			w->bad++;
		else
			w->files++;
	}
	return 0;
}

/* cachestat(2), Linux 6.5; newer than Debian 12's headers. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
struct cs_range {
	uint64_t off, len;
};
struct cs_result {
	uint64_t nr_cache, nr_dirty, nr_writeback, nr_evicted, nr_recently_evicted;
};

int mode_dirty(struct worker *w)
{
	const struct load *l = w->l;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = w->index; i < l->files; i += l->threads, w->files++) {
		CLEANUP(cleanup_closep) int fd = open_file(w, i, O_RDONLY);
		struct cs_range range = {0, 0};
		struct cs_result cs;

		if (fd < 0)
			return fd;
		if (syscall(SYS_cachestat, fd, &range, &cs, 0) < 0)
			return fail(w, -errno, "cachestat of", i);
		w->dirty += (cs.nr_dirty + cs.nr_writeback) * page;
	}
	return 0;
}

int mode_nothing(struct worker *w)
{
	(void)w;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* wbload's modes that run for a time: overwrite, temp, latency. */
#include "bench/wbload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/pattern.h"
#include "common/cleanup.h"

#define NS 1e9

/* When write number @n may start, at @rate per second from @start on. */
static void pace(uint64_t start, uint64_t n, double rate)
{
	uint64_t when;

	if (rate <= 0)
		return;
	when = start + (uint64_t)((double)n / rate * NS);
	if (when > now_ns())
		sleep_until_ns(when);
}

/* The worker's files, opened (and given their size) once. */
static int open_set(struct worker *w, int *fds, unsigned n)
{
	const struct load *l = w->l;

	for (unsigned k = 0; k < n; k++) {
		unsigned i = w->index + k * l->threads;
		struct stat st;

		fds[k] = open_file(w, i, O_RDWR | O_CREAT);
		if (fds[k] < 0)
			return fds[k];
		if (fstat(fds[k], &st) < 0 || (st.st_size != (off_t)l->size &&
					       ftruncate(fds[k], (off_t)l->size) < 0))
			return fail(w, -errno, "truncate", i);
	}
	return 0;
}

static int overwrite_once(struct worker *w, const int *fds, unsigned n, uint64_t *state)
{
	const struct load *l = w->l;
	uint64_t v = pattern_next(state);
	unsigned k = (unsigned)(v >> 40) % n;
	unsigned char buf[PATTERN_BLOCK];
	struct pattern_key key = {.half = l->half,
				  .seed = l->seed,
				  .file = w->index + k * l->threads,
				  .block = (v & UINT32_MAX) % (l->size / PATTERN_BLOCK),
				  .gen = w->ops + 1};
	uint64_t t0;
	int r;

	pattern_fill(buf, &key);
	t0 = now_ns();
	r = write_all(fds[k], buf, sizeof(buf), key.block * PATTERN_BLOCK);
	w->max_ns = MAX(w->max_ns, now_ns() - t0);
	if (r < 0)
		return fail(w, r, "write", (unsigned)key.file);
	w->ops++;
	w->bytes += sizeof(buf);
	return 0;
}

int mode_overwrite(struct worker *w)
{
	const struct load *l = w->l;
	unsigned n = howmany(l->files - w->index, l->threads);
	uint64_t state = pattern_mix(l->seed + w->index) | 1;
	uint64_t start = now_ns(), end = start + (uint64_t)(l->seconds * NS);
	CLEANUP(cleanup_freep) int *fds = malloc(n * sizeof(*fds));
	int r;

	if (!fds)
		return fail(w, -ENOMEM, "descriptors of", w->index);
	memset(fds, 0xff, n * sizeof(*fds));
	r = open_set(w, fds, n);
	while (r >= 0 && now_ns() < end) {
		pace(start, w->ops, l->rate / l->threads);
		r = overwrite_once(w, fds, n, &state);
	}
	for (unsigned k = 0; k < n; k++)
		if (fds[k] >= 0)
			close(fds[k]);
	w->files = n;
	return r;
}

/* ---- files that die young -------------------------------------------------- */

static int temp_create(struct worker *w, unsigned i, unsigned char *buf)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_closep) int fd = open_file(w, i, O_WRONLY | O_CREAT | O_TRUNC);
	struct pattern_key key = {.half = l->half, .seed = l->seed, .file = i};
	int r = 0;

	if (fd < 0)
		return fd;
	for (uint64_t off = 0; off < l->size && r >= 0;
	     off += PATTERN_BLOCK, key.block++) {
		pattern_fill(buf, &key);
		r = write_all(fd, buf, MIN(PATTERN_BLOCK, l->size - off), off);
	}
	if (r < 0)
		return fail(w, r, "write", i);
	w->bytes += l->size;
	w->ops++;
	return 0;
}

static int temp_delete(struct worker *w, unsigned i)
{
	const struct load *l = w->l;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/w%06u", l->dirs[i % l->n_dirs], i);
	return unlink(path) < 0 ? fail(w, -errno, "unlink", i) : 0;
}

/* File i is created at i / rate and deleted when it is @life old. */
int mode_temp(struct worker *w)
{
	const struct load *l = w->l;
	double rate = l->rate > 0 ? l->rate : 100;
	unsigned all = (unsigned)(l->seconds * rate),
		 young = (unsigned)(l->life * rate) + 1;
	unsigned char buf[PATTERN_BLOCK];
	uint64_t start = now_ns();
	int r = 0;

	if (w->index)
		return 0;
	for (unsigned i = 0; i < all + young && r >= 0; i++) {
		pace(start, i, rate);
		if (i < all)
			r = temp_create(w, i, buf);
		if (r >= 0 && i >= young)
			r = temp_delete(w, i - young);
	}
	w->files = all;
	return r;
}

/* ---- what one write costs ---------------------------------------------------- */

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Mean nanoseconds of l->ops writes at random blocks. */
static int latency_batch(const struct load *l, int fd, uint64_t *state, double *ret)
{
	unsigned char buf[PATTERN_BLOCK];
	struct pattern_key key = {.half = l->half, .seed = l->seed};
	uint64_t blocks = l->size / PATTERN_BLOCK, t0;

	pattern_fill(buf, &key);
	t0 = now_ns();
	for (unsigned n = 0; n < l->ops; n++) {
		uint64_t b = pattern_next(state) % blocks;

		if (pwrite(fd, buf, sizeof(buf), (off_t)(b * PATTERN_BLOCK)) !=
		    sizeof(buf))
			return -errno;
	}
	*ret = (double)(now_ns() - t0) / l->ops;
	return 0;
}

int mode_latency(const struct load *l, json_t *out)
{
	struct worker w = {.l = l};
	CLEANUP(cleanup_closep) int fd = open_file(&w, 0, O_RDWR);
	CLEANUP(cleanup_freep) double *ns = calloc(l->batches, sizeof(*ns));
	uint64_t state = pattern_mix(l->seed) | 1;

	if (fd < 0 || !ns)
		return fd < 0 ? fd : -ENOMEM;
	for (unsigned b = 0; b < l->batches; b++) {
		int r = latency_batch(l, fd, &state, &ns[b]);

		if (r < 0)
			return r;
	}
	qsort(ns, l->batches, sizeof(*ns), compare_double);
	json_object_set_new(out, "ns_median", json_real(ns[l->batches / 2]));
	json_object_set_new(out, "ns_min", json_real(ns[0]));
	json_object_set_new(out, "ns_max", json_real(ns[l->batches - 1]));
	return 0;
}

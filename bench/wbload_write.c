// SPDX-License-Identifier: GPL-2.0-or-later
/* wbload's modes that write each file once: seq, rand, append, direct. */
#include "bench/wbload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/param.h>
#include <unistd.h>

#include "bench/pattern.h"
#include "common/cleanup.h"

/* The data of file @i from byte @off on (a multiple of a block). */
static void fill_range(const struct load *l, unsigned i, uint64_t off, unsigned char *buf,
		       size_t len)
{
	struct pattern_key k = {.half = l->half,
				.seed = l->seed,
				.file = i,
				.block = off / PATTERN_BLOCK};

	for (size_t done = 0; done < len; done += PATTERN_BLOCK, k.block++)
		pattern_fill(buf + done, &k);
}

static unsigned char *new_buffer(size_t len)
{
	void *p;

	return posix_memalign(&p, PATTERN_BLOCK, roundup(len, PATTERN_BLOCK)) ? NULL : p;
}

static int seq_one(struct worker *w, unsigned i, unsigned char *buf)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_closep) int fd = open_file(w, i, O_WRONLY | O_CREAT | O_TRUNC);

	if (fd < 0)
		return fd;
	for (uint64_t off = 0; off < l->size; off += l->block) {
		size_t len = MIN(l->block, l->size - off);
		int r;

		fill_range(l, i, off, buf, len);
		r = write_all(fd, buf, len, off);
		if (r < 0)
			return fail(w, r, "write", i);
		w->ops++;
	}
	w->bytes += l->size;
	return 0;
}

int mode_seq(struct worker *w)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_freep) unsigned char *buf = new_buffer(l->block);

	if (!buf)
		return fail(w, -ENOMEM, "buffer for", 0);
	for (unsigned i = w->index; i < l->files; i += l->threads, w->files++) {
		int r = seq_one(w, i, buf);

		if (r < 0)
			return r;
	}
	return 0;
}

/* 0 .. n-1 in an order that the seed decides. */
static uint32_t *new_shuffle(uint32_t n, uint64_t seed)
{
	uint32_t *v = calloc(n, sizeof(*v));
	uint64_t s = pattern_mix(seed) | 1;

	if (!v)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = (uint32_t)(pattern_next(&s) % (i + 1));

		v[i] = v[j];
		v[j] = i;
	}
	return v;
}

/* Every block once, in random order, into a file truncated to its size or as it is. */
static int rand_one(struct worker *w, unsigned i, const uint32_t *order, uint32_t n)
{
	const struct load *l = w->l;
	int first = l->in_place ? 0 : O_CREAT | O_TRUNC;
	CLEANUP(cleanup_closep) int fd = open_file(w, i, O_WRONLY | first);
	unsigned char buf[PATTERN_BLOCK];

	if (fd < 0)
		return fd;
	if (ftruncate(fd, (off_t)l->size) < 0)
		return fail(w, -errno, "truncate", i);
	for (uint32_t b = 0; b < n; b++) {
		uint64_t off = (uint64_t)order[b] * PATTERN_BLOCK;
		int r;

		fill_range(l, i, off, buf, sizeof(buf));
		r = write_all(fd, buf, MIN(sizeof(buf), l->size - off), off);
		if (r < 0)
			return fail(w, r, "write", i);
		w->ops++;
	}
	w->bytes += l->size;
	return 0;
}

int mode_rand(struct worker *w)
{
	const struct load *l = w->l;
	uint32_t n = (uint32_t)howmany(l->size, PATTERN_BLOCK);
	CLEANUP(cleanup_freep) uint32_t *order = new_shuffle(n, l->seed + w->index);

	if (!order)
		return fail(w, -ENOMEM, "order for", 0);
	for (unsigned i = w->index; i < l->files; i += l->threads, w->files++) {
		int r = rand_one(w, i, order, n);

		if (r < 0)
			return r;
	}
	return 0;
}

/* The files of a worker that stay open, by their place among them; -1: not open. */
struct open_files {
	int *fd;
	unsigned n;
};

static void close_one(int *fd)
{
	cleanup_closep(fd);
	*fd = -1;
}

static void close_files(struct open_files *f)
{
	for (unsigned k = 0; k < f->n; k++)
		close_one(&f->fd[k]);
	free(f->fd);
}

static int new_open_files(const struct load *l, struct open_files *f)
{
	f->fd = calloc(l->files, sizeof(*f->fd));
	if (!f->fd)
		return -ENOMEM;
	for (f->n = 0; f->n < l->files; f->n++)
		f->fd[f->n] = -1;
	return 0;
}

/* The next bytes of file @i through @fd, which is opened if it is not. */
static int append_one(struct worker *w, unsigned i, uint64_t off, unsigned char *buf,
		      int *fd)
{
	const struct load *l = w->l;
	size_t len = MIN(l->block, l->size - off);
	int r;

	if (*fd < 0)
		*fd = open_file(w, i,
				O_WRONLY | O_APPEND | (off ? 0 : O_CREAT | O_TRUNC));
	if (*fd < 0)
		return *fd;
	fill_range(l, i, off, buf, len);
	r = write_all(*fd, buf, len, off);
	if (r < 0)
		return fail(w, r, "append to", i);
	w->ops++;
	w->bytes += len;
	return 0;
}

/* All files of the worker grow at once, a write at a time, as logs do. */
int mode_append(struct worker *w)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_freep) unsigned char *buf = new_buffer(l->block);
	CLEANUP(close_files) struct open_files f = {0};

	if (!buf || new_open_files(l, &f) < 0)
		return fail(w, -ENOMEM, "buffer for", 0);
	for (uint64_t off = 0; off < l->size; off += l->block)
		for (unsigned i = w->index; i < l->files; i += l->threads) {
			int r = append_one(w, i, off, buf, &f.fd[i]);

			if (r < 0)
				return r;
			if (!l->keep_open)
				close_one(&f.fd[i]);
		}
	for (unsigned i = w->index; i < l->files; i += l->threads)
		w->files++;
	return 0;
}

/* Past the page cache into a file that is there already: what the device takes.
 * The data is made once, so that only the device is measured. */
static int direct_one(struct worker *w, unsigned i, const unsigned char *buf)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_closep) int fd = open_file(w, i, O_WRONLY | O_CREAT | O_DIRECT);

	if (fd < 0)
		return fd;
	for (uint64_t off = 0; off + l->block <= l->size; off += l->block) {
		int r = write_all(fd, buf, l->block, off);

		if (r < 0)
			return fail(w, r, "direct write to", i);
		w->ops++;
		w->bytes += l->block;
	}
	return 0;
}

int mode_direct(struct worker *w)
{
	const struct load *l = w->l;
	CLEANUP(cleanup_freep) unsigned char *buf = new_buffer(l->block);

	if (!buf)
		return fail(w, -ENOMEM, "buffer for", 0);
	fill_range(l, w->index, 0, buf, l->block);
	for (unsigned i = w->index; i < l->files; i += l->threads, w->files++) {
		int r = direct_one(w, i, buf);

		if (r < 0)
			return r;
	}
	return 0;
}

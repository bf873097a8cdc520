// SPDX-License-Identifier: LGPL-2.1-or-later
/* The paced writer: buffering and pacing; stream.h tells how it works. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libwb/int.h"
#include "libwb/stream.h"

#define CHUNK_DEFAULT ((uint64_t)1 << 20)
#define DIRTY_DEFAULT (8 * CHUNK_DEFAULT)
#define CHUNK_MIN     ((uint64_t)64 << 10)
#define CHUNK_MAX     ((uint64_t)1 << 30)
#define ALL_FLAGS     (WB_STREAM_PREALLOCATE | WB_STREAM_DATASYNC | WB_STREAM_NO_URING)

void wbi_stream_fail(struct wb_stream *s, int error)
{
	if (error < 0 && s->error == 0)
		s->error = error;
}

/* ---- flushes
 * --------------------------------------------------------------------------- */

/* The oldest flush is over. */
static void end_flush(struct wb_stream *s)
{
	const struct wbi_flush *f = &s->flush[s->flush_head];

	wbi_stream_fail(s, f->res);
	s->dirty -= f->bytes;
	s->flush_head = (s->flush_head + 1) % WBI_FLUSHES;
	s->flushes--;
}

static void end_done_pieces(struct wb_stream *s);

/* What came out of the ring, in order. */
static void collect(struct wb_stream *s)
{
	end_done_pieces(s);
	while (s->flushes && s->flush[s->flush_head].done)
		end_flush(s);
}

/* Waits for something in the ring; false if that is impossible. */
static bool wait_ring(struct wb_stream *s)
{
	int r = wbi_ring_wait(s);

	wbi_stream_fail(s, r);
	if (r == 0)
		collect(s);
	return r == 0;
}

static bool wait_flush(struct wb_stream *s)
{
	struct wbi_flush *f = &s->flush[s->flush_head];

	if (f->in_ring && !f->done)
		return wait_ring(s);
	if (!f->done)
		f->res = wbi_plain_wait(s, f);
	end_flush(s);
	return true;
}

/* What is in the page cache of the current chunk becomes a flush. */
static void cut(struct wb_stream *s)
{
	unsigned slot;
	int r = 0;

	while (s->flushes == WBI_FLUSHES && wait_flush(s))
		;
	/* While waiting, another piece may have ended and been cut with this one.  Or
	 * the ring is broken, which is the stream's error. */
	if (!s->unflushed || s->flushes == WBI_FLUSHES)
		return;
	slot = (s->flush_head + s->flushes++) % WBI_FLUSHES;
	s->flush[slot] = (struct wbi_flush){.off = s->flush_from,
					    .len = s->written - s->flush_from,
					    .bytes = s->unflushed,
					    .in_ring = s->ring != NULL};
	s->unflushed = 0;
	if (s->ring)
		r = wbi_ring_flush(s, slot);
	else
		wbi_plain_start(s, &s->flush[slot]);
	if (r < 0) {
		s->flush[slot].res = r;
		s->flush[slot].done = true;
	}
}

/* ---- pieces
 * ----------------------------------------------------------------------------- */

/* The page cache has @p. */
static void end_piece(struct wb_stream *s, const struct wbi_piece *p)
{
	if (!s->unflushed)
		s->flush_from = p->off;
	s->unflushed += p->len;
	s->written = p->off + p->len;
	if (p->cut || s->written / s->chunk > s->flush_from / s->chunk)
		cut(s);
}

static void end_done_pieces(struct wb_stream *s)
{
	while (s->pieces && s->piece[s->piece_head].done) {
		struct wbi_piece p = s->piece[s->piece_head];

		/* Short, or interrupted: the rest at once, here. */
		if (p.res == -EINTR || p.res == -EAGAIN)
			p.res = 0;
		if (p.res >= 0 && (size_t)p.res < p.len)
			p.res = wbi_write_all(s->fd, p.data + p.res,
					      p.len - (size_t)p.res,
					      p.off + (uint64_t)p.res);
		wbi_stream_fail(s, p.res);
		s->piece_head = (s->piece_head + 1) % WBI_PIECES;
		s->pieces--;
		end_piece(s, &p);
	}
}

/* At once, without the ring. */
static void write_plain(struct wb_stream *s, struct wbi_piece *p)
{
	struct stat st;
	int r = wbi_write_all(s->fd, p->data, p->len, p->off);

	/* With O_APPEND the kernel chooses the place. */
	if (r == 0 && s->append && fstat(s->fd, &st) == 0 &&
	    (uint64_t)st.st_size >= p->len) {
		p->off = (uint64_t)st.st_size - p->len;
		s->pos = (uint64_t)st.st_size;
	}
	wbi_stream_fail(s, r);
	end_piece(s, p);
}

/* Keeps the promise about dirty bytes before @len more of them. */
static void pace(struct wb_stream *s, size_t len)
{
	while (s->dirty + len > s->dirty_max) {
		if (s->flushes ? !wait_flush(s) : !s->pieces || !wait_ring(s))
			break;
	}
}

/* Starts @len bytes that end at s->pos. */
static void start_piece(struct wb_stream *s, const char *data, size_t len)
{
	struct wbi_piece p = {.data = data, .off = s->pos - len, .len = len};
	unsigned slot;
	int r;

	pace(s, len);
	s->dirty += len;
	if (!s->ring) {
		write_plain(s, &p);
		return;
	}
	slot = (s->piece_head + s->pieces) % WBI_PIECES;
	s->piece[slot] = p;
	s->pieces++;
	r = wbi_ring_write(s, slot);
	if (r < 0) {
		s->piece[slot].res = r;
		s->piece[slot].done = true;
		wbi_stream_fail(s, r);
	}
	/* There must always be one to fill. */
	while (s->pieces == WBI_PIECES && wait_ring(s))
		;
}

static char *filling(struct wb_stream *s)
{
	unsigned slot = s->ring ? (s->piece_head + s->pieces) % WBI_PIECES : 0;

	return s->mem + slot * WBI_PIECE;
}

static void submit_fill(struct wb_stream *s)
{
	size_t len = s->fill;

	s->fill = 0;
	if (len && s->error == 0)
		start_piece(s, filling(s), len);
}

static void wait_pieces(struct wb_stream *s)
{
	while (s->pieces && wait_ring(s))
		;
}

/* Bytes until the current piece ends. */
static size_t room(const struct wb_stream *s)
{
	uint64_t piece = WBI_PIECE - s->pos % WBI_PIECE;
	uint64_t chunk = s->chunk - s->pos % s->chunk;

	return (size_t)(piece < chunk ? piece : chunk);
}

/* A file of more than one piece is worth a ring. */
static void try_ring(struct wb_stream *s)
{
	struct wbi_ring *r;

	if (s->ring_tried || s->append || (s->flags & WB_STREAM_NO_URING))
		return;
	s->ring_tried = true;
	if (s->fill == 0 && wbi_ring_new(s->mem, &r) == 0)
		s->ring = r;
}

/* @n: at most room(). */
static void put(struct wb_stream *s, const char *data, size_t n)
{
	/* A whole piece need not be copied if it is written at once. */
	if (!s->ring && !s->fill && n == room(s)) {
		s->pos += n;
		start_piece(s, data, n);
		return;
	}
	memcpy(filling(s) + s->fill, data, n);
	s->fill += n;
	s->pos += n;
	if (s->pos % WBI_PIECE == 0 || s->pos % s->chunk == 0)
		submit_fill(s);
}

/* ---- the public face
 * ------------------------------------------------------------------------ */

static int read_options(struct wb_stream *s, const struct wb_stream_options *o,
			uint64_t *ret_file_size)
{
	struct wb_stream_options all = {0};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (o) {
		if (o->size < offsetof(struct wb_stream_options, file_size))
			return -EINVAL;
		memcpy(&all, o, o->size < sizeof(all) ? o->size : sizeof(all));
	}
	if ((all.flags & ~ALL_FLAGS) || all.file_size > INT64_MAX)
		return -EINVAL;
	if (!all.chunk)
		all.chunk = CHUNK_DEFAULT;
	if (all.chunk < CHUNK_MIN || all.chunk > CHUNK_MAX)
		return -EINVAL;
	s->flags = all.flags;
	s->chunk = (all.chunk + page - 1) / page * page;
	s->dirty_max = all.dirty_max ? all.dirty_max : DIRTY_DEFAULT;
	if (s->dirty_max < 2 * s->chunk)
		s->dirty_max = 2 * s->chunk;
	*ret_file_size = all.file_size;
	return 0;
}

static int find_start(struct wb_stream *s)
{
	int flags = fcntl(s->fd, F_GETFL);
	struct stat st;
	off_t at;

	if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY ||
	    fstat(s->fd, &st) < 0)
		return -EBADF;
	if (!S_ISREG(st.st_mode))
		return -EOPNOTSUPP;
	if (flags & O_DIRECT)
		return -EINVAL;
	s->append = flags & O_APPEND;
	at = s->append ? st.st_size : lseek(s->fd, 0, SEEK_CUR);
	if (at < 0)
		return -errno;
	s->pos = s->written = (uint64_t)at;
	return 0;
}

static int prepare(struct wb_stream *s, uint64_t file_size)
{
	int r = 0;

	if ((s->flags & WB_STREAM_PREALLOCATE) && file_size > s->pos) {
		r = wbi_preallocate(s->fd, s->pos, file_size);
		if (r == 0)
			s->allocated = file_size;
		else if (r == -EOPNOTSUPP || r == -ENOSYS || r == -EPERM)
			r = 0; /* not everywhere; a convenience */
	}
	if (r < 0)
		return r;
	/* Untouched pages of it cost nothing. */
	s->mem = mmap(NULL, WBI_PIECES * WBI_PIECE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return s->mem == MAP_FAILED ? -ENOMEM : 0;
}

int wb_stream_open(struct wb *wb, int fd, const struct wb_stream_options *options,
		   struct wb_stream **ret)
{
	KEEP_ERRNO;
	struct wb_stream *s;
	uint64_t file_size = 0;
	int r;

	if (!ret)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->fd = fd;
	r = find_start(s);
	if (r == 0)
		r = read_options(s, options, &file_size);
	if (r == 0 && wb)
		(void)wbi_hint(wb, fd, s->chunk, file_size);
	if (r == 0)
		r = prepare(s, file_size);
	if (r < 0) {
		free(s);
		return r;
	}
	*ret = s;
	return 0;
}

int wb_stream_write(struct wb_stream *s, const void *data, size_t len)
{
	const char *p = data;
	KEEP_ERRNO;

	if (!s || (!data && len))
		return -EINVAL;
	if (len > (uint64_t)INT64_MAX - s->pos)
		return s->error ? s->error : -EFBIG;
	while (len && s->error == 0) {
		size_t n;

		if (s->fill == 0 && (len >= room(s) || s->dirty))
			try_ring(s);
		n = room(s) < len ? room(s) : len;
		put(s, p, n);
		p += n;
		len -= n;
	}
	return s->error;
}

int wb_stream_skip(struct wb_stream *s, uint64_t bytes)
{
	KEEP_ERRNO;

	if (!s)
		return -EINVAL;
	if (s->append)
		return -ESPIPE;
	if (bytes > (uint64_t)INT64_MAX - s->pos)
		return -EFBIG;
	submit_fill(s);
	/* A chunk ends before a hole that goes beyond it. */
	if ((s->pos + bytes) / s->chunk > s->pos / s->chunk) {
		if (s->pieces)
			s->piece[(s->piece_head + s->pieces - 1) % WBI_PIECES].cut = true;
		else
			cut(s);
	}
	s->pos += bytes;
	return s->error;
}

int wb_stream_flush(struct wb_stream *s)
{
	KEEP_ERRNO;

	if (!s)
		return -EINVAL;
	submit_fill(s);
	wait_pieces(s);
	return s->error;
}

/* Gives back what was allocated beyond the end, if nobody else has written there. */
static void trim(struct wb_stream *s)
{
	struct stat st;

	if (s->allocated > s->pos && fstat(s->fd, &st) == 0 &&
	    (uint64_t)st.st_size <= s->pos)
		wbi_stream_fail(s, ftruncate(s->fd, st.st_size) < 0 ? -errno : 0);
}

static void finish(struct wb_stream *s)
{
	submit_fill(s);
	wait_pieces(s);
	cut(s);
	while (s->flushes && wait_flush(s))
		;
	trim(s);
	if (!s->append && lseek(s->fd, (off_t)s->pos, SEEK_SET) < 0)
		wbi_stream_fail(s, errno == EINVAL ? -EFBIG : -errno);
	if ((s->flags & WB_STREAM_DATASYNC) && s->error == 0)
		while (fdatasync(s->fd) < 0)
			if (errno != EINTR) {
				wbi_stream_fail(s, -errno);
				break;
			}
}

int wb_stream_close(struct wb_stream *s)
{
	KEEP_ERRNO;
	int r;

	if (!s)
		return 0;
	finish(s);
	r = s->error;
	(void)wbi_ring_free(s->ring);
	(void)munmap(s->mem, WBI_PIECES * WBI_PIECE);
	free(s);
	return r;
}

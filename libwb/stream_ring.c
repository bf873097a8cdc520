// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the paced writer does through io_uring, with registered buffers if allowed. */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>

#include "include/wb/wb.h"
#include "libwb/stream.h"

/* All pieces and flushes there can be. */
#define ENTRIES  128
#define IS_FLUSH 0x100U

struct wbi_ring {
	struct io_uring ring;
	bool fixed;  /* the pieces' memory is registered */
	bool broken; /* the kernel refused what we had queued */
	unsigned busy;
};

/* The kernel has what we need. */
static int probe(struct io_uring *ring)
{
	struct io_uring_probe *p = io_uring_get_probe_ring(ring);
	int r;

	if (!p)
		return -EOPNOTSUPP;
	r = io_uring_opcode_supported(p, IORING_OP_WRITE) &&
			    io_uring_opcode_supported(p, IORING_OP_WRITE_FIXED) &&
			    io_uring_opcode_supported(p, IORING_OP_SYNC_FILE_RANGE)
		    ? 0
		    : -EOPNOTSUPP;
	io_uring_free_probe(p);
	return r;
}

/* A ring that was made may still be one that must not be used (seccomp). */
static int try_out(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	int r;

	if (!sqe)
		return -EOPNOTSUPP;
	io_uring_prep_nop(sqe);
	do
		r = io_uring_submit_and_wait(ring, 1);
	while (r == -EINTR);
	if (r < 0)
		return r;
	do
		r = io_uring_wait_cqe(ring, &cqe);
	while (r == -EINTR);
	if (r == 0)
		io_uring_cqe_seen(ring, cqe);
	return r;
}

int wbi_ring_new(char *mem, struct wbi_ring **ret)
{
	struct iovec v[WBI_PIECES];
	struct wbi_ring *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return -ENOMEM;
	e = io_uring_queue_init(ENTRIES, &r->ring, 0);
	if (e < 0) {
		free(r);
		return e;
	}
	e = probe(&r->ring);
	if (e == 0)
		e = try_out(&r->ring);
	if (e < 0) {
		(void)wbi_ring_free(r);
		return e;
	}
	for (size_t i = 0; i < WBI_PIECES; i++)
		v[i] = (struct iovec){mem + i * WBI_PIECE, WBI_PIECE};
	/* It counts as locked memory, of which there may be too little. */
	r->fixed = io_uring_register_buffers(&r->ring, v, WBI_PIECES) == 0;
	*ret = r;
	return 0;
}

struct wbi_ring *wbi_ring_free(struct wbi_ring *r)
{
	if (r) {
		io_uring_queue_exit(&r->ring);
		free(r);
	}
	return NULL;
}

/* There is room for all there can be, so nothing is in the way but memory. */
static int submit(struct wbi_ring *r)
{
	int e;

	do
		e = io_uring_submit(&r->ring);
	while (e == -EINTR || e == -EAGAIN);
	if (e < 0) {
		r->broken = true; /* it must not go with something later */
		return e;
	}
	r->busy++;
	return 0;
}

static struct io_uring_sqe *get_sqe(struct wbi_ring *r)
{
	return r->broken ? NULL : io_uring_get_sqe(&r->ring);
}

int wbi_ring_write(struct wb_stream *s, unsigned slot)
{
	struct io_uring_sqe *sqe = get_sqe(s->ring);
	const struct wbi_piece *p = &s->piece[slot];

	if (!sqe)
		return -EIO;
	if (s->ring->fixed)
		io_uring_prep_write_fixed(sqe, s->fd, p->data, (unsigned)p->len, p->off,
					  (int)slot);
	else
		io_uring_prep_write(sqe, s->fd, p->data, (unsigned)p->len, p->off);
	/* By a worker: the caller makes the next piece meanwhile. */
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	io_uring_sqe_set_data64(sqe, slot);
	return submit(s->ring);
}

int wbi_ring_flush(struct wb_stream *s, unsigned slot)
{
	struct io_uring_sqe *sqe = get_sqe(s->ring);
	const struct wbi_flush *f = &s->flush[slot];

	if (!sqe)
		return -EIO;
	io_uring_prep_sync_file_range(sqe, s->fd, (unsigned)f->len, f->off,
				      SYNC_FILE_RANGE_WAIT_BEFORE |
					      SYNC_FILE_RANGE_WRITE |
					      SYNC_FILE_RANGE_WAIT_AFTER);
	io_uring_sqe_set_data64(sqe, slot | IS_FLUSH);
	return submit(s->ring);
}

static void mark(struct wb_stream *s, const struct io_uring_cqe *cqe)
{
	unsigned slot = (unsigned)io_uring_cqe_get_data64(cqe);

	if (slot & IS_FLUSH) {
		s->flush[slot & ~IS_FLUSH].res = cqe->res;
		s->flush[slot & ~IS_FLUSH].done = true;
	} else {
		s->piece[slot].res = cqe->res;
		s->piece[slot].done = true;
	}
	s->ring->busy--;
}

int wbi_ring_wait(struct wb_stream *s)
{
	struct io_uring_cqe *cqe;
	int r;

	if (!s->ring->busy)
		return -EIO;
	do
		r = io_uring_wait_cqe(&s->ring->ring, &cqe);
	while (r == -EINTR || r == -EAGAIN);
	while (r == 0) {
		mark(s, cqe);
		io_uring_cqe_seen(&s->ring->ring, cqe);
		if (io_uring_peek_cqe(&s->ring->ring, &cqe) < 0)
			break;
	}
	return r;
}

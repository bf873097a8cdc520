/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside the paced writer.
 *
 * Data moves in pieces (what is written at once) and is brought to the device in
 * chunks.  A piece never crosses the end of a chunk.  Both are queues in file order:
 *
 *    write()    pieces              flushes
 *   --------> [ . . . . ] ------> [ . . ] ------> on the device
 *              in memory     in the page cache, dirty or being written
 *
 * When the last piece of a chunk is in the page cache, the chunk becomes a flush.  No
 * piece is started as long as it would make more than dirty_max bytes dirty; then the
 * oldest flush is waited for.
 *
 * With a ring, pieces and flushes run in the kernel's workers while the caller makes
 * more data; without one each piece is written at once, a flush is started at once
 * and waited for when it must be over.  Waiting takes the mapping's error: it is the
 * caller's own descriptor, and wb_stream_close() tells it.
 */
#ifndef WBI_STREAM_H
#define WBI_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WBI_PIECES  4U
#define WBI_PIECE   ((size_t)1 << 20)
#define WBI_FLUSHES 64U

struct wbi_piece {
	const char *data;
	uint64_t off;
	size_t len;
	bool cut;  /* a hole follows: the chunk ends here */
	bool done; /* out of the ring */
	int res;
};

struct wbi_flush {
	uint64_t off, len;
	uint64_t bytes; /* of data in it; the rest are holes */
	bool in_ring;   /* not if there was no ring yet */
	bool done;
	int res;
};

struct wbi_ring;

struct wb_stream {
	int fd;
	uint32_t flags;
	bool append;
	bool ring_tried;
	bool no_range; /* sync_file_range() is denied: fdatasync() instead */
	int error;     /* the first; sticky */
	uint64_t chunk, dirty_max;
	uint64_t pos;        /* where the caller's next byte goes */
	uint64_t allocated;  /* end of what was preallocated, 0: nothing */
	uint64_t dirty;      /* bytes of pieces started and not yet flushed */
	uint64_t flush_from; /* start of the chunk that is being filled ... */
	uint64_t written;    /* ... how far the page cache has it ... */
	uint64_t unflushed;  /* ... and how many of those bytes are data */
	char *mem;           /* WBI_PIECES of WBI_PIECE each */
	size_t fill;         /* bytes in the piece that is being filled */
	struct wbi_ring *ring;
	unsigned piece_head, pieces; /* busy ones */
	unsigned flush_head, flushes;
	struct wbi_piece piece[WBI_PIECES];
	struct wbi_flush flush[WBI_FLUSHES];
};

void wbi_stream_fail(struct wb_stream *s, int error);

/* ---- plain system calls (stream_plain.c) ---- */

/* All of @len: short writes and signals are dealt with.  0 or -errno. */
int wbi_write_all(int fd, const char *data, size_t len, uint64_t off);
/* Starts the write-back of @f; waits for it and takes its error. */
void wbi_plain_start(struct wb_stream *s, const struct wbi_flush *f);
int wbi_plain_wait(struct wb_stream *s, const struct wbi_flush *f);
int wbi_preallocate(int fd, uint64_t from, uint64_t to);

/* ---- io_uring (stream_ring.c) ---- */

/* -errno where it is not to be had. */
int wbi_ring_new(char *mem, struct wbi_ring **ret);
struct wbi_ring *wbi_ring_free(struct wbi_ring *r);
/* Slots are indices into the stream's queues. */
int wbi_ring_write(struct wb_stream *s, unsigned slot);
int wbi_ring_flush(struct wb_stream *s, unsigned slot);
/* Waits for at least one completion and marks what is done. */
int wbi_ring_wait(struct wb_stream *s);

#endif

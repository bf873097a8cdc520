/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting write-back of a range, one interface over two ways: a ring
 * (io_uring) or the worker pool, where rings are not allowed.
 *
 * Only SYNC_FILE_RANGE_WRITE is ever asked for.  The WAIT flags would make the
 * kernel report a write error to this descriptor and mark it as seen, and then
 * an application that opens the file later would never hear of it.
 */
#ifndef WB_IO_H
#define WB_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/pool.h"

struct ev_loop;
struct io;

enum io_kind { IO_FLUSH, IO_CLOSE };

/* Embedded in the caller's object; untouched by it until done(). */
struct io_op {
	struct pool_job job; /* must be first: the thread way runs the op as a job */
	enum io_kind kind;
	int fd;
	uint64_t off, len; /* IO_FLUSH */
	int cpu;           /* threads: run there, -1: anywhere */
	int res;           /* 0 or -errno */
	void (*done)(struct io_op *op);
	struct io_op *next; /* waiting for room in the ring */
};

/* @use_ring: try io_uring; where it is refused, threads are used and io_why_not()
 * says why. */
int io_new(struct ev_loop *loop, struct pool *pool, bool use_ring, struct io **ret);
void io_submit(struct io *io, struct io_op *op);
const char *io_name(const struct io *io);    /* "io_uring" or "threads" */
const char *io_why_not(const struct io *io); /* NULL with a ring */
/* Waits for all operations, calls their done(). */
struct io *io_free(struct io *io);

#endif

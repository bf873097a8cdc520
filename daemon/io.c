/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses between ring and threads; the thread way is all here. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/io.h"
#include "daemon/io_ring.h"

struct io {
	struct pool *pool;
	struct io_ring *ring; /* NULL: threads */
	char why[128];
};

static const char *why_text(int err)
{
	switch (-err) {
	case EPERM:
		return "kernel.io_uring_disabled or a policy forbids it";
	case ENOSYS:
		return "the kernel lacks it or a seccomp filter hides it";
	case ENOMEM:
		return "the memory lock limit is too low";
	default:
		return "setting up a ring failed";
	}
}

int io_new(struct ev_loop *loop, struct pool *pool, bool use_ring, struct io **ret)
{
	struct io *io = calloc(1, sizeof(*io));
	int r;

	if (!io)
		return -ENOMEM;
	io->pool = pool;
	if (!use_ring) {
		(void)snprintf(io->why, sizeof(io->why),
			       "the configuration asks for threads");
	} else {
		r = io_ring_new(loop, &io->ring);
		if (r < 0)
			(void)snprintf(io->why, sizeof(io->why), "%s (%s)", why_text(r),
				       strerror(-r));
	}
	*ret = io;
	return 0;
}

static void thread_run(struct pool_job *job)
{
	struct io_op *op = (struct io_op *)job;
	int r;

	if (op->kind == IO_CLOSE)
		r = close(op->fd);
	else
		r = sync_file_range(op->fd, (off_t)op->off, (off_t)op->len,
				    SYNC_FILE_RANGE_WRITE);
	op->res = r < 0 ? -errno : 0;
}

static void thread_done(struct pool_job *job)
{
	struct io_op *op = (struct io_op *)job;

	op->done(op);
}

void io_submit(struct io *io, struct io_op *op)
{
	if (io->ring) {
		io_ring_submit(io->ring, op);
		return;
	}
	op->job =
		(struct pool_job){.run = thread_run, .done = thread_done, .cpu = op->cpu};
	pool_submit(io->pool, &op->job);
}

const char *io_name(const struct io *io)
{
	return io->ring ? "io_uring" : "threads";
}

const char *io_why_not(const struct io *io)
{
	return io->ring ? NULL : io->why;
}

struct io *io_free(struct io *io)
{
	if (!io)
		return NULL;
	io->ring = io_ring_free(io->ring);
	free(io);
	return NULL;
}

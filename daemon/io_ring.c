/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ring for all contexts: the kernel's io-wq workers belong to the task, not
 * to a ring, so more rings would not give more contexts.  What bounds a context
 * is the engine, which never has more than `in_flight` operations of it here.
 */
#include <errno.h>
#include <stdlib.h>
#include <liburing.h>
#include <sys/eventfd.h>
#include <fcntl.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/io_ring.h"

#define ENTRIES 256
#define RETRY_S 0.01

/* The kernel's own limit for regular files is 4 per CPU: one hung device would take
 * them all.  Workers come with the work, and the contexts bound that. */
#define WORKERS 64

struct io_ring {
	struct io_uring ring;
	struct ev_loop *loop;
	ev_io on_cqe;
	ev_prepare before_sleep; /* submits what the callbacks have queued, once */
	ev_timer retry;          /* the kernel was short of something */
	int efd;
	unsigned busy;
	struct io_op *wait_head, **wait_tail; /* no room in the ring */
};

static bool push(struct io_ring *r, struct io_op *op)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->ring);

	if (!sqe) {
		(void)io_uring_submit(&r->ring);
		sqe = io_uring_get_sqe(&r->ring);
	}
	if (!sqe)
		return false;
	if (op->kind == IO_CLOSE) {
		io_uring_prep_close(sqe, op->fd);
		io_uring_sqe_set_flags(sqe, IOSQE_ASYNC); /* the last put may block */
	} else {
		/* The prep helper takes a 32-bit length; the kernel reads sqe->len. */
		io_uring_prep_sync_file_range(sqe, op->fd, (unsigned)op->len, op->off,
					      SYNC_FILE_RANGE_WRITE);
	}
	io_uring_sqe_set_data(sqe, op);
	r->busy++;
	if (!ev_is_active(&r->before_sleep))
		ev_prepare_start(r->loop, &r->before_sleep);
	return true;
}

static void push_waiting(struct io_ring *r)
{
	while (r->wait_head) {
		struct io_op *op = r->wait_head;
		struct io_op *next = op->next;

		if (!push(r, op))
			return;
		r->wait_head = next;
		if (!next)
			r->wait_tail = &r->wait_head;
	}
}

/* The kernel may refuse (-EAGAIN, -EBUSY) or take only a part; if nothing of ours is
 * in flight, no completion will wake the loop, hence the timer. */
static void before_sleep(struct ev_loop *loop, ev_prepare *w, int revents)
{
	struct io_ring *r = w->data;

	(void)revents;
	(void)io_uring_submit(&r->ring);
	if (!io_uring_sq_ready(&r->ring))
		ev_prepare_stop(loop, w);
	else if (!ev_is_active(&r->retry))
		ev_timer_again(loop, &r->retry);
}

static void on_retry(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct io_ring *r = w->data;

	(void)revents;
	ev_timer_stop(loop, w); /* the loop turns, that is all */
	push_waiting(r);
}

/* Calls done() for all completions; they are copied out first, because done()
 * may submit. */
static void reap(struct io_ring *r)
{
	struct io_uring_cqe *cqe;

	while (io_uring_peek_cqe(&r->ring, &cqe) == 0) {
		struct io_op *op = io_uring_cqe_get_data(cqe);
		int res = cqe->res;

		io_uring_cqe_seen(&r->ring, cqe);
		r->busy--;
		op->res = res < 0 ? res : 0;
		op->done(op);
	}
	push_waiting(r);
}

static void on_cqe(struct ev_loop *loop, ev_io *w, int revents)
{
	struct io_ring *r = w->data;
	eventfd_t n;

	(void)loop;
	(void)revents;
	(void)eventfd_read(r->efd, &n);
	reap(r);
}

int io_ring_new(struct ev_loop *loop, struct io_ring **ret)
{
	struct io_ring *r = calloc(1, sizeof(*r));
	unsigned workers[2] = {WORKERS, 0}; /* 0: as it is */
	int e;

	if (!r)
		return -ENOMEM;
	e = io_uring_queue_init(ENTRIES, &r->ring, 0);
	if (e < 0)
		goto fail_free;
	r->efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->efd < 0) {
		e = -errno;
		goto fail_ring;
	}
	e = io_uring_register_eventfd(&r->ring, r->efd);
	if (e < 0)
		goto fail_efd;
	(void)io_uring_register_iowq_max_workers(&r->ring, workers); /* Linux 5.15 */
	r->loop = loop;
	r->wait_tail = &r->wait_head;
	ev_io_init(&r->on_cqe, on_cqe, r->efd, EV_READ);
	r->on_cqe.data = r;
	ev_io_start(loop, &r->on_cqe);
	ev_prepare_init(&r->before_sleep, before_sleep);
	r->before_sleep.data = r;
	ev_timer_init(&r->retry, on_retry, 0., RETRY_S);
	r->retry.data = r;
	*ret = r;
	return 0;
fail_efd:
	(void)close(r->efd);
fail_ring:
	io_uring_queue_exit(&r->ring);
fail_free:
	free(r);
	return e;
}

void io_ring_submit(struct io_ring *r, struct io_op *op)
{
	op->next = NULL;
	if (!r->wait_head && push(r, op))
		return;
	*r->wait_tail = op;
	r->wait_tail = &op->next;
}

struct io_ring *io_ring_free(struct io_ring *r)
{
	if (!r)
		return NULL;
	push_waiting(r);
	while (r->busy) {
		(void)io_uring_submit_and_wait(&r->ring, 1);
		reap(r);
	}
	ev_timer_stop(r->loop, &r->retry);
	ev_io_stop(r->loop, &r->on_cqe);
	ev_prepare_stop(r->loop, &r->before_sleep);
	io_uring_queue_exit(&r->ring);
	(void)close(r->efd);
	free(r);
	return NULL;
}

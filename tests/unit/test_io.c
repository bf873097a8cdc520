// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting write-back, the same tests for both ways. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/ev.h"
#include "daemon/io.h"

struct world {
	struct ev_loop *loop;
	struct pool *pool;
	struct io *io;
	int fd;
	unsigned done, to_submit;
	int want; /* every result */
};

struct op {
	struct io_op op; /* must be first */
	struct world *w;
};

static int open_file(void)
{
	char path[] = "/tmp/wb-test-io.XXXXXX";
	int fd = mkstemp(path);

	(void)unlink(path);
	if (ftruncate(fd, 1 << 20) < 0)
		abort();
	return fd;
}

static int set_up(void **state, bool ring)
{
	struct world *w = calloc(1, sizeof(*w));

	w->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	w->fd = open_file();
	*state = w;
	if (pool_new(w->loop, 2, &w->pool) < 0)
		return -1;
	return io_new(w->loop, w->pool, ring, &w->io);
}

static int set_up_ring(void **state)
{
	return set_up(state, true);
}

static int set_up_threads(void **state)
{
	return set_up(state, false);
}

static int tear_down(void **state)
{
	struct world *w = *state;

	pool_quiesce(w->pool);
	io_free(w->io);
	pool_free(w->pool);
	close(w->fd);
	ev_loop_destroy(w->loop);
	free(w);
	return 0;
}

static void done(struct io_op *op);

static void submit(struct world *w, enum io_kind kind, int fd, uint64_t off)
{
	struct op *o = calloc(1, sizeof(*o));

	o->op.kind = kind;
	o->op.fd = fd;
	o->op.off = off;
	o->op.len = 4096;
	o->op.cpu = -1;
	o->op.res = 77;
	o->op.done = done;
	o->w = w;
	io_submit(w->io, &o->op);
}

static void done(struct io_op *op)
{
	struct world *w = ((struct op *)op)->w;

	assert_int_equal(op->res, w->want);
	w->done++;
	free(op);
	if (w->to_submit) {
		w->to_submit--;
		submit(w, IO_FLUSH, w->fd, 0);
	}
}

static void spin(struct world *w, unsigned want)
{
	while (w->done < want)
		ev_run(w->loop, EVRUN_ONCE);
}

static void test_names(void **state)
{
	struct world *w = *state;

	if (!strcmp(io_name(w->io), "io_uring"))
		assert_null(io_why_not(w->io));
	else
		assert_non_null(io_why_not(w->io));
}

/* Many more than the ring has room for, and more from each done(). */
static void test_flood(void **state)
{
	struct world *w = *state;

	w->to_submit = 3000;
	for (unsigned n = 0; n < 3000; n++)
		submit(w, IO_FLUSH, w->fd, (n % 256) * 4096);
	assert_int_equal(w->done, 0); /* never from within submit */
	spin(w, 6000);
}

static void test_errors(void **state)
{
	struct world *w = *state;
	int p[2];

	w->want = -EBADF;
	submit(w, IO_FLUSH, 1000000, 0);
	spin(w, 1);
	assert_int_equal(pipe(p), 0);
	w->want = -ESPIPE;
	submit(w, IO_FLUSH, p[0], 0);
	spin(w, 2);
	close(p[0]);
	close(p[1]);
}

static void test_close(void **state)
{
	struct world *w = *state;
	int fd = dup(w->fd);

	submit(w, IO_CLOSE, fd, 0);
	spin(w, 1);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(errno, EBADF);
}

/* As engine_free() does it; what done() submits is waited for, too. */
static void test_free_waits(void **state)
{
	struct world *w = *state;

	w->to_submit = 700;
	for (unsigned n = 0; n < 700; n++)
		submit(w, IO_FLUSH, w->fd, 0);
	pool_quiesce(w->pool);
	w->io = io_free(w->io);
	assert_int_equal(w->done, 1400);
	assert_null(io_free(NULL));
}

/* The ring is refused: threads do it, and it is said why. */
static void test_no_ring(void **state)
{
	struct world *w = *state;
	struct rlimit old, few = {0, 0};

	pool_quiesce(w->pool);
	w->io = io_free(w->io);
	getrlimit(RLIMIT_NOFILE, &old);
	few.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_NOFILE, &few);
	assert_int_equal(io_new(w->loop, w->pool, true, &w->io), 0);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_string_equal(io_name(w->io), "threads");
	assert_non_null(strstr(io_why_not(w->io), strerror(EMFILE)));
	submit(w, IO_FLUSH, w->fd, 0);
	spin(w, 1);
}

#define BOTH(f)                                                     \
	{#f " (io_uring)", f, set_up_ring, tear_down, NULL},        \
	{                                                           \
#f " (threads)", f, set_up_threads, tear_down, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_names), BOTH(test_flood),      BOTH(test_errors),
		BOTH(test_close), BOTH(test_free_waits), BOTH(test_no_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

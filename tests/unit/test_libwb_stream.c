// SPDX-License-Identifier: GPL-2.0-or-later
/* The paced writer: the same bytes by every way, and every error told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "include/wb/wb.h"
#include "libwb/stream.h"

#define MIB ((size_t)1 << 20)

struct fixture {
	int fd;
	char path[64];
	char *data; /* 24 MiB of pattern */
};

static const uint32_t ways[] = {0, WB_STREAM_NO_URING};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->path, "wb-libwb-stream.XXXXXX");
	f->fd = mkostemp(f->path, O_CLOEXEC);
	assert_true(f->fd >= 0);
	f->data = malloc(24 * MIB);
	for (size_t i = 0; i < 24 * MIB / 4; i++)
		((uint32_t *)f->data)[i] = (uint32_t)i * 2654435761U;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	close(f->fd);
	unlink(f->path);
	free(f->data);
	free(f);
	return 0;
}

static struct wb_stream *stream(int fd, uint32_t flags, uint64_t chunk,
				uint64_t file_size)
{
	struct wb_stream_options o = {.size = sizeof(o),
				      .flags = flags,
				      .chunk = chunk,
				      .file_size = file_size};
	struct wb_stream *s;

	assert_int_equal(wb_stream_open(NULL, fd, &o, &s), 0);
	return s;
}

static void check(const struct fixture *f, off_t at, const char *want, size_t len)
{
	char *got = malloc(len);

	assert_int_equal(pread(f->fd, got, len, at), len);
	if (memcmp(got, want, len))
		fail_msg("other bytes between %lld and %lld", (long long)at,
			 (long long)at + (long long)len);
	free(got);
}

static off_t size_of(const struct fixture *f)
{
	struct stat st;

	assert_int_equal(fstat(f->fd, &st), 0);
	return st.st_size;
}

/* Seldom not (containers, tests/tools/deny); then both ways are the same. */
static bool have_ring(void)
{
	size_t len = WBI_PIECES * WBI_PIECE;
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	struct wbi_ring *r = NULL;
	bool have;

	assert_ptr_not_equal(mem, MAP_FAILED);
	have = wbi_ring_new(mem, &r) == 0;
	wbi_ring_free(r);
	munmap(mem, len);
	return have;
}

/* Writes of every length, from an odd offset. */
static void the_same_bytes_by_every_way(void **state)
{
	static const size_t lens[] = {1,       7,   4096,        65537,
				      1000003, MIB, 3 * MIB + 5, 2 * MIB - 1,
				      0,       123, 5 * MIB,     99999};
	struct fixture *f = *state;

	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct wb_stream *s;
		size_t at = 0;

		assert_int_equal(ftruncate(f->fd, 0), 0);
		assert_int_equal(lseek(f->fd, 1001, SEEK_SET), 1001);
		errno = ENOTTY;
		s = stream(f->fd, ways[w], MIB + 4096, 0);
		for (int i = 0; i < 40 && at < 20 * MIB; i++) {
			size_t n = lens[(size_t)i % (sizeof(lens) / sizeof(*lens))];

			n = n > 20 * MIB - at ? 20 * MIB - at : n;
			assert_int_equal(wb_stream_write(s, f->data + at, n), 0);
			at += n;
		}
		assert_int_equal(s->ring != NULL, ways[w] == 0 && have_ring());
		assert_int_equal(wb_stream_close(s), 0);
		assert_int_equal(errno, ENOTTY);
		assert_int_equal(lseek(f->fd, 0, SEEK_CUR), 1001 + at);
		assert_int_equal(size_of(f), 1001 + at);
		check(f, 1001, f->data, at);
	}
}

static void many_small_writes(void **state)
{
	struct fixture *f = *state;

	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct wb_stream *s;

		assert_int_equal(ftruncate(f->fd, 0), 0);
		assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
		s = stream(f->fd, ways[w], 65536, 0);
		for (size_t at = 0; at + 999 < 4 * MIB; at += 999)
			assert_int_equal(wb_stream_write(s, f->data + at, 999), 0);
		assert_int_equal(wb_stream_close(s), 0);
		check(f, 0, f->data, 4 * MIB / 999 * 999 - 999);
	}
}

/* Writes 16 MiB of which never more than @max bytes are dirty. */
static void stays_below(struct fixture *f, struct wb_stream_options o, uint64_t max)
{
	struct wb_stream *s;

	o.size = sizeof(o);
	assert_int_equal(wb_stream_open(NULL, f->fd, &o, &s), 0);
	assert_int_equal(s->dirty_max, max);
	for (size_t at = 0; at < 16 * MIB; at += 100000) {
		assert_int_equal(wb_stream_write(s, f->data + at, 100000), 0);
		assert_true(s->dirty <= max);
	}
	assert_int_equal(wb_stream_close(s), 0);
}

static void dirty_bytes_are_bounded(void **state)
{
	struct fixture *f = *state;

	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct wb_stream_options o = {.flags = ways[w]};

		stays_below(f, o, 8 * MIB);
		o.dirty_max = 3 * MIB;
		stays_below(f, o, 3 * MIB);
		/* Two chunks are the least. */
		o.chunk = 2 * MIB;
		stays_below(f, o, 4 * MIB);
		o.chunk = 8 * MIB;
		o.dirty_max = 0;
		stays_below(f, o, 16 * MIB);
	}
}

static void flush_makes_it_readable(void **state)
{
	struct fixture *f = *state;

	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct wb_stream *s;
		size_t at = 0;

		assert_int_equal(ftruncate(f->fd, 0), 0);
		assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
		s = stream(f->fd, ways[w], 2 * MIB, 0);
		for (size_t n = 100; at + n < 20 * MIB; at += n, n = n * 3 + 1) {
			assert_int_equal(wb_stream_write(s, f->data + at, n), 0);
			assert_int_equal(wb_stream_flush(s), 0);
			check(f, 0, f->data, at + n);
		}
		assert_int_equal(wb_stream_close(s), 0);
		check(f, 0, f->data, at);
	}
}

/* Small holes, holes beyond a chunk, a hole at the end. */
static void holes(void **state)
{
	static const uint64_t skips[] = {4096, 10, 3 * MIB, 1ULL << 33, 65536};
	struct fixture *f = *state;
	static char zero[4096];

	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct wb_stream *s;
		uint64_t at = 0;

		assert_int_equal(ftruncate(f->fd, 0), 0);
		assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
		s = stream(f->fd, ways[w], MIB, 0);
		for (size_t i = 0; i < sizeof(skips) / sizeof(*skips); i++) {
			assert_int_equal(wb_stream_write(s, f->data, 2 * MIB + 77), 0);
			assert_int_equal(wb_stream_skip(s, skips[i]), 0);
		}
		assert_int_equal(wb_stream_close(s), 0);
		for (size_t i = 0; i < sizeof(skips) / sizeof(*skips); i++) {
			check(f, (off_t)at, f->data, 2 * MIB + 77);
			at += 2 * MIB + 77;
			if (i < sizeof(skips) / sizeof(*skips) - 1)
				check(f, (off_t)at, zero, skips[i] < 4096 ? 10 : 4096);
			at += skips[i];
		}
		assert_int_equal(lseek(f->fd, 0, SEEK_CUR), at);
		assert_int_equal(size_of(f), at - 65536);
	}
}

static void appending(void **state)
{
	struct fixture *f = *state;
	int fd = open(f->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	struct wb_stream *s;

	assert_int_equal(write(f->fd, "head", 4), 4);
	s = stream(fd, 0, MIB, 0);
	assert_int_equal(wb_stream_write(s, f->data, 3 * MIB), 0);
	assert_int_equal(wb_stream_skip(s, 1), -ESPIPE);
	assert_int_equal(wb_stream_flush(s), 0);
	/* Somebody else appends: nothing is overwritten. */
	assert_int_equal(pwrite(f->fd, "tail", 4, 3 * (off_t)MIB + 4), 4);
	assert_int_equal(wb_stream_write(s, f->data, 2 * MIB), 0);
	assert_int_equal(wb_stream_close(s), 0);
	close(fd);
	assert_int_equal(size_of(f), 5 * MIB + 8);
	check(f, 0, "head", 4);
	check(f, 4 + 3 * (off_t)MIB - 9, f->data + 3 * MIB - 9, 9);
}

static void preallocation(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	struct wb_stream *s =
		stream(f->fd, WB_STREAM_PREALLOCATE | WB_STREAM_DATASYNC, MIB, 16 * MIB);

	assert_int_equal(fstat(f->fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_true(st.st_blocks * 512 >= 16 * (blkcnt_t)MIB);
	assert_int_equal(wb_stream_write(s, f->data, 2 * MIB), 0);
	assert_int_equal(wb_stream_close(s), 0);
	assert_int_equal(fstat(f->fd, &st), 0);
	assert_int_equal(st.st_size, 2 * MIB);
	/* What was not needed is given back. */
	assert_true(st.st_blocks * 512 < 4 * (blkcnt_t)MIB);
	check(f, 0, f->data, 2 * MIB);
}

static int open_error(int fd, const struct wb_stream_options *o)
{
	struct wb_stream *s = (void *)1;
	int r = wb_stream_open(NULL, fd, o, &s);

	if (r == 0)
		wb_stream_close(s);
	else
		assert_ptr_equal(s, (void *)1);
	return r;
}

static int open_error_close(int fd)
{
	int r = open_error(fd, NULL);

	close(fd);
	return r;
}

static void what_cannot_be_streamed(void **state)
{
	struct fixture *f = *state;
	struct wb_stream_options o = {.size = sizeof(o)};
	int p[2];

	assert_int_equal(pipe(p), 0);
	close(p[0]);
	assert_int_equal(open_error(-1, NULL), -EBADF);
	assert_int_equal(open_error_close(p[1]), -EOPNOTSUPP);
	assert_int_equal(open_error_close(open("/dev/null", O_WRONLY)), -EOPNOTSUPP);
	assert_int_equal(open_error_close(open(f->path, O_RDONLY)), -EBADF);
	assert_int_equal(open_error_close(open(f->path, O_PATH)), -EBADF);
	assert_int_equal(open_error_close(open(".", O_RDONLY)), -EBADF);
	assert_int_equal(open_error_close(open(f->path, O_WRONLY | O_DIRECT)), -EINVAL);
	assert_int_equal(open_error(f->fd, &o), 0);
	o.flags = 0x80;
	assert_int_equal(open_error(f->fd, &o), -EINVAL);
	o = (struct wb_stream_options){.size = 4};
	assert_int_equal(open_error(f->fd, &o), -EINVAL);
	o = (struct wb_stream_options){.size = sizeof(o), .chunk = 65535};
	assert_int_equal(open_error(f->fd, &o), -EINVAL);
	o.chunk = UINT64_MAX;
	assert_int_equal(open_error(f->fd, &o), -EINVAL);
	o = (struct wb_stream_options){.size = sizeof(o), .file_size = UINT64_MAX};
	assert_int_equal(open_error(f->fd, &o), -EINVAL);
	assert_int_equal(wb_stream_open(NULL, f->fd, NULL, NULL), -EINVAL);
	assert_int_equal(wb_stream_close(NULL), 0);
	assert_int_equal(wb_stream_write(NULL, "x", 1), -EINVAL);
	assert_int_equal(wb_stream_flush(NULL), -EINVAL);
	assert_int_equal(wb_stream_skip(NULL, 1), -EINVAL);
}

static void too_far(void **state)
{
	struct fixture *f = *state;
	struct wb_stream *s = stream(f->fd, 0, 0, 0);

	assert_int_equal(wb_stream_skip(s, UINT64_MAX), -EFBIG);
	assert_int_equal(wb_stream_skip(s, INT64_MAX - 10), 0);
	assert_int_equal(wb_stream_write(s, f->data, 4096), -EFBIG);
	/* No file system goes as far as that. */
	assert_int_equal(wb_stream_close(s), -EFBIG);
}

/* The first write beyond the limit is a short one, the next an error. */
static void a_short_write_and_then_an_error(void **state)
{
	struct fixture *f = *state;
	struct rlimit was, limit;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct wb_stream *s;
		int r = 0;

		assert_int_equal(ftruncate(f->fd, 0), 0);
		assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
		limit = was;
		limit.rlim_cur = 3 * MIB + 1234;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		s = stream(f->fd, ways[w], MIB, 0);
		for (size_t at = 0; at < 16 * MIB && r == 0; at += MIB / 2)
			r = wb_stream_write(s, f->data + at, MIB / 2);
		assert_int_equal(r, -EFBIG);
		assert_int_equal(wb_stream_write(s, f->data, 1), -EFBIG);
		assert_int_equal(wb_stream_close(s), -EFBIG);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
		assert_int_equal(size_of(f), 3 * MIB + 1234);
		check(f, 0, f->data, 3 * MIB + 1234);
	}
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void signals_in_the_middle(void **state)
{
	const struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
	struct sigaction sa = {.sa_handler = on_alarm}, was; /* no SA_RESTART */
	struct fixture *f = *state;

	assert_int_equal(sigaction(SIGALRM, &sa, &was), 0);
	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct wb_stream *s;
		int r;

		assert_int_equal(ftruncate(f->fd, 0), 0);
		assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
		setitimer(ITIMER_REAL, &often, NULL);
		s = stream(f->fd, ways[w] | WB_STREAM_DATASYNC, MIB, 0);
		r = wb_stream_write(s, f->data, 24 * MIB);
		if (r == 0)
			r = wb_stream_close(s);
		setitimer(ITIMER_REAL, &never, NULL);
		assert_int_equal(r, 0);
		check(f, 0, f->data, 24 * MIB);
	}
	sigaction(SIGALRM, &was, NULL);
}

/* Memory may be locked no more: the ring works with buffers that are not registered. */
static void no_memory_may_be_locked(void **state)
{
	struct fixture *f = *state;
	struct rlimit was, none;
	struct wb_stream *s;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &was), 0);
	none = was;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	assert_int_equal(seteuid(65534), 0);
	s = stream(f->fd, 0, MIB, 0);
	assert_int_equal(wb_stream_write(s, f->data, 20 * MIB), 0);
	assert_int_equal(wb_stream_close(s), 0);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &was), 0);
	check(f, 0, f->data, 20 * MIB);
}

#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_same_bytes_by_every_way),
		T(many_small_writes),
		T(dirty_bytes_are_bounded),
		T(flush_makes_it_readable),
		T(holes),
		T(appending),
		T(preallocation),
		T(what_cannot_be_streamed),
		T(too_far),
		T(a_short_write_and_then_an_error),
		T(signals_in_the_middle),
		T(no_memory_may_be_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

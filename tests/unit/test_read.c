// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading to the end what comes in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "common/cleanup.h"
#include "common/read.h"

/* A packet is one piece: the kernel gives no more in one read. */
static void test_pieces(void **state)
{
	char buf[16];
	int s[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	assert_int_equal(write(s[1], "one ", 4), 4);
	assert_int_equal(write(s[1], "two ", 4), 4);
	assert_int_equal(write(s[1], "three", 5), 5);
	close(s[1]);
	assert_int_equal(read_to_end(s[0], buf, sizeof(buf)), 13);
	assert_string_equal(buf, "one two three");
	close(s[0]);
}

static void test_bounded(void **state)
{
	char buf[9];
	int p[2];

	(void)state;
	memset(buf, '#', sizeof(buf));
	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], "0123456789", 10), 10);
	close(p[1]);
	assert_int_equal(read_to_end(p[0], buf, 6), 5);
	assert_memory_equal(buf, "01234\0###", 9);
	assert_int_equal(read_to_end(p[0], buf, 1), 0);
	assert_string_equal(buf, "");
	close(p[0]);
}

static void test_error(void **state)
{
	CLEANUP(cleanup_closep) int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[8];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(read_to_end(fd, buf, sizeof(buf)), -EISDIR);
	assert_int_equal(read_to_end(-1, buf, sizeof(buf)), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

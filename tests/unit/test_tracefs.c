// SPDX-License-Identifier: GPL-2.0-or-later
/* The tracepoint's description as kernels have it, and as none has. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/tracefs.h"

#define COMMON                                                                 \
	"format:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"             \
	"\n"
#define DEV  "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
#define INO  "\tfield:ino_t ino;\toffset:16;\tsize:8;\tsigned:0;\n"
#define MODE "\tfield:__u16 mode;\toffset:32;\tsize:2;\tsigned:0;\n"

/* x86-64, Linux 6.18; shortened where nothing is read. */
static const char real[] =
	"name: writeback_dirty_inode_enqueue\nID: 979\n" COMMON DEV INO
	"\tfield:unsigned long state;\toffset:24;\tsize:8;\tsigned:0;\n" MODE
	"\tfield:unsigned long dirtied_when;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"dev %d,%d ino %lu\", ((unsigned int) ((REC->dev) >> 20))\n";

static void test_real(void **state)
{
	struct trace_format f;

	(void)state;
	assert_int_equal(tracefs_parse(real, &f), 0);
	assert_int_equal(f.id, 979);
	assert_int_equal(f.dev.off, 8);
	assert_int_equal(f.dev.size, 4);
	assert_int_equal(f.ino.off, 16);
	assert_int_equal(f.ino.size, 8);
	assert_int_equal(f.mode.off, 32);
	assert_int_equal(f.mode.size, 2);
}

/* Every text that is cut off is refused or means the same. */
static void test_cut(void **state)
{
	char text[sizeof(real)];

	(void)state;
	for (size_t n = 0; n < sizeof(real); n++) {
		struct trace_format f = {.id = 1};

		memcpy(text, real, n);
		text[n] = '\0';
		if (tracefs_parse(text, &f) < 0) {
			assert_int_equal(f.id, 1); /* untouched */
			continue;
		}
		assert_int_equal(f.id, 979);
		assert_int_equal(f.mode.off, 32);
	}
}

static void test_hostile(void **state)
{
	static const char *const bad[] = {
		"",
		"ID: 5",
		"\nID: 5\n",
		"\nID: 0\n" DEV INO MODE,
		"\nID: x\n" DEV INO MODE,
		"\nID: 5\n" INO MODE,
		"\nID: 5\n" DEV MODE,
		"\nID: 5\n" DEV INO,
		/* too wide, empty, beyond every record, negative, not a number */
		"\nID: 5\n" DEV INO "field:u mode;\toffset:32;\tsize:9;",
		"\nID: 5\n" DEV INO "field:u mode;\toffset:32;\tsize:0;",
		"\nID: 5\n" DEV INO "field:u mode;\toffset:4096;\tsize:2;",
		"\nID: 5\n" DEV INO "field:u mode;\toffset:-1;\tsize:2;",
		"\nID: 5\n" DEV INO "field:u mode;\toffset:a;\tsize:2;",
		"\nID: 5\n" INO MODE "field:dev_t dev;\toffset:8;\tsize:8;",
		"\nID: 5\n" DEV INO "field:u xmode;\toffset:8;\tsize:2;",
		"\nID: 5\n" DEV INO "field:mode;field:;field:",
	};
	struct trace_format f = {.id = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(tracefs_parse(bad[i], &f), -EOPNOTSUPP);
		assert_int_equal(f.id, 1);
	}
}

static void test_other_layout(void **state)
{
	struct trace_format f;

	(void)state;
	/* 32-bit: small numbers; any order; no type. */
	assert_int_equal(
		tracefs_parse("name: x\nID: 7\n"
			      "field:umode_t mode;\toffset:8;\tsize:2;\n"
			      "field:ino;\toffset:12;\tsize:4;\n"
			      "field:unsigned long long dev;\toffset:16;\tsize:4;\n",
			      &f),
		0);
	assert_int_equal(f.ino.off, 12);
	assert_int_equal(f.ino.size, 4);
	assert_int_equal(f.dev.off, 16);
}

/* This kernel's, if it may be read. */
static void test_this_kernel(void **state)
{
	struct trace_format f;
	int r = tracefs_dirty_inode(&f);

	(void)state;
	if (r < 0) {
		print_message("tracefs: %s\n", strerror(-r));
		skip();
	}
	assert_true(f.id > 0);
	assert_int_equal(f.dev.size, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real),        cmocka_unit_test(test_cut),
		cmocka_unit_test(test_hostile),     cmocka_unit_test(test_other_layout),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

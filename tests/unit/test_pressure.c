// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory pressure from recorded and broken /proc files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/pressure.h"
#include "tests/unit/fake_root.h"

static void vmstat(struct fake_root *r, unsigned dirty, unsigned background)
{
	fake_file(r, "proc/vmstat",
		  "nr_free_pages 1\nnr_dirty_x 9\nnr_dirty %u\nnr_writeback 5\n"
		  "nr_dirty_threshold 4000\nnr_dirty_background_threshold %u\n",
		  dirty, background);
}

static void test_decide(void **state)
{
	(void)state;
	assert_false(pressure_decide(false, 999, 1000));
	assert_true(pressure_decide(false, 1000, 1000));
	/* It does not flutter. */
	assert_true(pressure_decide(true, 999, 1000));
	assert_true(pressure_decide(true, 750, 1000));
	assert_false(pressure_decide(true, 749, 1000));
	/* No threshold, no pressure. */
	assert_false(pressure_decide(false, UINT64_MAX, 0));
	assert_false(pressure_decide(true, 5, 0));
	assert_true(pressure_decide(true, UINT64_MAX, UINT64_MAX));
}

static void test_read(void **state)
{
	struct fake_root *r = *state;
	struct pressure p = {0};

	vmstat(r, 100, 1000);
	assert_int_equal(pressure_read(fake_root_path(r), &p), 0);
	assert_int_equal(p.dirty, 100);
	assert_int_equal(p.background, 1000);
	assert_false(p.on);
	vmstat(r, 1000, 1000);
	assert_int_equal(pressure_read(fake_root_path(r), &p), 0);
	assert_true(p.on);
	vmstat(r, 800, 1000);
	assert_int_equal(pressure_read(fake_root_path(r), &p), 0);
	assert_true(p.on);
	vmstat(r, 10, 1000);
	assert_int_equal(pressure_read(fake_root_path(r), &p), 0);
	assert_false(p.on);
}

static void test_broken(void **state)
{
	static const char *const text[] = {
		"",
		"\n\n",
		"nr_dirty",
		"nr_dirty 5\n",
		"nr_dirty x\nnr_dirty_background_threshold y",
		"xnr_dirty 5\nxnr_dirty_background_threshold 5\n",
	};
	struct fake_root *r = *state;
	struct pressure p = {.on = true};

	assert_int_equal(pressure_read(fake_root_path(r), &p), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		fake_file(r, "proc/vmstat", "%s", text[i]);
		assert_int_equal(pressure_read(fake_root_path(r), &p), -ENODATA);
		assert_true(p.on); /* as it was */
	}
}

static void test_long(void **state)
{
	struct fake_root *r = *state;
	struct pressure p = {0};
	char *pad = malloc(100001);

	memset(pad, 'x', 100000);
	pad[100000] = '\0';
	fake_file(r, "proc/vmstat", "nr_dirty 7\nnr_dirty_background_threshold 8\n%s",
		  pad);
	assert_int_equal(pressure_read(fake_root_path(r), &p), 0);
	assert_int_equal(p.dirty, 7);
	fake_file(r, "proc/vmstat", "%s\nnr_dirty 7\nnr_dirty_background_threshold 8\n",
		  pad);
	assert_int_equal(pressure_read(fake_root_path(r), &p), -ENODATA);
	free(pad);
}

static void test_expire(void **state)
{
	struct fake_root *r = *state;

	assert_int_equal(pressure_expire_ms(fake_root_path(r)), 35000); /* defaults */
	fake_file(r, "proc/sys/vm/dirty_expire_centisecs", "100\n");
	fake_file(r, "proc/sys/vm/dirty_writeback_centisecs", "0\n");
	assert_int_equal(pressure_expire_ms(fake_root_path(r)), 1000);
	fake_file(r, "proc/sys/vm/dirty_expire_centisecs", "4294967295\n");
	assert_int_equal(pressure_expire_ms(fake_root_path(r)), 42949672950);
}

/* This machine's own. */
static void test_real(void **state)
{
	struct pressure p = {0};

	(void)state;
	assert_int_equal(pressure_read("", &p), 0);
	assert_true(p.background > 0);
	assert_true(pressure_expire_ms("") > 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fake_root_setup, fake_root_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decide),
		TEST(test_read),
		TEST(test_broken),
		TEST(test_long),
		TEST(test_expire),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

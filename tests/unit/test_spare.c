// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether there is CPU time to spare, from recorded and real /proc/stat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/spare.h"
#include "tests/unit/fake_root.h"

static void test_decide(void **state)
{
	(void)state;
	assert_true(spare_decide(200, 20, 0));
	assert_false(spare_decide(200, 19, 0));
	assert_true(spare_decide(200, 0, 20)); /* what we use would be idle */
	assert_false(spare_decide(200, 0, 0));
	assert_true(spare_decide(0, 0, 0)); /* no time has passed */
}

static void write_stat(const struct fake_root *r, const char *line)
{
	fake_file(r, "proc/stat", "%s", line);
}

static void test_sample(void **state)
{
	struct fake_root *r = *state;
	struct spare s = {0};

	write_stat(r, "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 1 1 1 1\n");
	spare_sample(fake_root_path(r), &s);
	assert_true(s.enough); /* nothing to compare with */
	write_stat(r, "cpu  200000 0 100 1001 0 0 0 0 0 0\n");
	spare_sample(fake_root_path(r), &s);
	assert_false(s.enough);
	write_stat(r, "cpu  200100 0 100 1001 100 0 0 0 0 0\n"); /* waiting for I/O */
	spare_sample(fake_root_path(r), &s);
	assert_true(s.enough);
	write_stat(r, "cpu  300000 0 100 1001 100 0 0 0 0 0\n");
	spare_sample(fake_root_path(r), &s);
	assert_false(s.enough);
	write_stat(r, "what\n");
	spare_sample(fake_root_path(r), &s);
	assert_true(s.enough); /* cannot be told */
}

static void test_real(void **state)
{
	struct spare s = {0};

	(void)state;
	spare_sample("", &s);
	assert_true(s.total > 0);
	assert_true(s.idle <= s.total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decide),
		cmocka_unit_test_setup_teardown(test_sample, fake_root_setup,
						fake_root_teardown),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

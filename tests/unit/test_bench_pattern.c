// SPDX-License-Identifier: GPL-2.0-or-later
/* The data of demo and benchmarks: a check that cannot fail would prove nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bench/pattern.c" /* NOLINT(bugprone-suspicious-include): its statics, too */

static const struct pattern_key key = {.seed = 7, .file = 3, .block = 11};

static void test_same_key_same_data(void **state)
{
	unsigned char a[PATTERN_BLOCK], b[PATTERN_BLOCK];

	(void)state;
	pattern_fill(a, &key);
	pattern_fill(b, &key);
	assert_memory_equal(a, b, sizeof(a));
	assert_true(pattern_check(a, sizeof(a), &key, false));
	assert_true(pattern_check(a, 1, &key, false));
}

static void test_every_part_of_the_key_counts(void **state)
{
	unsigned char a[PATTERN_BLOCK];
	struct pattern_key k[] = {key, key, key, key, key};

	(void)state;
	k[0].seed++;
	k[1].file++;
	k[2].block++;
	k[3].gen++;
	k[4].half = true;
	for (size_t i = 0; i < sizeof(k) / sizeof(*k); i++) {
		pattern_fill(a, &k[i]);
		assert_false(pattern_check(a, sizeof(a), &key, false));
	}
}

static void test_one_bit_is_seen(void **state)
{
	unsigned char a[PATTERN_BLOCK];

	(void)state;
	for (size_t i = 0; i < sizeof(a); i += 97) {
		pattern_fill(a, &key);
		a[i] ^= 1;
		assert_false(pattern_check(a, sizeof(a), &key, false));
		assert_false(pattern_check(a, i + 1, &key, false));
	}
}

static void test_any_generation_but_not_any_place(void **state)
{
	unsigned char a[PATTERN_BLOCK];
	struct pattern_key later = key, elsewhere = key;

	(void)state;
	later.gen = 1000;
	later.seed = 8;
	pattern_fill(a, &later);
	assert_true(pattern_check(a, sizeof(a), &key, true));
	elsewhere.block++;
	assert_false(pattern_check(a, sizeof(a), &elsewhere, true));
}

static void test_hole(void **state)
{
	unsigned char a[PATTERN_BLOCK] = {0};

	(void)state;
	assert_true(pattern_is_hole(a, sizeof(a)));
	assert_false(pattern_check(a, sizeof(a), &key, true));
	a[PATTERN_BLOCK - 1] = 1;
	assert_false(pattern_is_hole(a, sizeof(a)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_key_same_data),
		cmocka_unit_test(test_every_part_of_the_key_counts),
		cmocka_unit_test(test_one_bit_is_seen),
		cmocka_unit_test(test_any_generation_but_not_any_place),
		cmocka_unit_test(test_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

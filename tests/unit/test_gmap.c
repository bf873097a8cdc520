// SPDX-License-Identifier: GPL-2.0-or-later
/* Group maps: their text, looking up, and which group goes to which context. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/gmap.h"

static struct gmap parsed(const char *text)
{
	struct gmap m;

	assert_int_equal(gmap_parse(text, &m), 0);
	return m;
}

static void reads_as(const char *text, const char *want)
{
	struct gmap m = parsed(text);
	char buf[GMAP_TEXT];

	assert_int_equal(gmap_format(&m, buf, sizeof(buf)), 0);
	assert_string_equal(buf, want);
}

/* As the kernel does with what is written to the file. */
static void text_is_read_as_the_kernel_reads_it(void **state)
{
	(void)state;
	reads_as("", "default");
	reads_as("default", "default");
	reads_as("0 1", "0 1");
	reads_as("0-3 0\n4-7 3\n", "0-3 0\n4-7 3");
	reads_as("4-7 3\n0-3 0", "0-3 0\n4-7 3");
	reads_as("0-3 1\n4 1", "0-4 1");
	reads_as("0-9 1\n3-4 2", "0-2 1\n3-4 2\n5-9 1");
	reads_as("0-9 1\n3 1", "0-9 1");
	reads_as("0-9 1\n\n default \n 5\t2 ", "5 2");
	reads_as("3-5 1\n0-9 2", "0-9 2");
	reads_as("4294967295 1\n0 1", "0 1\n4294967295 1");
	reads_as("0-4294967295 63\n7 1", "0-6 63\n7 1\n8-4294967295 63");
}

static void nonsense_is_refused(void **state)
{
	static const char *const bad[] = {"x",
					  "1",
					  "1 ",
					  "1-2",
					  "2-1 0",
					  "1 2 3",
					  "-1 0",
					  "1 -1",
					  "0x1 1",
					  "1,2 0",
					  "+1 0",
					  "1- 2",
					  "1 -2",
					  "default 1",
					  "1-2-3",
					  "1 2\nxx",
					  "4294967296 1",
					  "1 99999999999999999999"};
	struct gmap m = {.n = 7};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (gmap_parse(bad[i], &m) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_int_equal(m.n, 7);
}

static void too_many_ranges_are_refused(void **state)
{
	char text[16 * (WB_KERNEL_MAP_RANGES_MAX + 1)];
	size_t len = 0, last = 0;
	struct gmap m;

	(void)state;
	for (unsigned i = 0; i <= WB_KERNEL_MAP_RANGES_MAX; i++) {
		last = len;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%u 1\n", 2 * i);
	}
	assert_int_equal(gmap_parse(text, &m), -E2BIG);
	text[last] = '\0';
	assert_int_equal(gmap_parse(text, &m), 0);
	assert_int_equal(m.n, WB_KERNEL_MAP_RANGES_MAX);
	assert_int_equal(gmap_format(&m, text, GMAP_TEXT), -E2BIG);
}

static void looked_up_as_the_kernel_does(void **state)
{
	struct gmap m = parsed("2-3 0\n8 5\n10-20 1");

	(void)state;
	assert_int_equal(gmap_context(&m, 0, 4), 0);
	assert_int_equal(gmap_context(&m, 1, 4), 1);
	assert_int_equal(gmap_context(&m, 2, 4), 0);
	assert_int_equal(gmap_context(&m, 3, 4), 0);
	assert_int_equal(gmap_context(&m, 7, 4), 3);
	assert_int_equal(gmap_context(&m, 8, 4), 0); /* there is no context 5 */
	assert_int_equal(gmap_context(&m, 8, 6), 5);
	assert_int_equal(gmap_context(&m, 20, 4), 1);
	assert_int_equal(gmap_context(&m, 21, 4), 1);
	assert_int_equal(gmap_context(&m, 22, 4), 2);
	assert_int_equal(gmap_context(&m, UINT32_MAX, 1), 0);
}

/* ---- choosing --------------------------------------------------------------- */

struct choice {
	struct gmap_ask a;
	struct gmap_ret r;
	double share[GMAP_CONTEXTS];
};

static struct gmap_ret *choose(struct choice *c)
{
	memset(c->share, 0, sizeof(c->share));
	c->a.share = c->share;
	assert_int_equal(gmap_choose(&c->a, &c->r), 0);
	return &c->r;
}

static double most(const struct choice *c)
{
	double m = 0;

	for (unsigned k = 0; k < c->a.contexts; k++)
		m = c->share[k] > m ? c->share[k] : m;
	return m;
}

static void chosen(const struct choice *c, const char *want)
{
	char buf[GMAP_TEXT];

	assert_int_equal(gmap_format(&c->r.map, buf, sizeof(buf)), 0);
	assert_string_equal(buf, want);
}

static void nothing_known_is_the_default(void **state)
{
	struct choice c = {.a = {.groups = 8, .contexts = 4}};

	(void)state;
	assert_int_equal(choose(&c)->moved, 0);
	chosen(&c, "default");
	/* No groups, or more than can be dealt with: the kernel's default. */
	c.a.groups = 0;
	choose(&c);
	chosen(&c, "default");
	c.a.groups = UINT32_MAX;
	choose(&c);
	chosen(&c, "default");
}

static void a_second_file_system_begins_elsewhere(void **state)
{
	struct choice c = {.a = {.groups = 4, .contexts = 4, .shift = 1}};

	(void)state;
	choose(&c);
	chosen(&c, "0 1\n1 2\n2 3\n3 0");
	/* Too many to be written down: they are many enough to be even anyway. */
	c.a.groups = 4000;
	c.a.share = c.share;
	assert_int_equal(gmap_choose(&c.a, &c.r), -E2BIG);
	chosen(&c, "default");
}

static void what_others_bring_counts(void **state)
{
	struct choice c = {.a = {.groups = 2, .contexts = 2}};

	(void)state;
	c.a.share = c.share;
	c.share[0] = 4;
	assert_int_equal(gmap_choose(&c.a, &c.r), 0);
	chosen(&c, "0 1");
	assert_true(c.share[0] == 4 && c.share[1] == 2);
}

static void what_is_there_is_kept_while_it_is_even(void **state)
{
	struct choice c = {.a = {.groups = 8, .contexts = 4, .found = true}};
	double load[8] = {10, 11, 9, 10, 12, 10, 10, 9};

	(void)state;
	c.a.start = parsed("0-1 0\n2-3 1\n4-5 2\n6-7 3");
	c.a.load = load;
	assert_int_equal(choose(&c)->moved, 0);
	for (uint32_t g = 0; g < 8; g++)
		assert_int_equal(gmap_context(&c.r.map, g, 4), g / 2);
}

static void a_heavy_group_drives_others_away(void **state)
{
	struct choice c = {.a = {.groups = 8, .contexts = 4}};
	double load[8] = {100, 20, 20, 20, 100, 20, 20, 20};

	(void)state;
	c.a.load = load;
	/* 0 and 4 share a context: one of them goes, and light ones make room. */
	assert_in_range(choose(&c)->moved, 1, 3);
	assert_true(most(&c) <= 8 * 100 / 320. * 1.05);
	assert_int_not_equal(gmap_context(&c.r.map, 0, 4), gmap_context(&c.r.map, 4, 4));
	/* And then it stays: no to and fro. */
	c.a.found = true;
	for (unsigned i = 0; i < 20; i++) {
		c.a.start = c.r.map;
		assert_int_equal(choose(&c)->moved, 0);
	}
}

static void what_cannot_be_helped_is_left_alone(void **state)
{
	struct choice c = {.a = {.groups = 8, .contexts = 4}};
	double load[8] = {1000};

	(void)state;
	c.a.load = load;
	/* All is in one group: the others on its context go, it stays. */
	choose(&c);
	assert_int_equal(gmap_context(&c.r.map, 0, 4), 0);
	c.a.found = true;
	c.a.start = c.r.map;
	assert_int_equal(choose(&c)->moved, 0);
}

static void fewer_contexts_take_in_all(void **state)
{
	struct choice c = {.a = {.groups = 16, .contexts = 3, .found = true}};

	(void)state;
	c.a.start = parsed("0-3 0\n4-7 1\n8-11 2\n12-15 3");
	choose(&c);
	assert_true(most(&c) <= 16 / 3. * 1.25);
	for (uint32_t g = 0; g < 16; g++)
		assert_true(gmap_context(&c.r.map, g, 3) < 3);
	/* More again: the new one gets its share. */
	c.a.start = c.r.map;
	c.a.contexts = 4;
	choose(&c);
	assert_true(c.share[3] >= 3);
	assert_true(most(&c) <= 4 * 1.25);
}

/* Loads that change at random: always nearly even where that is possible, and what is
 * even already is not touched. */
static void random_loads_stay_even(void **state)
{
	struct choice c = {.a = {.groups = 64, .contexts = 8, .found = true}};
	double load[64];

	(void)state;
	srand(1);
	c.a.load = load;
	for (unsigned n = 0; n < 500; n++) {
		double share;

		for (unsigned g = 0; g < 64; g++)
			load[g] = rand() % 1000;
		choose(&c);
		share = most(&c);
		assert_true(share <= 64 / 8. * 1.25 + 1e-9);
		c.a.start = c.r.map;
		assert_int_equal(choose(&c)->moved, 0);
		assert_true(most(&c) <= share + 1e-9);
	}
}

static void many_groups_are_no_trouble(void **state)
{
	struct choice c = {.a = {.groups = 10000, .contexts = 64}};
	double *load = calloc(c.a.groups, sizeof(*load));

	(void)state;
	assert_non_null(load);
	for (unsigned i = 0; i < 32; i++)
		load[64 * i] = 1000; /* all of them on context 0 */
	c.a.load = load;
	choose(&c);
	for (unsigned i = 1; i < 32; i++)
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(gmap_context(&c.r.map, 64 * i, 64),
					     gmap_context(&c.r.map, 64 * k, 64));
	free(load);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_read_as_the_kernel_reads_it),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(too_many_ranges_are_refused),
		cmocka_unit_test(looked_up_as_the_kernel_does),
		cmocka_unit_test(nothing_known_is_the_default),
		cmocka_unit_test(a_second_file_system_begins_elsewhere),
		cmocka_unit_test(what_others_bring_counts),
		cmocka_unit_test(what_is_there_is_kept_while_it_is_even),
		cmocka_unit_test(a_heavy_group_drives_others_away),
		cmocka_unit_test(what_cannot_be_helped_is_left_alone),
		cmocka_unit_test(fewer_contexts_take_in_all),
		cmocka_unit_test(random_loads_stay_even),
		cmocka_unit_test(many_groups_are_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

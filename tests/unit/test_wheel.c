// SPDX-License-Identifier: GPL-2.0-or-later
/* The timing wheel: everything comes once, in order, neither early nor late. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/wheel.h"

struct world {
	struct wheel w;
	struct itab *t;
};

static int set_up(void **state)
{
	struct world *x = calloc(1, sizeof(*x));

	wheel_init(&x->w);
	*state = x;
	return itab_new(UINT32_MAX, &x->t);
}

static int tear_down(void **state)
{
	struct world *x = *state;

	itab_free(x->t);
	free(x);
	return 0;
}

static uint32_t add(struct world *x, uint64_t ino, uint32_t due)
{
	uint32_t idx;

	assert_int_equal(itab_add(x->t, 0, ino, 0, NULL, 0, &idx), 0);
	wheel_add(&x->w, x->t, idx, due);
	return idx;
}

static void test_empty(void **state)
{
	struct world *x = *state;

	assert_int_equal(wheel_take(&x->w, x->t, 0), ITAB_NONE);
	assert_int_equal(wheel_take(&x->w, x->t, UINT32_MAX), ITAB_NONE);
	assert_int_equal(wheel_next(&x->w, 5), UINT32_MAX);
}

static void test_order(void **state)
{
	static const uint32_t due[] = {7, 3, 900, 3, 1, 1023, 7};
	static const uint64_t want[] = {4, 1, 3, 0, 6, 2, 5};
	struct world *x = *state;
	unsigned n = 0;

	for (unsigned i = 0; i < 7; i++)
		(void)add(x, i, due[i]);
	for (uint32_t now = 0; now < 1100; now++) {
		uint32_t idx, next = wheel_next(&x->w, now);

		while ((idx = wheel_take(&x->w, x->t, now)) != ITAB_NONE) {
			assert_int_equal(next, 0);
			assert_int_equal(itab_at(x->t, idx)->ino, want[n++]);
			assert_int_equal(itab_at(x->t, idx)->due, now);
		}
	}
	assert_int_equal(n, 7);
	assert_int_equal(x->w.n, 0);
}

static void test_far_comes_early(void **state)
{
	struct world *x = *state;
	uint32_t idx = add(x, 1, 50000);

	assert_int_equal(wheel_take(&x->w, x->t, WHEEL_SLOTS - 2), ITAB_NONE);
	assert_int_equal(wheel_next(&x->w, WHEEL_SLOTS - 2), 1);
	assert_int_equal(wheel_take(&x->w, x->t, WHEEL_SLOTS - 1), idx);
}

static void test_past_comes_now(void **state)
{
	struct world *x = *state;
	uint32_t idx;

	(void)wheel_take(&x->w, x->t, 100);
	idx = add(x, 1, 20);
	assert_int_equal(wheel_next(&x->w, 100), 0);
	assert_int_equal(wheel_take(&x->w, x->t, 100), idx);
}

/* A pause of the whole wheel and more: nothing gets lost, order is kept. */
static void test_late(void **state)
{
	struct world *x = *state;
	uint32_t a = add(x, 1, 5), b = add(x, 2, 700);

	assert_int_equal(wheel_next(&x->w, 100000), 0);
	assert_int_equal(wheel_take(&x->w, x->t, 100000), a);
	assert_int_equal(wheel_take(&x->w, x->t, 100000), b);
	assert_int_equal(wheel_take(&x->w, x->t, 100000), ITAB_NONE);
}

/* It stood still while it was empty; what is put on then has its full time. */
static void test_after_a_pause(void **state)
{
	struct world *x = *state;
	uint32_t now = 3000000000u, idx;

	(void)wheel_take(&x->w, x->t, 10);
	wheel_sync(&x->w, now);
	idx = add(x, 1, now + 10);
	assert_int_equal(wheel_next(&x->w, now), 10);
	assert_int_equal(wheel_take(&x->w, x->t, now + 9), ITAB_NONE);
	wheel_sync(&x->w, now + 500); /* not empty: no effect */
	assert_int_equal(wheel_take(&x->w, x->t, now + 10), idx);
}

/* 2^32 ticks are 13 years; the day on which they are over is one like any other. */
static void test_wrap(void **state)
{
	struct world *x = *state;
	uint32_t now = UINT32_MAX - 3, a, b, c;

	wheel_sync(&x->w, now);
	a = add(x, 1, now + 2);
	b = add(x, 2, now + 10);
	c = add(x, 3, now + 5);
	assert_int_equal(wheel_next(&x->w, now), 2);
	assert_int_equal(wheel_take(&x->w, x->t, now + 1), ITAB_NONE);
	assert_int_equal(wheel_take(&x->w, x->t, now + 2), a);
	assert_int_equal(wheel_take(&x->w, x->t, now + 4), ITAB_NONE);
	assert_int_equal(wheel_next(&x->w, now + 4), 1);
	assert_int_equal(wheel_take(&x->w, x->t, now + 20), c);
	assert_int_equal(wheel_take(&x->w, x->t, now + 20), b);
	assert_int_equal(wheel_take(&x->w, x->t, now + 20), ITAB_NONE);
}

/* As on_due() does: what is taken is put on again for later, or for at once. */
static void test_add_while_taking(void **state)
{
	struct world *x = *state;
	uint32_t idx, taken = 0;

	for (unsigned i = 0; i < 10; i++)
		(void)add(x, i, 1);
	while ((idx = wheel_take(&x->w, x->t, 4)) != ITAB_NONE) {
		taken++;
		wheel_add(&x->w, x->t, idx, itab_at(x->t, idx)->due + 2);
	}
	assert_int_equal(taken, 20); /* at 1 and at 3; 5 is not due */
	assert_int_equal(x->w.n, 10);
	assert_int_equal(wheel_next(&x->w, 4), 1);
}

/* Random operations against the plainest model: an array of dues. */
static void test_model(void **state)
{
	enum { N = 500, TICKS = 20000 };
	struct world *x = *state;
	uint32_t due[N] = {0}, idx[N], now = UINT32_MAX - TICKS / 2;
	bool on[N] = {false};

	srandom(1);
	wheel_sync(&x->w, now);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(itab_add(x->t, 0, i, 0, NULL, 0, &idx[i]), 0);
	for (unsigned n = 0; n < TICKS; n++, now++) {
		uint32_t got;

		while ((got = wheel_take(&x->w, x->t, now)) != ITAB_NONE) {
			uint64_t i = itab_at(x->t, got)->ino;

			assert_true(on[i]);
			assert_int_equal(due[i], now);
			on[i] = false;
		}
		for (unsigned i = 0; i < N; i++) {
			assert_false(on[i] && due[i] == now);
			if (random() % 64)
				continue;
			if (on[i]) {
				wheel_remove(&x->w, x->t, idx[i]);
			} else {
				due[i] = now + 1 + (uint32_t)random() % 1000;
				wheel_add(&x->w, x->t, idx[i], due[i]);
			}
			on[i] = !on[i];
		}
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty),
		TEST(test_order),
		TEST(test_far_comes_early),
		TEST(test_past_comes_now),
		TEST(test_late),
		TEST(test_after_a_pause),
		TEST(test_wrap),
		TEST(test_add_while_taking),
		TEST(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

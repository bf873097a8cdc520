// SPDX-License-Identifier: GPL-2.0-or-later
/* The bound for folio orders: down at once, up slowly, and what it looks at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "daemon/order.h"
#include "tests/unit/fake_root.h"

static const struct order_now calm = {.asked = 9, .plenty = true};
static const struct order_now stall = {.asked = 9, .plenty = true, .stalled = true};

static unsigned looks_until_change(struct order_state *s, const struct order_now *now)
{
	for (unsigned n = 1; n <= 100; n++)
		if (order_look(s, now))
			return n;
	return 0;
}

static void starts_safe_and_stays_there_unasked(void **state)
{
	struct order_now none = {.plenty = true}, small = {.asked = 2, .plenty = true};
	struct order_state s;

	(void)state;
	order_init(&s);
	assert_int_equal(s.order, 3);
	assert_int_equal(looks_until_change(&s, &none), 0);
	assert_int_equal(looks_until_change(&s, &small), 0);
}

static void rises_a_step_a_minute_as_far_as_asked(void **state)
{
	struct order_now now = {.asked = 5, .plenty = true};
	struct order_state s;

	(void)state;
	order_init(&s);
	assert_int_equal(looks_until_change(&s, &now), ORDER_CALM);
	assert_int_equal(s.order, 4);
	assert_int_equal(looks_until_change(&s, &now), ORDER_CALM);
	assert_int_equal(s.order, 5);
	assert_int_equal(looks_until_change(&s, &now), 0);
	now.asked = 60;
	while (looks_until_change(&s, &now))
		;
	assert_int_equal(s.order, ORDER_MAX);
}

static void does_not_rise_without_memory_for_it(void **state)
{
	struct order_now now = {.asked = 9};
	struct order_state s;

	(void)state;
	order_init(&s);
	assert_int_equal(looks_until_change(&s, &now), 0);
	/* It has been calm for long: as soon as there is memory, it goes on. */
	now.plenty = true;
	assert_int_equal(looks_until_change(&s, &now), 1);
}

static void falls_at_once(void **state)
{
	struct order_state s = {.order = 9};
	struct order_now scarce = {.asked = 9, .scarce = true};

	(void)state;
	assert_int_equal(looks_until_change(&s, &stall), 1);
	assert_int_equal(s.order, ORDER_START);
	assert_int_equal(looks_until_change(&s, &scarce), 1);
	assert_int_equal(s.order, 2);
	while (order_look(&s, &stall))
		;
	assert_int_equal(s.order, 0);
	/* And back, a step a minute. */
	for (unsigned order = 1; order <= 9; order++) {
		assert_int_equal(looks_until_change(&s, &calm), ORDER_CALM);
		assert_int_equal(s.order, order);
	}
}

/* Trouble every half minute must not let it creep up. */
static void trouble_now_and_then_keeps_it_down(void **state)
{
	struct order_state s;

	(void)state;
	order_init(&s);
	for (unsigned n = 0; n < 300; n++) {
		order_look(&s, n % 3 ? &calm : &stall);
		assert_true(s.order <= ORDER_START);
	}
}

static void what_nobody_asks_for_any_more_goes(void **state)
{
	struct order_state s = {.order = 9};
	struct order_now none = {.plenty = true};

	(void)state;
	assert_int_equal(looks_until_change(&s, &none), ORDER_CALM);
	assert_int_equal(s.order, 8);
	while (looks_until_change(&s, &none))
		;
	assert_int_equal(s.order, ORDER_START);
}

static void orders_of_sizes(void **state)
{
	(void)state;
	assert_int_equal(order_of(0, 4096), 0);
	assert_int_equal(order_of(4096, 4096), 0);
	assert_int_equal(order_of(8191, 4096), 0);
	assert_int_equal(order_of(8192, 4096), 1);
	assert_int_equal(order_of(32 << 10, 4096), 3);
	assert_int_equal(order_of(1 << 20, 4096), 8);
	assert_int_equal(order_of(UINT64_MAX, 4096), ORDER_MAX);
	assert_int_equal(order_of(1 << 20, 65536), 4);
}

static void memory_is_read(void **state)
{
	struct fake_root *r = *state;
	struct order_memory m;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(order_memory_read(fake_root_path(r), &m), -ENOENT);
	fake_file(r, "proc/buddyinfo",
		  "Node 0, zone      DMA      9 9 9\n"
		  "Node 0, zone    DMA32      1 0 0 0 0 0 0 0 0 0 10 \n"
		  "Node 0, zone   Normal      1000 2 0 7 0 0 0 0 0 0 20 30\n"
		  "rubbish\nNode 1, zone\n");
	fake_file(r, "proc/vmstat", "nr_free_pages 1\ncompact_stall 42\nx 1\n");
	assert_int_equal(order_memory_read(r->path, &m), 0);
	assert_int_equal(m.stalls, 42);
	assert_int_equal(m.free[0], 1001 * page);
	assert_int_equal(m.free[1], 2 * 2 * page);
	assert_int_equal(m.free[3], 7 * 8 * page);
	assert_int_equal(m.free[10], 30 * 1024 * page + 30 * 2048 * page);
	assert_false(order_scarce(&m, 3));
	assert_true(order_plenty(&m, 4));
	fake_file(r, "proc/buddyinfo", "Node 0, zone   Normal 1000000 2 0 7\n");
	assert_int_equal(order_memory_read(r->path, &m), 0);
	assert_true(order_scarce(&m, 3));
	assert_false(order_plenty(&m, 3));
	assert_true(order_plenty(&m, 0));
	fake_file(r, "proc/buddyinfo", "Node 0, zone Normal 99999999999999999999999\n");
	fake_file(r, "proc/vmstat", "\n");
	assert_int_equal(order_memory_read(r->path, &m), 0);
	assert_int_equal(m.stalls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_safe_and_stays_there_unasked),
		cmocka_unit_test(rises_a_step_a_minute_as_far_as_asked),
		cmocka_unit_test(does_not_rise_without_memory_for_it),
		cmocka_unit_test(falls_at_once),
		cmocka_unit_test(trouble_now_and_then_keeps_it_down),
		cmocka_unit_test(what_nobody_asks_for_any_more_goes),
		cmocka_unit_test(orders_of_sizes),
		cmocka_unit_test_setup_teardown(memory_is_read, fake_root_setup,
						fake_root_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

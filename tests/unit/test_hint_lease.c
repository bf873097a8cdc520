// SPDX-License-Identifier: GPL-2.0-or-later
/* Leases: look-up, owners, users and limits, keeping, and their memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "daemon/hint_lease.h"

#define MANY 200000u

static struct hint_lease lease(uint64_t ino, uint64_t owner, uid_t uid, uint64_t size)
{
	return (struct hint_lease){
		.dev = 1, .ino = ino, .owner = owner, .uid = uid, .write_size = size};
}

static int put(struct hint_leases *t, struct hint_lease l)
{
	size_t limit = 0;

	return hint_leases_put(t, &l, 1000000, &limit);
}

static uint64_t size_of(struct hint_leases *t, uint64_t ino)
{
	const struct hint_lease *l = hint_leases_find(t, 1, ino);

	return l ? l->write_size : 0;
}

static int setup(void **state)
{
	return hint_leases_new((struct hint_leases **)state);
}

static int teardown(void **state)
{
	hint_leases_free(*state);
	return 0;
}

static void replaces_its_own(void **state)
{
	struct hint_leases *t = *state;

	assert_int_equal(put(t, lease(7, 1, 0, 100)), 0);
	assert_int_equal(put(t, lease(7, 1, 0, 200)), 0);
	assert_int_equal(hint_leases_count(t), 1);
	assert_int_equal(size_of(t, 7), 200);
	assert_null(hint_leases_find(t, 2, 7));
	assert_null(hint_leases_find(t, 1, 8));
}

static void newest_counts(void **state)
{
	struct hint_leases *t = *state;
	struct hint_lease l = lease(7, 1, 0, 100);

	l.since = 5;
	assert_int_equal(put(t, l), 0);
	l = lease(7, 2, 0, 200);
	l.since = 6;
	assert_int_equal(put(t, l), 0);
	l = lease(7, 3, 0, 300);
	l.since = 4;
	assert_int_equal(put(t, l), 0);
	assert_int_equal(size_of(t, 7), 200);
	assert_true(hint_leases_drop(t, 1, 7, 2, 0));
	assert_int_equal(size_of(t, 7), 100);
	assert_false(hint_leases_drop(t, 1, 7, 2, 0));
}

static void ends_with_its_owner(void **state)
{
	struct hint_leases *t = *state;

	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(put(t, lease(i, 1 + i % 2, 0, 1)), 0);
	hint_leases_end_owner(t, 1);
	assert_true(hint_leases_pending(t));
	assert_true(hint_leases_sweep(t, 0, 100));
	assert_int_equal(hint_leases_count(t), 900);
	assert_false(hint_leases_sweep(t, 0, 1000));
	assert_int_equal(hint_leases_count(t), 500);
	assert_false(hint_leases_pending(t));
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(size_of(t, i), i % 2);
	hint_leases_end_owner(t, 99); /* one without any */
}

/* What is kept outlives its connection until its file is idle. */
static void kept_until_idle(void **state)
{
	struct hint_leases *t = *state;

	for (uint64_t i = 1; i <= 3; i++) {
		struct hint_lease l = lease(i, 9, 5, i);

		l.keep = true;
		l.seen = (uint32_t)i;
		assert_int_equal(put(t, l), 0);
	}
	hint_leases_end_owner(t, 9);
	assert_false(hint_leases_sweep(t, 1, 100));
	assert_int_equal(hint_leases_count(t), 3);
	hint_leases_touch(t, 1, 1, 10); /* behind the others now */
	assert_false(hint_leases_sweep(t, 3, 100));
	assert_int_equal(size_of(t, 1), 1);
	assert_int_equal(size_of(t, 2), 0);
	assert_int_equal(size_of(t, 3), 3);
	/* Another user cannot take it back, the same one can from anywhere. */
	assert_false(hint_leases_drop(t, 1, 3, 44, 6));
	assert_true(hint_leases_drop(t, 1, 3, 44, 5));
	assert_int_equal(hint_leases_count(t), 1);
}

static void limits(void **state)
{
	struct hint_leases *t = *state;
	struct hint_lease l = lease(0, 1, 1000, 1);
	size_t limit = 0;

	for (l.ino = 0; l.ino < 5; l.ino++)
		assert_int_equal(hint_leases_put(t, &l, 10, &limit), 0);
	assert_int_equal(hint_leases_put(t, &l, 10, &limit), -ENOSPC);
	assert_int_equal(limit, 5);
	l.ino = 4; /* one that it has is not one more */
	assert_int_equal(hint_leases_put(t, &l, 10, &limit), 0);
	l.uid = 0;
	for (l.ino = 10; l.ino < 15; l.ino++)
		assert_int_equal(hint_leases_put(t, &l, 10, &limit), 0);
	assert_int_equal(hint_leases_put(t, &l, 10, &limit), -ENOSPC);
	assert_int_equal(limit, 10);
	/* What went does not count. */
	hint_leases_end_owner(t, 1);
	while (hint_leases_sweep(t, 0, 3))
		;
	l.uid = 1000;
	assert_int_equal(hint_leases_put(t, &l, 10, &limit), 0);
}

/* More users than are counted one by one: the rest shares. */
static void many_users(void **state)
{
	struct hint_leases *t = *state;
	size_t limit;

	for (unsigned i = 0; i < 300; i++) {
		struct hint_lease l = lease(i, 1, 1000 + i, 1);

		assert_int_equal(hint_leases_put(t, &l, 100000, &limit), 0);
	}
	hint_leases_end_owner(t, 1);
	assert_false(hint_leases_sweep(t, 0, 1000));
	assert_int_equal(hint_leases_count(t), 0);
}

static void count_one(const struct hint_lease *l, void *arg)
{
	unsigned *n = arg;

	assert_non_null(l);
	++*n;
}

static void many(void **state)
{
	struct hint_leases *t = *state;
	unsigned n = 0;

	for (uint64_t i = 0; i < MANY; i++)
		assert_int_equal(put(t, lease(i, i % 97, 0, i + 1)), 0);
	for (uint64_t i = 0; i < MANY; i++)
		assert_int_equal(size_of(t, i), i + 1);
	assert_true(hint_leases_bytes(t) / MANY <= 200);
	hint_leases_each(t, 1000, count_one, &n);
	assert_int_equal(n, 1000);
	for (uint64_t o = 0; o < 97; o += 2)
		hint_leases_end_owner(t, o);
	while (hint_leases_sweep(t, 0, 1000))
		;
	for (uint64_t i = 0; i < MANY; i++)
		assert_int_equal(size_of(t, i), i % 97 % 2 ? i + 1 : 0);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(replaces_its_own),
		T(newest_counts),
		T(ends_with_its_owner),
		T(kept_until_idle),
		T(limits),
		T(many_users),
		T(many),
	};

	return cmocka_run_group_tests_name("hint_lease", tests, NULL, NULL);
}

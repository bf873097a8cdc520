// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of inodes against a model that is too simple to be wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/itab.h"

static uint64_t rng = 88172645463325252ULL;

static uint64_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* The model: key number -> index in the table. */
#define KEYS   20000
#define ROUNDS 1000000

static uint64_t key_ino(unsigned k)
{
	/* Close together, as inode numbers are, and far apart. */
	return k % 3 ? k / 2 : (uint64_t)k << 40;
}

static uint16_t key_fs(unsigned k)
{
	return (uint16_t)(k % 2 ? k % 7 : 4095);
}

static void check(struct itab *t, const uint32_t *model, unsigned k)
{
	uint32_t idx = itab_find(t, key_fs(k), key_ino(k), NULL, 0);
	const struct ino *i;

	assert_int_equal(idx, model[k]);
	if (idx == ITAB_NONE)
		return;
	i = itab_at(t, idx);
	assert_int_equal(i->ino, key_ino(k));
	assert_int_equal(i->fs, key_fs(k));
	assert_int_equal(i->size, k); /* a payload that must stay with it */
}

/* Keys are made so that two may be the same inode: only one is used then. */
static bool is_twin(const unsigned *owner, unsigned k)
{
	return owner[k] != k;
}

static void find_twins(unsigned *owner)
{
	for (unsigned k = 0; k < KEYS; k++) {
		owner[k] = k;
		for (unsigned j = k > 16 ? k - 16 : 0; j < k; j++)
			if (key_ino(j) == key_ino(k) && key_fs(j) == key_fs(k))
				owner[k] = j;
	}
}

static void one_step(struct itab *t, uint32_t *model, unsigned k, unsigned fill,
		     uint32_t *count)
{
	if (model[k] != ITAB_NONE && rnd() % 100 >= fill) {
		itab_del(t, model[k]);
		model[k] = ITAB_NONE;
		--*count;
	} else if (model[k] == ITAB_NONE && rnd() % 100 < fill) {
		uint32_t idx;

		assert_int_equal(itab_add(t, key_fs(k), key_ino(k), 0, NULL, 0, &idx), 0);
		assert_int_equal(itab_at(t, idx)->state, INO_WAIT);
		assert_int_equal(itab_at(t, idx)->flags, INO_F_KEYED);
		assert_int_equal(itab_at(t, idx)->size, 0);
		itab_at(t, idx)->size = k;
		model[k] = idx;
		++*count;
	}
}

static void test_model(void **state)
{
	uint32_t *model = malloc(KEYS * sizeof(*model)), count = 0;
	unsigned *owner = malloc(KEYS * sizeof(*owner));
	struct itab *t;

	(void)state;
	find_twins(owner);
	memset(model, 0xff, KEYS * sizeof(*model));
	assert_int_equal(itab_new(KEYS, &t), 0);
	for (unsigned n = 0; n < ROUNDS; n++) {
		unsigned k = (unsigned)(rnd() % KEYS);
		/* It fills and empties in turns, down to nothing. */
		unsigned fill = n / 100000 % 2 ? 2 : 90;

		if (is_twin(owner, k))
			continue;
		one_step(t, model, k, fill, &count);
		check(t, model, k);
		assert_int_equal(itab_count(t), count);
	}
	for (unsigned k = 0; k < KEYS; k++)
		if (!is_twin(owner, k))
			check(t, model, k);
	itab_free(t);
	free(model);
	free(owner);
}

static void test_walk_and_delete(void **state)
{
	struct itab *t;
	uint32_t idx, seen = 0;

	(void)state;
	assert_int_equal(itab_new(UINT32_MAX, &t), 0);
	assert_int_equal(itab_next(t, 0), ITAB_NONE);
	for (unsigned n = 0; n < 30000; n++)
		assert_int_equal(itab_add(t, 1, n, 0, NULL, 0, &idx), 0);
	for (idx = itab_next(t, 0); idx != ITAB_NONE; idx = itab_next(t, idx + 1)) {
		seen++;
		itab_del(t, idx); /* the last one trims the table under the walk */
	}
	assert_int_equal(seen, 30000);
	assert_int_equal(itab_count(t), 0);
	assert_int_equal(itab_next(t, 0), ITAB_NONE);
	itab_free(t);
}

static void test_handles(void **state)
{
	uint8_t a[ITAB_HANDLE_MAX] = {1}, b[ITAB_HANDLE_MAX] = {2};
	uint32_t ia, ib, ic;
	struct itab *t;

	(void)state;
	assert_int_equal(itab_new(10, &t), 0);
	/* btrfs: one number in two sub-volumes. */
	assert_int_equal(itab_add(t, 0, 257, 0x4d, a, 20, &ia), 0);
	assert_int_equal(itab_add(t, 0, 257, 0x4d, b, 20, &ib), 0);
	assert_int_equal(itab_add(t, 0, 257, 0x4d, a, ITAB_HANDLE_MAX, &ic), 0);
	assert_int_equal(itab_find(t, 0, 257, a, 20), ia);
	assert_int_equal(itab_find(t, 0, 257, b, 20), ib);
	assert_int_equal(itab_find(t, 0, 257, a, ITAB_HANDLE_MAX), ic);
	assert_int_equal(itab_find(t, 0, 257, b, 19), ITAB_NONE);
	assert_int_equal(itab_find(t, 1, 257, a, 20), ITAB_NONE);
	assert_int_not_equal(itab_find(t, 0, 257, NULL, 0), ITAB_NONE);
	assert_false(itab_at(t, ia)->flags & INO_F_KEYED);
	itab_del(t, ib);
	assert_int_equal(itab_find(t, 0, 257, b, 20), ITAB_NONE);
	assert_int_equal(itab_find(t, 0, 257, a, 20), ia);
	assert_int_equal(itab_add(t, 0, 1, 1, a, ITAB_HANDLE_MAX + 1, &ib), -EINVAL);
	itab_free(t);
}

static void test_limit(void **state)
{
	struct itab *t;
	uint32_t idx, untouched = 77;

	(void)state;
	assert_int_equal(itab_new(3, &t), 0);
	for (unsigned n = 0; n < 3; n++)
		assert_int_equal(itab_add(t, 0, n, 0, NULL, 0, &idx), 0);
	assert_int_equal(itab_add(t, 0, 3, 0, NULL, 0, &untouched), -ENOSPC);
	assert_int_equal(untouched, 77);
	itab_set_max(t, 1);
	assert_int_equal(itab_count(t), 3);
	itab_del(t, idx);
	assert_int_equal(itab_add(t, 0, 3, 0, NULL, 0, &untouched), -ENOSPC);
	itab_set_max(t, 3);
	assert_int_equal(itab_add(t, 0, 3, 0, NULL, 0, &idx), 0);
	itab_free(t);
}

/* The number: at most 96 bytes each at a million. */
static void test_memory(void **state)
{
	const uint32_t n = 1000000;
	uint64_t empty;
	uint32_t idx;
	struct itab *t;

	(void)state;
	assert_int_equal(itab_new(n, &t), 0);
	empty = itab_bytes(t);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(itab_add(t, 0, 128 + i, 0, NULL, 0, &idx), 0);
	assert_true(itab_bytes(t) <= 96ULL * n);
	for (idx = itab_next(t, 0); idx != ITAB_NONE; idx = itab_next(t, idx + 1))
		itab_del(t, idx);
	assert_true(itab_bytes(t) <= empty + 4096 * sizeof(struct ino) + 64);
	itab_free(t);
}

static uint32_t chain(const struct itab *t, uint16_t fs, uint64_t ino)
{
	uint32_t idx = itab_find(t, fs, ino, NULL, 0), n = 0;

	for (; idx != ITAB_NONE; idx = itab_at(t, idx)->hash_next)
		n++;
	return n;
}

/* O(1): from a record to the end of its chain it is never far, whatever the
 * numbers look like (one after the other, XFS' AGs, all in one stride). */
static void test_chains(void **state)
{
	static const uint64_t step[] = {1, 64, 1 << 20, 1ULL << 32,
					0x9e3779b97f4a7c15ULL};

	(void)state;
	for (size_t s = 0; s < sizeof(step) / sizeof(*step); s++) {
		uint32_t idx, longest = 0;
		struct itab *t;

		assert_int_equal(itab_new(UINT32_MAX, &t), 0);
		for (uint64_t i = 0; i < 100000; i++)
			assert_int_equal(
				itab_add(t, 3, 131 + i * step[s], 0, NULL, 0, &idx), 0);
		for (uint64_t i = 0; i < 100000; i++) {
			uint32_t c = chain(t, 3, 131 + i * step[s]);

			assert_true(c > 0);
			longest = c > longest ? c : longest;
		}
		assert_true(longest <= 16);
		itab_free(t);
	}
}

static void test_lists(void **state)
{
	struct ilist l = ILIST_INIT;
	uint32_t idx[5];
	struct itab *t;

	(void)state;
	assert_int_equal(itab_new(5, &t), 0);
	for (unsigned n = 0; n < 5; n++) {
		assert_int_equal(itab_add(t, 0, n, 0, NULL, 0, &idx[n]), 0);
		ilist_add_tail(t, &l, idx[n]);
	}
	ilist_remove(t, &l, idx[2]);
	ilist_remove(t, &l, idx[0]);
	ilist_remove(t, &l, idx[4]);
	assert_int_equal(l.n, 2);
	ilist_add_tail(t, &l, idx[0]);
	assert_int_equal(ilist_pop(t, &l), idx[1]);
	assert_int_equal(ilist_pop(t, &l), idx[3]);
	assert_int_equal(ilist_pop(t, &l), idx[0]);
	assert_int_equal(ilist_pop(t, &l), ITAB_NONE);
	assert_int_equal(l.n, 0);
	itab_free(t);
	assert_null(itab_free(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),   cmocka_unit_test(test_walk_and_delete),
		cmocka_unit_test(test_handles), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_memory),  cmocka_unit_test(test_chains),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

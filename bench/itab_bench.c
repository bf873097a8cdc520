// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of the inode table's operations: fills a table with ENTRIES, then
 * does 100,000 times OPERATION (find, add, or none, whose count is to be taken
 * off).  Run under callgrind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/pattern.h"
#include "daemon/itab.h"

#define OPS 100000u

static int fill(struct itab *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t idx;

		if (itab_add(t, 0, pattern_mix(i), 0, NULL, 0, &idx) < 0)
			return -1;
	}
	return 0;
}

static uint32_t run_find(struct itab *t, uint32_t n)
{
	uint64_t state = 1;
	uint32_t found = 0;

	for (uint32_t k = 0; k < OPS; k++)
		found += itab_find(t, 0, pattern_mix(pattern_next(&state) % n), NULL,
				   0) != ITAB_NONE;
	return found;
}

static uint32_t run_add(struct itab *t, uint32_t n)
{
	uint32_t added = 0;

	for (uint32_t k = 0; k < OPS; k++) {
		uint32_t idx;

		added += itab_add(t, 0, pattern_mix(n + k), 0, NULL, 0, &idx) >= 0;
	}
	return added;
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0, done = OPS;
	struct itab *t;

	if (!n || n > 100 * 1000 * 1000) {
		fputs("usage: itab_bench find|add|none ENTRIES\n", stderr);
		return 2;
	}
	if (itab_new(n + OPS, &t) < 0 || fill(t, n) < 0)
		return 1;
	if (!strcmp(argv[1], "find"))
		done = run_find(t, n);
	else if (!strcmp(argv[1], "add"))
		done = run_add(t, n);
	itab_free(t);
	return done != OPS;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of leases with ENTRIES in it: prints the bytes of memory that each costs,
 * then does 100,000 times OPERATION (find, put, or none, whose count is to be taken
 * off).  Run under callgrind for the operations.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/pattern.h"
#include "daemon/hint_lease.h"

#define OPS 100000u

static int put(struct hint_leases *t, uint64_t n)
{
	const struct hint_lease l = {
		.dev = 1, .ino = pattern_mix(n), .owner = n % 50, .write_size = 1 << 20};
	size_t limit;

	return hint_leases_put(t, &l, SIZE_MAX, &limit);
}

static uint32_t run(struct hint_leases *t, const char *op, uint32_t n)
{
	uint64_t state = 1;
	uint32_t done = 0;

	for (uint32_t k = 0; k < OPS; k++) {
		uint64_t ino = pattern_mix(pattern_next(&state) % n);

		if (!strcmp(op, "find"))
			done += hint_leases_find(t, 1, ino) != NULL;
		else if (!strcmp(op, "put"))
			done += put(t, n + k) == 0;
		else
			done++;
	}
	return done;
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	struct hint_leases *t;
	size_t before;

	if (!n || n > 100 * 1000 * 1000) {
		fputs("usage: lease_bench find|put|none ENTRIES\n", stderr);
		return 2;
	}
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	if (hint_leases_new(&t) < 0)
		return 1;
	for (uint32_t i = 0; i < n; i++)
		if (put(t, i) < 0)
			return 1;
	printf("%.1f\n",
	       (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) / n);
	if (run(t, argv[1], n) != OPS)
		return 1;
	hint_leases_free(t);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data that can be checked and that compresses as files do, not as zeros or
 * noise.  What a block holds follows from the seed, the file, the block's number
 * and how often it was overwritten.
 */
#ifndef WB_BENCH_PATTERN_H
#define WB_BENCH_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_BLOCK 4096u

struct pattern_key {
	uint64_t seed;
	uint64_t file;  /* number of the file in its set */
	uint64_t block; /* number of the block in the file */
	uint64_t gen;   /* 0 when first written, then counts up */
	bool half; /* noise and zeros as fio's buffer_compress_percentage=50, not text */
};

/* A small fast random generator (xorshift64*); a state is never 0. */
uint64_t pattern_mix(uint64_t x);
uint64_t pattern_next(uint64_t *state);

/* Fills the PATTERN_BLOCK bytes at @buf. */
void pattern_fill(void *buf, const struct pattern_key *key);

/*
 * Is @buf (@len <= PATTERN_BLOCK bytes) what pattern_fill(@key) makes?  With
 * @any_gen the block may be of any seed and generation: its header says which.
 */
bool pattern_check(const void *buf, size_t len, const struct pattern_key *key,
		   bool any_gen);

/* A block that was never written. */
bool pattern_is_hole(const void *buf, size_t len);

#endif

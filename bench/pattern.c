// SPDX-License-Identifier: GPL-2.0-or-later
/* Seeded, checkable blocks that compress as real data do; see pattern.h. */
#include "bench/pattern.h"

#include <string.h>

/*
 * Text as logs, tables and sources are made of: words, the common ones far more
 * often than the rare ones, and numbers that never repeat.  The sizes are chosen
 * so that a 4 KiB page behaves as one of a tar of /usr does (lzo-rle makes 1/2.15
 * of either, at the same speed).
 */
#define WORD_MAX 16u /* room for the longest, and whole registers to copy */
#define NUMBER   3u  /* bytes of noise after three words */

struct word {
	unsigned char len;
	char text[WORD_MAX];
};
#define W(s)                     \
	{                        \
		sizeof(s) - 1, s \
	}
/* clang-format off */
static const struct word words[64] = {
	W("request "), W("server "), W("address "), W("connection "),
	W("status "), W("message "), W("memory "), W("process "),
	W("value=0x"), W("session "), W("timeout "), W("transfer "),
	W("received "), W("/usr/lib/"), W("/var/log/"), W("include "),
	W("static "), W("return "), W("const "), W("unsigned "),
	W("<td>item "), W("error: "), W("warning: "), W("complete "),
	W("2026-11-30 "), W("12:30:00 "), W("user_name "), W("customer "),
	W("delivery "), W("quantity "), W("127.0.0.1 "), W("context "),
	W("interface "), W("parameter "), W("function "), W("container "),
	W("database "), W("template "), W("document "), W("directory "),
	W("information "), W("operation "), W("available "), W("localhost "),
	W("configured "), W("continue "), W("position "), W("length="),
	W("reference "), W("structure "), W("variable "), W("description "),
	W("translation "), W("application "), W("previous="), W("identifier "),
	W("sequence "), W("checksum "), W("parent_id\n"), W("\tif(err)"),
	W("};\n\n\t"), W("revision "), W("endpoint "), W("namespace "),
};
/* clang-format on */

uint64_t pattern_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

uint64_t pattern_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

/* The first bytes of each block, so that a misplaced block names itself. */
struct header {
	uint64_t seed, file, block, gen;
};

static unsigned char *put_word(unsigned char *p, uint64_t v)
{
	/* The product of two numbers is small more often than large. */
	const struct word *w = &words[((v & 255) * (v >> 8 & 255)) >> 10];

	memcpy(p, w->text, WORD_MAX);
	return p + w->len;
}

static void fill_text(unsigned char *out, uint64_t s)
{
	unsigned char page[PATTERN_BLOCK + 8 * WORD_MAX] = {0}, *p = page;

	while (p < page + PATTERN_BLOCK) {
		uint64_t v = pattern_next(&s);

		p = put_word(p, v);
		p = put_word(p, v >> 16);
		p = put_word(p, v >> 32);
		v >>= 40;
		memcpy(p, &v, sizeof(v));
		p += NUMBER;
	}
	memcpy(out, page, PATTERN_BLOCK);
}

/* As fio has it: of every 512 bytes half is noise, half is zero. */
static void fill_half(unsigned char *out, uint64_t s)
{
	for (unsigned c = 0; c < PATTERN_BLOCK; c += 512) {
		for (unsigned i = 0; i < 256; i += sizeof(uint64_t)) {
			uint64_t v = pattern_next(&s);

			memcpy(out + c + i, &v, sizeof(v));
		}
		memset(out + c + 256, 0, 256);
	}
}

void pattern_fill(void *buf, const struct pattern_key *key)
{
	uint64_t s = pattern_mix(key->seed ^ pattern_mix(key->file) ^
				 pattern_mix(key->block << 20 ^ key->gen)) |
		     1;
	struct header h = {key->seed, key->file, key->block, key->gen};

	if (key->half)
		fill_half(buf, s);
	else
		fill_text(buf, s);
	memcpy(buf, &h, sizeof(h));
}

bool pattern_check(const void *buf, size_t len, const struct pattern_key *key,
		   bool any_gen)
{
	unsigned char want[PATTERN_BLOCK];
	struct pattern_key k = *key;
	struct header h;

	if (any_gen && len >= sizeof(h)) {
		memcpy(&h, buf, sizeof(h));
		k.seed = h.seed;
		k.gen = h.gen;
	}
	pattern_fill(want, &k);
	return memcmp(buf, want, len) == 0;
}

bool pattern_is_hole(const void *buf, size_t len)
{
	const unsigned char *p = buf;

	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for people: safe for a terminal, sizes and times in words, complaints. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wbctl/wbctl.h"

/* Length of the well-formed UTF-8 sequence at @s and its code point, or 0. */
static unsigned decode_utf8(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned n = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;
	uint32_t c = s[0];

	if (n > 1)
		c = s[0] & (0xffu >> (n + 1));
	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (n > 1 && (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)))
		return 0;
	*ret = c;
	return n;
}

/* Controls (C0, DEL, C1), line and paragraph separators, direction marks. */
static bool obeyed_by_terminals(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

char *escaped(const char *str)
{
	const unsigned char *s = (const unsigned char *)str;
	char *out = malloc(strlen(str) * 4 + 1), *o = out;
	uint32_t c = 0;

	if (!out)
		return NULL;
	while (*s) {
		unsigned n = decode_utf8(s, &c);
		bool safe = n && !obeyed_by_terminals(c);

		for (unsigned i = 0; i < (n ? n : 1); i++, s++)
			o += safe ? sprintf(o, "%c", *s) : sprintf(o, "\\x%02x", *s);
	}
	*o = '\0';
	return out;
}

void complain(const char *fmt, ...)
{
	CLEANUP(cleanup_freep) char *raw = NULL, *safe = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&raw, fmt, ap) < 0)
		raw = NULL;
	va_end(ap);
	safe = raw ? escaped(raw) : NULL;
	fprintf(stderr, "wbctl: %s\n", safe ? safe : "Out of memory.");
}

void human_bytes(uint64_t v, char ret[16])
{
	static const char units[] = "BKMGTPE";
	unsigned u = 0;
	uint64_t rest = 0;

	while (v >= 1024) {
		rest = v % 1024;
		v /= 1024;
		u++;
	}
	if (u && v < 10 && rest * 10 / 1024)
		snprintf(ret, 16, "%u.%u%c", (unsigned)v, (unsigned)(rest * 10 / 1024),
			 units[u]);
	else
		snprintf(ret, 16, "%u%c", (unsigned)v, units[u]);
}

void human_ms(uint64_t ms, char ret[48])
{
	if (ms < 1000)
		snprintf(ret, 48, "%" PRIu64 " ms", ms);
	else if (ms < 60000)
		snprintf(ret, 48, "%" PRIu64 ".%" PRIu64 " s", ms / 1000,
			 ms % 1000 / 100);
	else
		snprintf(ret, 48, "%" PRIu64 " min %" PRIu64 " s", ms / 60000,
			 ms / 1000 % 60);
}

int parse_time(const char *s, int64_t *ret_ms)
{
	static const struct {
		const char *unit;
		uint64_t ms;
	} units[] = {{"", 1000},   {"s", 1000},    {"ms", 1},
		     {"m", 60000}, {"min", 60000}, {"h", 3600000}};
	unsigned long long v;
	char *end;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		if (v > 1000000000ULL)
			return -EINVAL;
		*ret_ms = (int64_t)(v * units[i].ms);
		return 0;
	}
	return -EINVAL;
}

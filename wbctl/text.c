// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for people: safe for a terminal, sizes and times in words, complaints. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/units.h"
#include "wbctl/wbctl.h"

char *escaped(const char *s)
{
	size_t len = strlen(s), size = len * ESCAPE_MAX + 1;
	char *out = malloc(size);

	if (out)
		escape_text(s, len, out, size);
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
	char err[UNITS_ERR_LEN];
	uint64_t v;

	/* As other commands have it, a number alone is seconds. */
	if (units_parse_count(s, &v, err) == 0) {
		if (v > INT64_MAX / 1000)
			return -ERANGE;
		*ret_ms = (int64_t)v * 1000;
		return 0;
	}
	if (units_parse_time(s, &v, err) < 0)
		return -EINVAL;
	*ret_ms = (int64_t)v;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes, durations and counts: text to number and back. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/escape.h"
#include "common/units.h"

struct unit {
	const char *name;
	uint64_t factor;
};

/* Largest first: the formatters take the first one that divides the value. */
static const struct unit size_units[] = {
	{"T", 1ULL << 40}, {"G", 1ULL << 30}, {"M", 1ULL << 20},
	{"K", 1ULL << 10}, {"", 1},
};
static const struct unit time_units[] = {
	{"h", 3600000},
	{"min", 60000},
	{"s", 1000},
	{"ms", 1},
};
static const struct unit count_units[] = {{"", 1}};

static int fail(char *err, int r, const char *text, const char *why)
{
	char quoted[40 * ESCAPE_MAX + 1];
	/* The escapes of 40 bytes may fill the room, but the reason comes whole. */
	size_t room = UNITS_ERR_LEN - strlen(why) - sizeof("''... ") + 1;

	escape_text(text, strnlen(text, 40), quoted,
		    room < sizeof(quoted) ? room : sizeof(quoted));
	(void)snprintf(err, UNITS_ERR_LEN, "'%s%s' %s", quoted,
		       strlen(text) > 40 ? "..." : "", why);
	return r;
}

static const struct unit *find_unit(const struct unit *u, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(u[i].name, name))
			return &u[i];
	return NULL;
}

/* Digits at *@p; leaves *@p behind them.  -EINVAL if there are none. */
static int parse_digits(const char **p, uint64_t *ret)
{
	const char *start = *p;
	uint64_t v = 0;

	for (; **p >= '0' && **p <= '9'; (*p)++) {
		unsigned digit = (unsigned)(**p - '0');

		if (v > ((uint64_t)INT64_MAX - digit) / 10)
			return -ERANGE;
		v = v * 10 + digit;
	}
	if (*p == start)
		return -EINVAL;
	*ret = v;
	return 0;
}

static int parse(const char *text, const struct unit *units, size_t n, const char *what,
		 uint64_t *ret, char *err)
{
	const struct unit *u;
	const char *p = text;
	uint64_t v;
	int r = parse_digits(&p, &v);

	if (r == -ERANGE)
		return fail(err, r, text, "is too large");
	if (r < 0)
		return fail(err, r, text, what);
	u = find_unit(units, n, p);
	if (!u && v == 0 && !*p)
		u = &units[n - 1];
	if (!u)
		return fail(err, -EINVAL, text, what);
	if (v > INT64_MAX / u->factor)
		return fail(err, -ERANGE, text, "is too large");
	*ret = v * u->factor;
	return 0;
}

int units_parse_size(const char *text, uint64_t *ret, char err[UNITS_ERR_LEN])
{
	return parse(
		text, size_units, ARRAY_SIZE(size_units),
		"is not a size: write a whole number of bytes, or one with K, M, G or "
		"T, such as 16M",
		ret, err);
}

int units_parse_time(const char *text, uint64_t *ret_ms, char err[UNITS_ERR_LEN])
{
	return parse(
		text, time_units, ARRAY_SIZE(time_units),
		"is not a time: write a whole number with ms, s, min or h, such as 5s",
		ret_ms, err);
}

int units_parse_count(const char *text, uint64_t *ret, char err[UNITS_ERR_LEN])
{
	return parse(text, count_units, ARRAY_SIZE(count_units), "is not a whole number",
		     ret, err);
}

static char *word(const char *s, char *buf)
{
	(void)snprintf(buf, UNITS_LEN, "%s", s);
	return buf;
}

static char *format(uint64_t v, const struct unit *units, size_t n, char *buf)
{
	size_t i = 0;

	if (v == UINT64_MAX)
		return word("off", buf);
	while (i < n - 1 && (v == 0 || v % units[i].factor))
		i++;
	(void)snprintf(buf, UNITS_LEN, "%" PRIu64 "%s", v / units[i].factor,
		       units[i].name);
	return buf;
}

char *units_format_size(uint64_t bytes, char buf[UNITS_LEN])
{
	return format(bytes, size_units, ARRAY_SIZE(size_units), buf);
}

char *units_format_time(uint64_t ms, char buf[UNITS_LEN])
{
	if (ms == 0)
		return word("0s", buf);
	return format(ms, time_units, ARRAY_SIZE(time_units), buf);
}

/* @bytes in units of 1024^@i, rounded to nearest; @i >= 1. */
static uint64_t in_unit(uint64_t bytes, unsigned i)
{
	uint64_t v = bytes >> (10 * (i - 1));

	return v / 1024 + (v % 1024 >= 512);
}

char *units_human_size(uint64_t bytes, char buf[UNITS_LEN])
{
	static const char names[] = "BKMGTPE";
	uint64_t tenths;
	unsigned i = 1;

	if (bytes < 1024) {
		(void)snprintf(buf, UNITS_LEN, "%" PRIu64 "B", bytes);
		return buf;
	}
	while (in_unit(bytes, i) > 1023)
		i++;
	tenths = ((bytes >> (10 * (i - 1))) * 10 + 512) / 1024;
	if (tenths < 100)
		(void)snprintf(buf, UNITS_LEN, "%" PRIu64 ".%" PRIu64 "%c", tenths / 10,
			       tenths % 10, names[i]);
	else
		(void)snprintf(buf, UNITS_LEN, "%" PRIu64 "%c", in_unit(bytes, i),
			       names[i]);
	return buf;
}

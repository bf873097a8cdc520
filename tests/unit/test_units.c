// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes, times and counts, and the escaping of text that quotes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "common/escape.h"
#include "common/units.h"

typedef int parse_fn(const char *text, uint64_t *ret, char *err);

struct good {
	const char *text;
	uint64_t value;
};

static void all_good(parse_fn *parse, const struct good *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char err[UNITS_ERR_LEN];
		uint64_t v = 1234567;

		assert_int_equal(parse(t[i].text, &v, err), 0);
		assert_true(v == t[i].value);
	}
}

static void is_bad(parse_fn *parse, const char *text, int r, const char *want)
{
	char err[UNITS_ERR_LEN];
	uint64_t v = 1234567;

	assert_int_equal(parse(text, &v, err), r);
	assert_true(v == 1234567);
	assert_true(strlen(err) < UNITS_ERR_LEN);
	if (want)
		assert_string_equal(err, want);
}

static void test_size(void **state)
{
	static const struct good t[] = {
		{"0", 0},
		{"1", 1},
		{"4096", 4096},
		{"16M", 16 << 20},
		{"007K", 7 << 10},
		{"3G", 3ULL << 30},
		{"1T", 1ULL << 40},
		{"9223372036854775807", INT64_MAX},
		{"8388607T", 8388607ULL << 40},
	};
	static const char *const bad[] = {"",    "M",   "1.5G", "-1",   "+1",  " 1",
					  "1 ",  "1 M", "16m",  "16MB", "1KK", "0x",
					  "1e3", "off", "1,5",  "1P",   "16Mi"};

	(void)state;
	all_good(units_parse_size, t, ARRAY_SIZE(t));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_bad(units_parse_size, bad[i], -EINVAL, NULL);
	is_bad(units_parse_size, "16MB", -EINVAL,
	       "'16MB' is not a size: write a whole number of bytes, or one with K, M, G "
	       "or T, such as 16M");
	is_bad(units_parse_size, "9223372036854775808", -ERANGE,
	       "'9223372036854775808' is too large");
	is_bad(units_parse_size, "8388608T", -ERANGE, "'8388608T' is too large");
	is_bad(units_parse_size, "18446744073709551616", -ERANGE, NULL);
	is_bad(units_parse_size, "99999999999999999999999999999999999999999X", -ERANGE,
	       "'9999999999999999999999999999999999999999...' is too large");
}

static void test_time(void **state)
{
	static const struct good t[] = {
		{"0", 0},         {"0s", 0},
		{"1ms", 1},       {"5s", 5000},
		{"2min", 120000}, {"24h", 86400000},
		{"00", 0},        {"9223372036854775807ms", INT64_MAX},
	};
	static const char *const bad[] = {"",    "5", "5m",      "5S",  "1.5s", "-5s",
					  "5 s", "s", "1min30s", "off", "5sec"};

	(void)state;
	all_good(units_parse_time, t, ARRAY_SIZE(t));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_bad(units_parse_time, bad[i], -EINVAL, NULL);
	is_bad(units_parse_time, "5", -EINVAL,
	       "'5' is not a time: write a whole number with ms, s, min or h, such as "
	       "5s");
	is_bad(units_parse_time, "9223372036854775807s", -ERANGE, NULL);
}

static void test_count(void **state)
{
	static const struct good t[] = {{"0", 0}, {"64", 64}};

	(void)state;
	all_good(units_parse_count, t, ARRAY_SIZE(t));
	is_bad(units_parse_count, "1K", -EINVAL, "'1K' is not a whole number");
	is_bad(units_parse_count, "", -EINVAL, "'' is not a whole number");
	is_bad(units_parse_count, "\033[31m", -EINVAL,
	       "'\\x1b[31m' is not a whole number");
}

/* The reason is whole even when the quoted text swells. */
static void test_quote_bounded(void **state)
{
	char text[300], err[UNITS_ERR_LEN];
	uint64_t v;

	(void)state;
	memset(text, 1, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(units_parse_size(text, &v, err), -EINVAL);
	assert_non_null(strstr(err, "...' is not a size"));
	assert_non_null(strstr(err, "such as 16M"));
}

/* Every formatted value is read back as itself. */
static void test_format(void **state)
{
	static const uint64_t v[] = {0,          1,          1023,      1024,
				     1025,       4097,       16 << 20,  1ULL << 30,
				     1536 << 20, 1ULL << 40, INT64_MAX, 60000,
				     61000,      3600000,    86400000,  1500};
	char buf[UNITS_LEN], err[UNITS_ERR_LEN];
	uint64_t back;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		assert_int_equal(
			units_parse_size(units_format_size(v[i], buf), &back, err), 0);
		assert_true(back == v[i]);
		assert_int_equal(
			units_parse_time(units_format_time(v[i], buf), &back, err), 0);
		assert_true(back == v[i]);
	}
	assert_string_equal(units_format_size(16 << 20, buf), "16M");
	assert_string_equal(units_format_size(4097, buf), "4097");
	assert_string_equal(units_format_size(UINT64_MAX, buf), "off");
	assert_string_equal(units_format_time(1500, buf), "1500ms");
	assert_string_equal(units_format_time(120000, buf), "2min");
	assert_string_equal(units_format_time(0, buf), "0s");
	assert_string_equal(units_format_time(UINT64_MAX, buf), "off");
}

static void test_human(void **state)
{
	static const struct {
		uint64_t v;
		const char *want;
	} t[] = {
		{0, "0B"},
		{1023, "1023B"},
		{1024, "1.0K"},
		{1536, "1.5K"},
		{10188, "9.9K"},
		{10200, "10K"},
		{(1 << 20) - 600, "1023K"},
		{(1 << 20) - 1, "1.0M"},
		{1610612736, "1.5G"},
		{805306368, "768M"},
		{UINT64_MAX, "16E"},
	};
	char buf[UNITS_LEN];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_string_equal(units_human_size(t[i].v, buf), t[i].want);
}

static void test_utf8(void **state)
{
	static const struct {
		const char *s;
		size_t want;
	} t[] = {
		{"a", 1},
		{"\xc3\xa9", 2},
		{"\xe2\x82\xac", 3},
		{"\xf0\x9f\x98\x80", 4},
		{"\xc3", 0},
		{"\xc0\x80", 0},
		{"\xe0\x80\x80", 0},
		{"\xed\xa0\x80", 0},
		{"\xf4\x90\x80\x80", 0},
		{"\x80", 0},
		{"\xff", 0},
		{"", 0},
		{"\xe2\x82", 0},
		{"\xc3(", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(escape_utf8_len(t[i].s, strlen(t[i].s)), t[i].want);
	assert_true(escape_is_clean("caf\xc3\xa9 x", 7));
	assert_false(escape_is_clean("a\nb", 3));
	assert_false(escape_is_clean("\xc2\x9b", 2)); /* CSI as one character */
	assert_false(escape_is_clean("\x7f", 1));
}

static void test_escape(void **state)
{
	char buf[16];

	(void)state;
	assert_int_equal(escape_text("a\nb", 3, buf, sizeof(buf)), 6);
	assert_string_equal(buf, "a\\x0ab");
	escape_text("\xc2\x9b\xff\xc3\xa9", 5, buf, sizeof(buf));
	assert_string_equal(buf, "\\xc2\\x9b\\xff\xc3\xa9");
	/* Cut before what does not fit, never within it. */
	assert_int_equal(escape_text("ab\n", 3, buf, 6), 2);
	assert_string_equal(buf, "ab");
	assert_int_equal(escape_text("a\xc3\xa9", 3, buf, 3), 1);
	assert_string_equal(buf, "a");
	assert_int_equal(escape_text("abc", 3, buf, 1), 0);
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),   cmocka_unit_test(test_time),
		cmocka_unit_test(test_count),  cmocka_unit_test(test_quote_bounded),
		cmocka_unit_test(test_format), cmocka_unit_test(test_human),
		cmocka_unit_test(test_utf8),   cmocka_unit_test(test_escape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

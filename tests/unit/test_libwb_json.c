// SPDX-License-Identifier: GPL-2.0-or-later
/* libwb's JSON reader and what it makes of the daemon's replies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "libwb/int.h"
#include "libwb/json.h"

static int parse(const char *text, struct wbi_reply *r)
{
	return wbi_reply_parse(text, strlen(text), r);
}

static void what_is_json_is_skipped(void **state)
{
	static const char *const good[] = {
		"{}",
		" {\t\"a\" : [ ] ,\r\n\"b\":{} } ",
		"{\"a\":[1,-2,0,1.5,1e9,-0.1E-3,true,false,null,\"x\",[[]],{\"b\":{}}]}",
		"{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"}",
		"{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}",
	};
	struct wbi_reply r;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (parse(good[i], &r))
			fail_msg("refused: %s", good[i]);
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"[]",
		"{",
		"}",
		"{}{}",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{,\"a\":1}",
		"{a:1}",
		"{\"a\":01}",
		"{\"a\":-}",
		"{\"a\":1.}",
		"{\"a\":.5}",
		"{\"a\":1e}",
		"{\"a\":+1}",
		"{\"a\":NaN}",
		"{\"a\":tru}",
		"{\"a\":nul}",
		"{\"a\":[1 2]}",
		"{\"a\":[1,]}",
		"{\"a\":\"x}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12g4\"}",
		"{\"a\":\"\\ud800\"}",
		"{\"a\":\"\\udc00\"}",
		"{\"a\":\"\\ud800\\u0041\"}",
		"{\"a\":\"\x01\"}",
		"{\"a\":\"\xff\"}",
		"{\"a\":\"\xc0\xaf\"}",
		"{\"a\":\"\xed\xa0\x80\"}",
		"{\"a\":\"\xf4\x90\x80\x80\"}",
		"{\"a\":\"\xe2\x82\"}",
		"{\"parameters\":3}",
		"{\"error\":3}",
		"{\"continues\":1}",
		"{\"parameters\":{\"context\":1.5}}",
		"{\"parameters\":{\"write_size\":9223372036854775808}}",
		"{\"parameters\":{\"write_size\":\"1\"}}",
		"{\"parameters\":{\"effects\":{}}}",
		"{\"parameters\":{\"effects\":[1]}}",
		"{\"parameters\":{\"effects\":[{\"in_force\":1}]}}",
		"{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}",
	};
	struct wbi_reply r, untouched;

	(void)state;
	memset(&r, 0x5a, sizeof(r));
	untouched = r;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse(bad[i], &r) != -EBADMSG)
			fail_msg("accepted: %s", bad[i]);
	assert_memory_equal(&r, &untouched, sizeof(r));
}

/* Every shorter piece of a good reply is a bad one, and is never read beyond its end. */
static void what_is_cut_short_is_refused(void **state)
{
	static const char whole[] =
		"{\"parameters\":{\"effects\":[{\"name\":\"a\\u00e9\",\"in_force\":true,"
		"\"why\":\"\xe2\x82\xac\"}],\"engine\":\"user\",\"context\":-12}}";
	struct wbi_reply r;

	(void)state;
	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		char *exact = test_malloc(len + 1);

		memcpy(exact, whole, len);
		assert_int_equal(wbi_reply_parse(exact, len, &r), -EBADMSG);
		test_free(exact);
	}
	assert_int_equal(parse(whole, &r), 0);
}

static void a_reply_is_understood(void **state)
{
	struct wbi_reply r;

	(void)state;
	assert_int_equal(
		parse("{\"parameters\":{\"new\":{\"x\":[1]},\"effects\":[{\"name\":"
		      "\"extent-size\","
		      "\"in_force\":false,\"why\":\"the file has data\",\"more\":1},"
		      "{\"name\":\"flush-stride\",\"in_force\":true,\"why\":null}],"
		      "\"engine\":\"user\",\"context\":3,\"group\":null,"
		      "\"write_size\":1048576,\"file_size\":9223372036854775807},"
		      "\"continues\":true}",
		      &r),
		0);
	assert_int_equal(wbi_reply_errno(&r), 0);
	assert_true(r.continues);
	assert_int_equal(r.info.n_effects, 2);
	assert_string_equal(r.info.effects[0].name, "extent-size");
	assert_string_equal(r.info.effects[0].why, "the file has data");
	assert_int_equal(r.info.effects[0].in_force, 0);
	assert_int_equal(r.info.effects[1].in_force, 1);
	assert_string_equal(r.info.engine, "user");
	assert_int_equal(r.info.context, 3);
	assert_int_equal(r.info.group, -1);
	assert_int_equal(r.info.write_size, 1048576);
	assert_true(r.info.file_size == INT64_MAX);
}

static void long_text_is_cut_at_a_character(void **state)
{
	char text[600] = "{\"parameters\":{\"reason\":\"", *p = text + strlen(text);
	struct wbi_reply r;

	(void)state;
	for (int i = 0; i < 100; i++)
		p = stpcpy(p, "\xe2\x82\xac");
	strcpy(p, "\"},\"error\":\"io.writeback.NotManaged\"}");
	assert_int_equal(parse(text, &r), 0);
	assert_int_equal(strlen(r.reason), (sizeof(r.reason) - 1) / 3 * 3);
	assert_int_equal(wbi_reply_errno(&r), -ENODEV);
}

static void more_effects_than_there_is_room_for(void **state)
{
	char text[2000] = "{\"parameters\":{\"effects\":[", *p = text + strlen(text);
	struct wbi_reply r;

	(void)state;
	for (int i = 0; i < 20; i++)
		p += sprintf(p, "%s{\"name\":\"e%d\"}", i ? "," : "", i);
	strcpy(p, "]}}");
	assert_int_equal(parse(text, &r), 0);
	assert_int_equal(r.info.n_effects, WB_EFFECTS_MAX);
	assert_string_equal(r.info.effects[7].name, "e7");
}

static void errors_have_numbers(void **state)
{
	static const struct {
		const char *name;
		int want;
	} e[] = {
		{"io.writeback.BadDescriptor", -EBADF},
		{"io.writeback.LimitReached", -EDQUOT},
		{"org.varlink.service.MethodNotFound", -ENOSYS},
		{"org.example.Whatever", -EPROTO},
	};
	struct wbi_reply r;
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(e) / sizeof(*e); i++) {
		snprintf(text, sizeof(text), "{\"error\":\"%s\"}", e[i].name);
		assert_int_equal(parse(text, &r), 0);
		assert_int_equal(wbi_reply_errno(&r), e[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_json_is_skipped),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(what_is_cut_short_is_refused),
		cmocka_unit_test(a_reply_is_understood),
		cmocka_unit_test(long_text_is_cut_at_a_character),
		cmocka_unit_test(more_effects_than_there_is_room_for),
		cmocka_unit_test(errors_have_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Varlink framing and parsing: whole and half messages, limits, hostile text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/vl_frame.h"
#include "common/vl_msg.h"

static void feed(struct vl_in *in, const char *s, size_t len)
{
	while (len) {
		ssize_t n = vl_in_feed(in, s, len);

		assert_true(n > 0);
		s += n;
		len -= (size_t)n;
	}
}

static void frame_splits_at_nul(void **state)
{
	struct vl_in in = {.max = 64};
	size_t len = 0;
	char *msg;

	(void)state;
	feed(&in, "ab\0cd\0ef", 8);
	assert_int_equal(vl_in_next(&in, &msg, &len), 1);
	assert_string_equal(msg, "ab");
	assert_int_equal(len, 2);
	assert_int_equal(vl_in_next(&in, &msg, &len), 1);
	assert_string_equal(msg, "cd");
	assert_int_equal(vl_in_next(&in, &msg, &len), 0);
	assert_int_equal(vl_in_pending(&in), 2);
	feed(&in, "\0", 1);
	assert_int_equal(vl_in_next(&in, &msg, &len), 1);
	assert_string_equal(msg, "ef");
	assert_int_equal(vl_in_next(&in, &msg, &len), 0);
	assert_null(in.buf); /* nothing is kept for an idle connection */
}

static void frame_byte_by_byte(void **state)
{
	struct vl_in in = {.max = 16};
	size_t len = 0;
	char *msg;

	(void)state;
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 15; i++) {
			feed(&in, "x", 1);
			assert_int_equal(vl_in_next(&in, &msg, &len), 0);
		}
		feed(&in, "\0", 1);
		assert_int_equal(vl_in_next(&in, &msg, &len), 1);
		assert_int_equal(len, 15);
	}
	vl_in_clear(&in);
}

static void frame_refuses_long(void **state)
{
	struct vl_in in = {.max = 16};
	size_t len = 0;
	char *msg;

	(void)state;
	feed(&in, "0123456789abcdef", 16);
	assert_int_equal(vl_in_feed(&in, "x", 1), -ENOBUFS);
	assert_int_equal(vl_in_next(&in, &msg, &len), -EMSGSIZE);
	vl_in_clear(&in);
}

static void frame_empty_messages(void **state)
{
	struct vl_in in = {.max = 16};
	size_t len = 1;
	char *msg;

	(void)state;
	feed(&in, "\0\0\0", 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(vl_in_next(&in, &msg, &len), 1);
		assert_int_equal(len, 0);
	}
	assert_int_equal(vl_in_next(&in, &msg, &len), 0);
	vl_in_clear(&in);
}

static void out_survives_a_full_socket(void **state)
{
	static char big[1 << 20], back[1 << 16];
	struct vl_out out = {0};
	size_t sent = 0, got = 0;
	int p[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, p), 0);
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 7 >> 3);
	assert_int_equal(vl_out_put(&out, big, sizeof(big) / 2), 0);
	sent = (size_t)vl_out_send(&out, p[0]);
	assert_true(sent < sizeof(big) / 2);
	assert_int_equal(vl_out_put(&out, big + sizeof(big) / 2, sizeof(big) / 2), 0);
	while (got < sizeof(big)) {
		ssize_t n = recv(p[1], back, sizeof(back), 0);

		assert_true(n > 0);
		assert_memory_equal(back, big + got, (size_t)n);
		got += (size_t)n;
		assert_true(vl_out_send(&out, p[0]) >= 0);
	}
	assert_int_equal(vl_out_pending(&out), 0);
	assert_null(out.buf);
	close(p[1]);
	assert_int_equal(vl_out_put(&out, "x", 1), 0);
	assert_int_equal(vl_out_send(&out, p[0]), -EPIPE);
	vl_out_clear(&out);
	close(p[0]);
}

static int parse(const char *text)
{
	const char *why = NULL;
	json_t *j = NULL;
	int r = vl_parse(text, strlen(text), &j, &why);

	assert_true((r == 0) == (why == NULL));
	json_decref(j);
	return r;
}

static void nested(char *buf, int depth)
{
	strcpy(buf, "{\"a\":");
	for (int i = 1; i < depth; i++)
		strcat(buf, "[");
	for (int i = 1; i < depth; i++)
		strcat(buf, "]");
	strcat(buf, "}");
}

static void parse_is_strict(void **state)
{
	char deep[256];

	(void)state;
	assert_int_equal(parse("{}"), 0);
	assert_int_equal(parse(""), -EBADMSG);
	assert_int_equal(parse("[]"), -EBADMSG);
	assert_int_equal(parse("{} {}"), -EBADMSG);
	assert_int_equal(parse("{\"a\":1,\"a\":2}"), -EBADMSG);
	assert_int_equal(parse("{\"a\":\"\xff\"}"), -EBADMSG);
	assert_int_equal(parse("{\"a\":99999999999999999999}"), -EBADMSG);
	nested(deep, VL_NESTING_MAX);
	assert_int_equal(parse(deep), 0);
	nested(deep, VL_NESTING_MAX + 1);
	assert_int_equal(parse(deep), -E2BIG);
	/* Brackets within a string are text, also behind an escaped quote. */
	assert_int_equal(parse("{\"a\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}"),
			 0);
}

static int request(const char *text, struct vl_request *q)
{
	const char *why;
	json_t *j = json_loads(text, 0, NULL);
	int r = vl_request_read(j, q, &why);

	json_decref(j);
	return r;
}

static void request_types(void **state)
{
	struct vl_request q;

	(void)state;
	assert_int_equal(request("{\"method\":\"a.B\",\"more\":true}", &q), 0);
	assert_true(q.more && !q.oneway && !q.upgrade && !q.params);
	assert_int_equal(request("{\"method\":\"a.B\",\"parameters\":null}", &q), 0);
	assert_int_equal(request("{\"method\":1}", &q), -EBADMSG);
	assert_int_equal(request("{}", &q), -EBADMSG);
	assert_int_equal(request("{\"method\":\"a.B\",\"parameters\":[]}", &q), -EBADMSG);
	assert_int_equal(request("{\"method\":\"a.B\",\"more\":1}", &q), -EBADMSG);
	assert_int_equal(request("{\"method\":\"a.B\",\"oneway\":\"\"}", &q), -EBADMSG);
}

static void string_of_any_bytes(void **state)
{
	json_t *j = vl_string("/mnt/\xff\xfe z");

	(void)state;
	assert_string_equal(json_string_value(j), "/mnt/\\xff\\xfe z");
	json_decref(j);
	j = vl_string("/mnt/\xc3\xa4");
	assert_string_equal(json_string_value(j), "/mnt/\xc3\xa4");
	json_decref(j);
	assert_true(json_is_null(vl_string(NULL)));
}

static void reply_without_memory(void **state)
{
	size_t len = 0;

	(void)state;
	assert_null(vl_reply(NULL, false));
	assert_null(vl_error("a.B", NULL));
	assert_null(vl_dump(NULL, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_splits_at_nul),
		cmocka_unit_test(frame_byte_by_byte),
		cmocka_unit_test(frame_refuses_long),
		cmocka_unit_test(frame_empty_messages),
		cmocka_unit_test(out_survives_a_full_socket),
		cmocka_unit_test(parse_is_strict),
		cmocka_unit_test(request_types),
		cmocka_unit_test(string_of_any_bytes),
		cmocka_unit_test(reply_without_memory),
	};

	return cmocka_run_group_tests_name("vl_frame", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The Varlink server against clients that break every rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/vl_harness.h"
#include "daemon/vl_conn.h"

struct fixture {
	struct ev_loop *loop;
	struct vl_server *server;
	struct sockaddr_un sa;
	socklen_t sa_len;
	unsigned max;
	struct vl_call *deferred;
	unsigned gone, calls;
};

static unsigned connections(void *arg)
{
	return ((struct fixture *)arg)->max;
}

static void on_gone(void *arg)
{
	struct fixture *f = arg;

	f->gone++;
	f->deferred = NULL;
}

static void on_call(struct vl_call *call, void *arg)
{
	struct fixture *f = arg;
	const char *m = vl_call_method(call);

	f->calls++;
	if (!strcmp(m, "t.Defer")) {
		f->deferred = call;
		vl_call_defer(call, on_gone, f);
	} else if (!strcmp(m, "t.Big")) {
		char *s = malloc(300000);

		memset(s, 'x', 299999);
		s[299999] = '\0';
		vl_call_reply(call, json_pack("{ss}", "s", s));
		free(s);
	} else if (strcmp(m, "t.Silent")) {
		json_t *p = vl_call_params(call);

		vl_call_reply(call, p ? json_incref(p) : json_object());
	}
}

static const struct vl_server_ops ops = {
	.connections = connections,
	.call = on_call,
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd;

	f->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	f->max = 16;
	fd = harness_listen(&f->sa, &f->sa_len);
	assert_int_equal(vl_server_new(f->loop, fd, "t", &ops, f, &f->server), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	vl_server_free(f->server);
	ev_loop_destroy(f->loop);
	free(f);
	return 0;
}

static void expect_int(struct fixture *f, struct client *c, json_int_t want)
{
	json_t *j = hear(f->loop, c);

	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(j, "parameters"), "n")),
			 want);
	json_decref(j);
}

static void pipelined_calls_in_order(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say_bytes(f->loop, &c,
			      "{\"method\":\"t.E\",\"parameters\":{\"n\":1}}\0"
			      "{\"method\":\"t.E\",\"parameters\":{\"n\":2}}\0"
			      "{\"method\":\"t.E\",\"parameters\":{\"n\":3}}",
			      3 * 38));
	for (int i = 1; i <= 3; i++)
		expect_int(f, &c, i);
	hang_up(&c);
}

static void half_a_message_then_the_rest(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say_bytes(f->loop, &c, "{\"method\":\"t.", 13));
	assert_int_equal(f->calls, 0);
	assert_true(say(f->loop, &c, "E\",\"parameters\":{\"n\":7}}"));
	expect_int(f, &c, 7);
	hang_up(&c);
}

static void half_a_message_times_out(void **state)
{
	struct fixture *f = *state;
	struct client c, drip;

	vl_server_set_patience(f->server, 0.05);
	c = dial(&f->sa, f->sa_len);
	assert_true(say_bytes(f->loop, &c, "{\"method\"", 9));
	expect_error(f->loop, &c, "t.ProtocolError");
	expect_closed(f->loop, &c);
	hang_up(&c);
	/* A byte now and then buys no time: the send fails in the end. */
	drip = dial(&f->sa, f->sa_len);
	while (say_bytes(f->loop, &drip, " ", 1))
		ev_sleep(0.001);
	hang_up(&drip);
	assert_int_equal(f->calls, 0);
}

#define BYTES(s)             \
	{                    \
		s, sizeof(s) \
	} /* with the NUL */

static void what_is_not_varlink_is_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		BYTES("GET / HTTP/1.1\r\n\r\n"),
		BYTES("\0\0\0\0\0\0\0"),
		BYTES("[]"),
		BYTES("{\"method\":3}"),
		BYTES("{\"method\":\"t.E\",\"parameters\":3}"),
		BYTES("\xff\xff"),
		BYTES("{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["),
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct client c = dial(&f->sa, f->sa_len);

		(void)say_bytes(f->loop, &c, bad[i].bytes, bad[i].len);
		expect_error(f->loop, &c, "t.ProtocolError");
		expect_closed(f->loop, &c);
		hang_up(&c);
	}
	assert_int_equal(f->calls, 0);
	turn(f->loop);
	assert_int_equal(vl_server_connections(f->server), 0);
}

/* @size bytes with the NUL. */
static char *message_of(size_t size)
{
	char *s = malloc(size);
	size_t head = strlen("{\"method\":\"t.E\",\"x\":\"");

	assert_non_null(s);
	memset(s, 'x', size);
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): more follows */
	memcpy(s, "{\"method\":\"t.E\",\"x\":\"", head);
	memcpy(s + size - 3, "\"}", 3);
	return s;
}

static void message_size_is_limited(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);
	char *fits = message_of(VL_MESSAGE_MAX), *big = message_of(VL_MESSAGE_MAX + 1);
	json_t *j;

	assert_true(say_bytes(f->loop, &c, fits, VL_MESSAGE_MAX));
	j = hear(f->loop, &c);
	assert_null(json_object_get(j, "error"));
	json_decref(j);
	(void)say_bytes(f->loop, &c, big, VL_MESSAGE_MAX + 1);
	expect_error(f->loop, &c, "t.ProtocolError");
	expect_closed(f->loop, &c);
	hang_up(&c);
	free(fits);
	free(big);
}

static void oneway_has_no_reply(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say(f->loop, &c, "{\"method\":\"t.E\",\"oneway\":true}"));
	assert_true(say(f->loop, &c, "{\"method\":\"t.E\",\"parameters\":{\"n\":5}}"));
	expect_int(f, &c, 5);
	assert_int_equal(f->calls, 2);
	hang_up(&c);
}

static void upgrade_and_silence_are_answered(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say(f->loop, &c, "{\"method\":\"t.E\",\"upgrade\":true}"));
	expect_error(f->loop, &c, "org.varlink.service.InvalidParameter");
	assert_true(say(f->loop, &c, "{\"method\":\"t.Silent\"}"));
	expect_error(f->loop, &c, "org.varlink.service.MethodNotImplemented");
	hang_up(&c);
}

static void later_calls_wait_for_a_deferred_one(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say(f->loop, &c, "{\"method\":\"t.Defer\"}"));
	assert_true(say(f->loop, &c, "{\"method\":\"t.E\",\"parameters\":{\"n\":2}}"));
	turn(f->loop);
	assert_int_equal(f->calls, 1);
	assert_non_null(f->deferred);
	vl_call_continue(f->deferred, json_pack("{si}", "n", 0));
	vl_call_reply(f->deferred, json_pack("{si}", "n", 1));
	for (int i = 0; i < 3; i++)
		expect_int(f, &c, i);
	assert_int_equal(f->gone, 0);
	hang_up(&c);
}

static void a_deferred_call_hears_of_a_hang_up(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);
	double end = test_now() + PUMP_S;

	assert_true(say(f->loop, &c, "{\"method\":\"t.Defer\"}"));
	turn(f->loop);
	assert_non_null(f->deferred);
	hang_up(&c);
	while (!f->gone && test_now() < end)
		turn(f->loop);
	assert_int_equal(f->gone, 1);
	assert_int_equal(vl_server_connections(f->server), 0);
}

static void a_flood_behind_a_deferred_call_is_cut_off(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say(f->loop, &c, "{\"method\":\"t.Defer\"}"));
	while (say(f->loop, &c, "{\"method\":\"t.E\"}"))
		;
	turn(f->loop);
	assert_int_equal(f->gone, 1);
	assert_int_equal(f->calls, 1);
	hang_up(&c);
}

static void a_stream_that_is_not_read_is_cut_off(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len), other = dial(&f->sa, f->sa_len);
	unsigned sent = 0;

	assert_true(say(f->loop, &c, "{\"method\":\"t.Defer\",\"more\":true}"));
	turn(f->loop);
	/* Put from outside the server's own callbacks, as an engine's events are. */
	while (f->deferred && sent++ < 100000) {
		vl_call_continue(f->deferred, json_pack("{ss}", "event", "something"));
		if (sent % 1000 == 0)
			turn(f->loop);
	}
	assert_int_equal(f->gone, 1);
	assert_true(
		say(f->loop, &other, "{\"method\":\"t.E\",\"parameters\":{\"n\":9}}"));
	expect_int(f, &other, 9);
	hang_up(&c);
	hang_up(&other);
}

static void pipelining_without_reading_is_bounded(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);
	double end = test_now() + 1;
	bool stalled = false;

	/* Sends until the server takes no more: it stops reading, not growing. */
	while (!stalled && test_now() < end) {
		const char *m = "{\"method\":\"t.Big\"}";
		ssize_t n = send(c.fd, m, strlen(m) + 1, MSG_NOSIGNAL);

		stalled = n < 0 && errno == EAGAIN;
		turn(f->loop);
		assert_true(vl_out_pending(&f->server->conns->out) <= VL_QUEUE_MAX);
	}
	assert_true(stalled);
	assert_true(f->calls < 20);
	hang_up(&c);
}

static void a_reader_that_is_stuck_times_out(void **state)
{
	struct fixture *f = *state;
	struct client c;
	double end = test_now() + PUMP_S;

	vl_server_set_patience(f->server, 0.05);
	c = dial(&f->sa, f->sa_len);
	/* The machine may be slow and the last of them come too late already. */
	for (int i = 0; i < 4; i++)
		(void)say(f->loop, &c, "{\"method\":\"t.Big\"}");
	assert_true(f->calls >= 1);
	while (vl_server_connections(f->server) && test_now() < end)
		turn(f->loop);
	assert_int_equal(vl_server_connections(f->server), 0);
	hang_up(&c);
}

static void connections_are_limited(void **state)
{
	struct fixture *f = *state;
	struct client c[16], more;

	for (int i = 0; i < 16; i++) {
		c[i] = dial(&f->sa, f->sa_len);
		turn(f->loop);
	}
	assert_int_equal(vl_server_connections(f->server), 16);
	more = dial(&f->sa, f->sa_len);
	expect_error(f->loop, &more, "t.TooManyConnections");
	expect_closed(f->loop, &more);
	hang_up(&more);
	/* Those that are in are served, and a place that is left is free again. */
	assert_true(say(f->loop, &c[3], "{\"method\":\"t.E\",\"parameters\":{\"n\":3}}"));
	expect_int(f, &c[3], 3);
	hang_up(&c[0]);
	while (vl_server_connections(f->server) == 16)
		turn(f->loop);
	more = dial(&f->sa, f->sa_len);
	assert_true(say(f->loop, &more, "{\"method\":\"t.E\",\"parameters\":{\"n\":4}}"));
	expect_int(f, &more, 4);
	hang_up(&more);
	for (int i = 1; i < 16; i++)
		hang_up(&c[i]);
}

static void an_idle_connection_has_no_timer(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);
	struct vl_conn *conn;

	assert_true(say(f->loop, &c, "{\"method\":\"t.E\",\"parameters\":{\"n\":1}}"));
	expect_int(f, &c, 1);
	conn = f->server->conns;
	assert_false(ev_is_active(&conn->half));
	assert_false(ev_is_active(&conn->stuck));
	assert_null(conn->in.buf);
	assert_null(conn->out.buf);
	hang_up(&c);
}

static void answers_reach_a_client_that_sends_no_more(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say(f->loop, &c, "{\"method\":\"t.Big\"}"));
	assert_int_equal(shutdown(c.fd, SHUT_WR), 0);
	json_decref(hear(f->loop, &c));
	expect_closed(f->loop, &c);
	hang_up(&c);
}

static void groups_of_the_caller(void **state)
{
	struct fixture *f = *state;
	struct client c = dial(&f->sa, f->sa_len);

	assert_true(say(f->loop, &c, "{\"method\":\"t.Defer\"}"));
	turn(f->loop);
	assert_non_null(f->deferred);
	assert_int_equal(vl_call_uid(f->deferred), getuid());
	assert_true(vl_call_in_group(f->deferred, getgid()));
	assert_false(vl_call_in_group(f->deferred, 54321));
	hang_up(&c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pipelined_calls_in_order),
		TEST(half_a_message_then_the_rest),
		TEST(half_a_message_times_out),
		TEST(what_is_not_varlink_is_refused),
		TEST(message_size_is_limited),
		TEST(oneway_has_no_reply),
		TEST(upgrade_and_silence_are_answered),
		TEST(later_calls_wait_for_a_deferred_one),
		TEST(a_deferred_call_hears_of_a_hang_up),
		TEST(a_flood_behind_a_deferred_call_is_cut_off),
		TEST(a_stream_that_is_not_read_is_cut_off),
		TEST(pipelining_without_reading_is_bounded),
		TEST(a_reader_that_is_stuck_times_out),
		TEST(connections_are_limited),
		TEST(an_idle_connection_has_no_timer),
		TEST(answers_reach_a_client_that_sends_no_more),
		TEST(groups_of_the_caller),
	};

	return cmocka_run_group_tests_name("vl_server", tests, NULL, NULL);
}

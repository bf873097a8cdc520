// SPDX-License-Identifier: GPL-2.0-or-later
/* The API as clients see it; every answer is checked against the interface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "tests/unit/vl_harness.h"
#include "common/cleanup.h"
#include "tests/unit/idl.h"
#include "tests/unit/fake_engine.h"
#include "daemon/api_int.h"
#include "daemon/search_int.h"
#include "daemon/vl_conn.h"

struct fixture {
	struct wbd w;
	char dir[32], path[64];
	struct sockaddr_un sa;
	struct client c;
	struct idl idl;
};

static void dial_api(struct fixture *f, struct client *ret)
{
	*ret = dial(&f->sa, sizeof(f->sa));
}

static json_t *ask_raw(struct fixture *f, const char *method, const char *params)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"method\":\"%s\",\"parameters\":%s}", method,
		 params);
	assert_true(say(f->w.loop, &f->c, text));
	return hear(f->w.loop, &f->c);
}

/* A reply's parameters, checked; or an error's if its name is what @error says. */
static json_t *ask(struct fixture *f, const char *method, const char *params,
		   const char *error)
{
	char full[64], owner[64];
	json_t *j, *p;

	snprintf(full, sizeof(full), "io.writeback.%s", method);
	j = ask_raw(f, full, params);
	p = json_incref(json_object_get(j, "parameters"));
	if (error) {
		snprintf(full, sizeof(full), "io.writeback.%s", error);
		snprintf(owner, sizeof(owner), "error %s", error);
		assert_non_null(json_object_get(j, "error"));
		assert_string_equal(json_string_value(json_object_get(j, "error")), full);
	} else {
		snprintf(owner, sizeof(owner), "%s.out", method);
		assert_null(json_object_get(j, "error"));
	}
	assert_true(idl_is(&f->idl, p, owner));
	json_decref(j);
	return p;
}

static void load_interface(struct fixture *f)
{
	json_t *j = ask_raw(f, "org.varlink.service.GetInterfaceDescription",
			    "{\"interface\":\"io.writeback\"}");

	idl_parse(&f->idl, json_string_value(json_object_get(
				   json_object_get(j, "parameters"), "description")));
	json_decref(j);
	assert_true(f->idl.n > 100);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/wb-api.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/run/io.writeback", f->dir);
	f->w.loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	f->w.opts.socket = f->path;
	assert_int_equal(conf_default(&f->w.conf), 0);
	fake_setup(&f->w);
	assert_int_equal(api_new(&f->w, &f->w.api), 0);
	f->sa.sun_family = AF_UNIX;
	strcpy(f->sa.sun_path, f->path);
	dial_api(f, &f->c);
	load_interface(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char dir[64];

	api_free(f->w.api);
	assert_int_equal(access(f->path, F_OK), -1);
	hang_up(&f->c);
	fake_teardown();
	conf_free(f->w.conf);
	free(f->w.last_reload_error);
	ev_loop_destroy(f->w.loop);
	snprintf(dir, sizeof(dir), "%s/run", f->dir);
	(void)rmdir(dir);
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static void socket_is_for_everybody(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	assert_int_equal(lstat(f->path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0666);
}

static void socket_paths(void **state)
{
	struct fixture *f = *state;
	struct api_socket *s = NULL, *other = NULL, *crashed = NULL;
	int other_fd = -1;
	char path[64], longpath[300];
	FILE *file;
	int fd = -1;

	/* Somebody listens there. */
	assert_int_equal(api_socket_bind(f->path, &s, &fd), -EADDRINUSE);
	/* Not a socket. */
	snprintf(path, sizeof(path), "%s/run/file", f->dir);
	file = fopen(path, "w");
	fputs("precious", file);
	fclose(file);
	assert_int_equal(api_socket_bind(path, &s, &fd), -EEXIST);
	assert_int_equal(unlink(path), 0);
	memset(longpath, 'x', sizeof(longpath) - 1);
	longpath[0] = '/';
	longpath[sizeof(longpath) - 1] = '\0';
	assert_int_equal(api_socket_bind(longpath, &s, &fd), -ENAMETOOLONG);
	assert_null(s);
	assert_int_equal(fd, -1);
	/* Stale: made, its listener gone, made again. */
	assert_int_equal(api_socket_bind(path, &s, &fd), 0);
	close(fd);
	crashed = s;
	assert_int_equal(api_socket_bind(path, &s, &fd), 0);
	/* No longer its own: stays. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(api_socket_bind(path, &other, &other_fd), 0);
	api_socket_free(s);
	close(fd);
	assert_int_equal(access(path, F_OK), 0);
	api_socket_free(other);
	close(other_fd);
	api_socket_free(crashed);
	assert_int_equal(access(path, F_OK), -1);
}

static void status_tells_what_is_there(void **state)
{
	struct fixture *f = *state;
	json_t *st = ask(f, "Status", "{}", NULL), *a, *b;
	const char *mount, *list, *source;
	json_int_t dirty, groups;

	a = json_array_get(json_object_get(st, "filesystems"), 0);
	b = json_array_get(json_object_get(st, "filesystems"), 1);
	assert_int_equal(json_unpack(a, "{ss ss sI}", "mount", &mount, "source", &source,
				     "dirty_bytes", &dirty),
			 0);
	assert_string_equal(mount, "/mnt/a");
	assert_string_equal(source, "/dev/fake\\xff");
	assert_int_equal(dirty, INT64_MAX);
	assert_true(json_is_true(json_object_get(a, "managed")));
	assert_false(json_is_true(json_object_get(b, "managed")));
	assert_string_equal(json_string_value(json_object_get(b, "rule")), "rotational");
	assert_int_equal(json_array_size(json_object_get(a, "contexts")), 4);
	assert_int_equal(json_array_size(json_object_get(b, "contexts")), 0);
	/* Ten groups on four contexts: context 1 has 1, 5 and 9. */
	assert_int_equal(json_unpack(json_array_get(json_object_get(a, "contexts"), 1),
				     "{sI ss}", "groups", &groups, "group_list", &list),
			 0);
	assert_int_equal(groups, 3);
	assert_string_equal(list, "1-9/4");
	json_decref(st);
}

/* ---- the search ------------------------------------------------------------------ */

static const char *search_of(json_t *j, const char *key)
{
	return json_string_value(json_object_get(json_object_get(j, "search"), key));
}

/* As it is without a search: the number, and whose it is. */
static void search_where_there_is_none(void **state)
{
	struct fixture *f = *state;
	json_t *j = ask(f, "Search", "{\"device\":\"fake1\"}", NULL);

	assert_string_equal(json_string_value(json_object_get(j, "from")), "fixed");
	assert_int_equal(json_integer_value(json_object_get(j, "contexts")), 4);
	assert_true(json_is_null(json_object_get(j, "search")));
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(j, "mounts"), 0)),
		"/mnt/a");
	json_decref(j);
	fake.plan->v[0].fixed = false;
	j = ask(f, "Search", "{\"device\":\"254:1\"}", NULL);
	assert_string_equal(json_string_value(json_object_get(j, "from")), "auto");
	json_decref(j);
	fake.plan->v[0].kern.contexts_manual = true;
	j = ask(f, "Search", "{\"device\":\"254:1\"}", NULL);
	assert_string_equal(json_string_value(json_object_get(j, "from")), "manual");
	json_decref(j);
	j = ask(f, "Search", "{\"device\":\"254:2\"}", NULL);
	assert_string_equal(json_string_value(json_object_get(j, "from")), "none");
	json_decref(j);
	json_decref(ask(f, "Search", "{\"device\":\"sdx\"}", "NoSuchDevice"));
	json_decref(ask(f, "Search", "{\"device\":\"\"}", "NoSuchDevice"));
	/* A path is not followed, wherever it leads. */
	json_decref(ask(f, "Search", "{\"device\":\"/dev/fake1\"}", "NoSuchDevice"));
	j = ask_raw(f, "io.writeback.Search", "{}");
	assert_non_null(json_object_get(j, "error"));
	json_decref(j);
}

static void search_tells_all(void **state)
{
	static const struct search_ops ops;
	struct fixture *f = *state;
	struct search *d = calloc(1, sizeof(*d));
	struct knee_obs o = {.ms = 1000,
			     .ios = 10,
			     .busy = 990,
			     .depth = 7,
			     .depth_max = KNEE_UNKNOWN,
			     .pause_us = KNEE_UNKNOWN,
			     .mark = 1,
			     .dirty = 2};
	json_t *j, *s, *t;

	assert_int_equal(searches_new(f->w.loop, "", f->dir, 0, &ops, &f->w.searches), 0);
	fake.plan->v[0].search = true;
	/* Planned, but it could not be begun. */
	j = ask(f, "Search", "{\"device\":\"fake1\"}", NULL);
	assert_true(json_is_null(json_object_get(j, "search")));
	json_decref(j);
	f->w.searches->v = calloc(1, sizeof(struct search *));
	f->w.searches->v[0] = d;
	f->w.searches->n = 1;
	d->bdev = fake.plan->v[0].fs->bdev;
	knee_init(&d->k, &(struct knee_conf){.cap = 10});
	j = ask(f, "Search", "{\"device\":\"fake1\"}", NULL);
	assert_string_equal(json_string_value(json_object_get(j, "from")), "search");
	assert_string_equal(search_of(j, "state"), "waiting");
	assert_string_equal(search_of(j, "why"), "no-load");
	assert_null(search_of(j, "remembered_as"));
	s = json_object_get(j, "search");
	assert_true(json_is_null(json_object_get(s, "sample")));
	assert_int_equal(json_array_size(json_object_get(s, "trials")), 0);
	json_decref(j);
	/* Two contexts write more than one; the rest is noise of none. */
	while (!knee_found(&d->k)) {
		o.written = knee_contexts(&d->k) > 1 ? 2000000 : 1000000;
		(void)knee_step(&d->k, &o);
		d->obs = o;
		j = ask(f, "Search", "{\"device\":\"fake1\"}", NULL);
		json_decref(j);
	}
	strcpy(d->id, "wwid:1 size:2^30");
	d->remembered = 3;
	strcpy(f->w.searches->trouble, "it cannot be read");
	j = ask(f, "Search", "{\"device\":\"fake1\"}", NULL);
	assert_string_equal(search_of(j, "state"), "found");
	assert_string_equal(search_of(j, "remembered_as"), "wwid:1 size:2^30");
	assert_string_equal(search_of(j, "trouble"), "it cannot be read");
	s = json_object_get(j, "search");
	assert_int_equal(json_integer_value(json_object_get(s, "settled")), 2);
	assert_int_equal(json_integer_value(json_object_get(s, "began_with")), 3);
	assert_true(json_array_size(json_object_get(s, "rates")) >= 2);
	t = json_array_get(json_object_get(s, "trials"),
			   json_array_size(json_object_get(s, "trials")) - 1);
	assert_int_equal(json_integer_value(json_object_get(t, "lo")), 1);
	assert_int_equal(json_integer_value(json_object_get(t, "hi")), 2);
	assert_int_equal(json_integer_value(json_object_get(t, "gain_permille")), 1000);
	assert_string_equal(json_string_value(json_object_get(t, "verdict")), "gain");
	json_decref(j);
	f->w.searches = searches_free(f->w.searches);
}

static void groups_are_the_plan_turned_round(void **state)
{
	struct fixture *f = *state;
	struct plan_fs p = fake.plan->v[0];
	char list[64];

	(void)f;
	for (p.shift = 0; p.shift < 9; p.shift++) {
		for (p.contexts = 1; p.contexts < 14; p.contexts++) {
			for (unsigned c = 0; c < p.contexts; c++) {
				uint64_t n = 0;

				for (uint32_t g = 0; g < p.fs->geom.groups; g++)
					n += plan_context(&p, g) == c;
				assert_int_equal(api_groups_of(&p, c, list), n);
			}
		}
	}
}

static void everything_that_reads(void **state)
{
	struct fixture *f = *state;
	json_t *j;

	json_decref(ask(f, "Plan", "{}", NULL));
	json_decref(ask(f, "Features", "{}", NULL));
	json_decref(ask(f, "Config", "{}", NULL));
	json_decref(ask(f, "Geometry", "{\"device\":\"254:1\"}", NULL));
	json_decref(ask(f, "Geometry", "{\"device\":\"9:9\"}", "NoSuchFilesystem"));
	j = ask_raw(f, "org.varlink.service.GetInfo", "{}");
	assert_int_equal(json_array_size(json_object_get(json_object_get(j, "parameters"),
							 "interfaces")),
			 2);
	json_decref(j);
}

static void explain_by_caller_and_by_inode(void **state)
{
	struct fixture *f = *state;
	json_t *j = ask(f, "Explain", "{\"device\":\"254:1\",\"inode\":131,\"group\":6}",
			NULL);

	assert_int_equal(json_integer_value(json_object_get(j, "context")), 2);
	assert_string_equal(json_string_value(json_object_get(j, "state")), "queued");
	assert_string_equal(json_string_value(json_object_get(j, "group_from")),
			    "caller");
	json_decref(j);
	j = ask(f, "Explain", "{\"device\":\"254:1\",\"inode\":3145728}", NULL);
	assert_int_equal(json_integer_value(json_object_get(j, "group")), 3);
	assert_string_equal(json_string_value(json_object_get(j, "group_from")), "inode");
	assert_false(json_is_true(json_object_get(j, "tracked")));
	json_decref(j);
	j = ask(f, "Explain", "{\"device\":\"254:2\",\"inode\":131}", NULL);
	assert_true(json_is_null(json_object_get(j, "context")));
	json_decref(j);
	json_decref(ask(f, "Explain", "{\"device\":\"254:1\",\"inode\":1,\"group\":10}",
			"NoSuchGroup"));
	json_decref(ask(f, "Explain", "{\"device\":\"254:1\",\"inode\":1,\"group\":-1}",
			"NoSuchGroup"));
}

static void bad_parameters_are_named(void **state)
{
	static const struct {
		const char *method, *params, *bad;
	} v[] = {
		{"Status", "{\"x\":1}", "x"},
		{"Geometry", "{}", "device"},
		{"Geometry", "{\"device\":null}", "device"},
		{"Geometry", "{\"device\":254}", "device"},
		{"Geometry", "{\"device\":\"254\"}", "device"},
		{"Geometry", "{\"device\":\"254:\"}", "device"},
		{"Geometry", "{\"device\":\"254:1x\"}", "device"},
		{"Geometry", "{\"device\":\" 254:1\"}", "device"},
		{"Geometry", "{\"device\":\"254:-1\"}", "device"},
		{"Explain", "{\"device\":\"254:1\",\"inode\":-1}", "inode"},
		{"Explain", "{\"device\":\"254:1\",\"inode\":1.5}", "inode"},
		{"Explain", "{\"device\":\"254:1\",\"inode\":\"1\"}", "inode"},
		{"Drain", "{}", "mount"},
		{"Drain", "{\"mount\":[]}", "mount"},
		{"Drain", "{\"mount\":\"/mnt/a\",\"timeout_ms\":-1}", "timeout_ms"},
		{"Drain", "{\"mount\":\"/mnt/a\",\"timeout_ms\":true}", "timeout_ms"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		char name[64];
		json_t *j;

		snprintf(name, sizeof(name), "io.writeback.%s", v[i].method);
		j = ask_raw(f, name, v[i].params);
		assert_string_equal(json_string_value(json_object_get(j, "error")),
				    "org.varlink.service.InvalidParameter");
		assert_string_equal(
			json_string_value(json_object_get(
				json_object_get(j, "parameters"), "parameter")),
			v[i].bad);
		json_decref(j);
	}
	assert_int_equal(fake.drains_started, 0);
}

static void unknown_methods_are_told_apart(void **state)
{
	static const char *const v[][2] = {
		{"io.writeback.Nonsense", "org.varlink.service.MethodNotFound"},
		{"org.varlink.service.X", "org.varlink.service.MethodNotFound"},
		{"io.systemd.Status", "org.varlink.service.InterfaceNotFound"},
		{"nodots", "org.varlink.service.InterfaceNotFound"},
		{"", "org.varlink.service.InterfaceNotFound"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		json_t *j = ask_raw(f, v[i][0], "{}");

		assert_string_equal(json_string_value(json_object_get(j, "error")),
				    v[i][1]);
		json_decref(j);
	}
}

static void tell_progress(uint64_t done, bool finished)
{
	struct drain_progress p = {
		.bytes_done = done, .bytes_all = 100, .finished = finished};

	fake.drain->progress(&p, fake.drain->arg);
}

static void drain_streams_progress(void **state)
{
	struct fixture *f = *state;
	json_t *j;

	assert_true(say(f->w.loop, &f->c,
			"{\"method\":\"io.writeback.Drain\",\"parameters\":{\"mount\":"
			"\"/mnt/a\"},\"more\":true}"));
	turn(f->w.loop);
	assert_non_null(fake.drain);
	tell_progress(40, false);
	tell_progress(100, true);
	assert_null(fake.drain);
	assert_int_equal(fake.drains_freed, 1);
	for (int i = 0; i < 2; i++) {
		j = hear(f->w.loop, &f->c);
		assert_true(
			idl_is(&f->idl, json_object_get(j, "parameters"), "Drain.out"));
		assert_int_equal(json_is_true(json_object_get(j, "continues")), i == 0);
		json_decref(j);
	}
	json_decref(ask(f, "Status", "{}", NULL));
}

static void drain_without_more_tells_the_end(void **state)
{
	struct fixture *f = *state;
	json_t *j;

	assert_true(say(f->w.loop, &f->c,
			"{\"method\":\"io.writeback.Drain\",\"parameters\":{\"device\":"
			"\"254:1\"}}"));
	turn(f->w.loop);
	tell_progress(40, false);
	tell_progress(100, true);
	j = hear(f->w.loop, &f->c);
	assert_true(json_is_true(
		json_object_get(json_object_get(j, "parameters"), "finished")));
	json_decref(j);
}

static void drain_ends_with_its_time_or_its_caller(void **state)
{
	struct fixture *f = *state;
	double end = test_now() + PUMP_S;
	struct client c;

	json_decref(
		ask(f, "Drain", "{\"mount\":\"/mnt/a\",\"timeout_ms\":1}", "Timeout"));
	assert_int_equal(fake.drains_freed, 1);
	dial_api(f, &c);
	assert_true(say(f->w.loop, &c,
			"{\"method\":\"io.writeback.Drain\",\"parameters\":{\"mount\":"
			"\"/mnt/a\"},\"more\":true}"));
	turn(f->w.loop);
	assert_int_equal(fake.drains_started, 2);
	hang_up(&c);
	while (fake.drains_freed < 2 && test_now() < end)
		turn(f->w.loop);
	assert_int_equal(fake.drains_freed, 2);
}

static void drain_says_why_not(void **state)
{
	struct fixture *f = *state;

	json_decref(ask(f, "Drain", "{\"mount\":\"/mnt/b\"}", "NotManaged"));
	json_decref(ask(f, "Drain", "{\"mount\":\"/nowhere\"}", "NoSuchFilesystem"));
	json_decref(ask(f, "Drain", "{\"device\":\"1:1\"}", "NoSuchFilesystem"));
	assert_int_equal(fake.drains_started, 0);
}

static void drain_oneway_is_started_and_let_go(void **state)
{
	struct fixture *f = *state;

	assert_true(say(f->w.loop, &f->c,
			"{\"method\":\"io.writeback.Drain\",\"parameters\":{\"mount\":"
			"\"/mnt/a\"},\"oneway\":true}"));
	json_decref(ask(f, "Status", "{}", NULL));
	assert_int_equal(fake.drains_started, 1);
	assert_int_equal(fake.drains_freed, 1);
}

static void tell_event(unsigned minor_no)
{
	struct engine_event ev = {.kind = ENGINE_FLUSH,
				  .dev = makedev(254, minor_no),
				  .ino = 7,
				  .context = 2,
				  .bytes = 4096,
				  .reason = "old enough"};

	fake.event(&ev, fake.event_arg);
}

static const char monitor[] = "{\"method\":\"io.writeback.Monitor\",\"more\":true}";

static void monitor_fans_out_and_ends(void **state)
{
	struct fixture *f = *state;
	double end = test_now() + PUMP_S;
	struct client c[3];
	json_t *j, *p;

	assert_null(fake.event);
	for (int i = 0; i < 3; i++) {
		dial_api(f, &c[i]);
		assert_true(say(f->w.loop, &c[i], monitor));
		j = hear(f->w.loop, &c[i]);
		assert_true(
			idl_is(&f->idl, json_object_get(j, "parameters"), "Monitor.out"));
		json_decref(j);
	}
	tell_event(1);
	for (int i = 0; i < 3; i++) {
		j = hear(f->w.loop, &c[i]);
		assert_true(json_is_true(json_object_get(j, "continues")));
		p = json_object_get(j, "parameters");
		assert_true(idl_is(&f->idl, p, "Monitor.out"));
		assert_string_equal(json_string_value(json_object_get(p, "event")),
				    "flush");
		assert_string_equal(json_string_value(json_object_get(p, "mount")),
				    "/mnt/a");
		json_decref(j);
		hang_up(&c[i]);
	}
	/* The engine is not asked for events that nobody hears. */
	while (fake.event && test_now() < end)
		turn(f->w.loop);
	assert_null(fake.event);
}

static void monitor_of_one_mount(void **state)
{
	struct fixture *f = *state;
	json_t *j;

	assert_true(say(f->w.loop, &f->c,
			"{\"method\":\"io.writeback.Monitor\",\"parameters\":{\"mount\":"
			"\"/mnt/b\"},\"more\":true}"));
	json_decref(hear(f->w.loop, &f->c));
	tell_event(1);
	tell_event(2);
	j = hear(f->w.loop, &f->c);
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(j, "parameters"), "mount")),
			    "/mnt/b");
	json_decref(j);
}

static void monitor_needs_more(void **state)
{
	struct fixture *f = *state;
	json_t *j = ask_raw(f, "io.writeback.Monitor", "{}");

	assert_string_equal(json_string_value(json_object_get(j, "error")),
			    "org.varlink.service.ExpectedMore");
	json_decref(j);
}

static void a_monitor_that_is_not_read_is_cut_off(void **state)
{
	struct fixture *f = *state;
	struct client c;
	double end = test_now() + PUMP_S;

	dial_api(f, &c);
	assert_true(say(f->w.loop, &c, monitor));
	turn(f->w.loop);
	assert_non_null(fake.event);
	/* The engine's listener is taken away only after its own callback. */
	while (fake.event && test_now() < end) {
		for (int i = 0; i < 1000; i++)
			tell_event(1);
		turn(f->w.loop);
	}
	assert_null(fake.event);
	hang_up(&c);
	json_decref(ask(f, "Status", "{}", NULL));
}

static void reload_says_what_came_of_it(void **state)
{
	struct fixture *f = *state;
	json_t *j;

	json_decref(ask(f, "Reload", "{}", NULL));
	fake.reload_result = -EINVAL;
	j = ask(f, "Reload", "{}", "ReloadRefused");
	assert_string_equal(json_string_value(json_object_get(j, "reason")),
			    "wb.conf:3: no");
	json_decref(j);
	assert_int_equal(fake.reloads, 2);
}

static void an_ordinary_user_may_read_and_not_change(void **state)
{
	struct fixture *f = *state;

	/* As if an ordinary user had connected: the connection says who it is. */
	f->w.api->server->conns->uid = 65534;
	f->w.api->server->conns->gid = 65534;
	free(f->w.conf->api_group);
	f->w.conf->api_group = strdup("no-such-group");
	json_decref(ask(f, "Status", "{}", NULL));
	json_decref(ask(f, "Reload", "{}", "PermissionDenied"));
	assert_int_equal(fake.reloads, 0);
	/* Group 0 is one that this process, hence the connection, has. */
	free(f->w.conf->api_group);
	f->w.conf->api_group = strdup("root");
	f->w.reloads++;
	f->w.api->server->conns->gid = 0;
	json_decref(ask(f, "Reload", "{}", NULL));
	assert_int_equal(fake.reloads, 1);
}

static void the_api_may_end_at_any_time(void **state)
{
	struct fixture *f = *state;
	struct client c[2];

	dial_api(f, &c[0]);
	dial_api(f, &c[1]);
	assert_true(say(f->w.loop, &c[0], monitor));
	assert_true(say(f->w.loop, &c[1],
			"{\"method\":\"io.writeback.Drain\",\"parameters\":{\"mount\":"
			"\"/mnt/a\"},\"more\":true}"));
	while (!fake.event || !fake.drain)
		turn(f->w.loop);
	f->w.api = api_free(f->w.api);
	assert_null(fake.event);
	assert_int_equal(fake.drains_freed, 1);
	hang_up(&c[0]);
	hang_up(&c[1]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(socket_is_for_everybody),
		TEST(socket_paths),
		TEST(status_tells_what_is_there),
		TEST(search_where_there_is_none),
		TEST(search_tells_all),
		TEST(groups_are_the_plan_turned_round),
		TEST(everything_that_reads),
		TEST(explain_by_caller_and_by_inode),
		TEST(bad_parameters_are_named),
		TEST(unknown_methods_are_told_apart),
		TEST(drain_streams_progress),
		TEST(drain_without_more_tells_the_end),
		TEST(drain_ends_with_its_time_or_its_caller),
		TEST(drain_says_why_not),
		TEST(drain_oneway_is_started_and_let_go),
		TEST(monitor_fans_out_and_ends),
		TEST(monitor_of_one_mount),
		TEST(monitor_needs_more),
		TEST(a_monitor_that_is_not_read_is_cut_off),
		TEST(reload_says_what_came_of_it),
		TEST(an_ordinary_user_may_read_and_not_change),
		TEST(the_api_may_end_at_any_time),
	};

	return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}

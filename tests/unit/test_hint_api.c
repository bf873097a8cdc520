// SPDX-License-Identifier: GPL-2.0-or-later
/* Hint, HintClear, Query and Hints as clients see them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "tests/unit/vl_harness.h"
#include "common/cleanup.h"
#include "tests/unit/fake_engine.h"
#include "daemon/api_int.h"

struct fixture {
	struct wbd w;
	char dir[32], path[64], file[64];
	struct sockaddr_un sa;
	struct client c;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct stat st;
	int fd;

	strcpy(f->dir, "/tmp/wb-hint.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/sock", f->dir);
	snprintf(f->file, sizeof(f->file), "%s/file", f->dir);
	fd = open(f->file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	f->w.loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	f->w.opts.socket = f->path;
	assert_int_equal(conf_default(&f->w.conf), 0);
	fake_setup(&f->w);
	fake.table->v[0]->dev = st.st_dev; /* managed */
	assert_int_equal(api_new(&f->w, &f->w.api), 0);
	f->sa.sun_family = AF_UNIX;
	strcpy(f->sa.sun_path, f->path);
	f->c = dial(&f->sa, sizeof(f->sa));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->w.api = api_free(f->w.api);
	assert_null(fake.hints);
	if (f->c.fd >= 0)
		hang_up(&f->c);
	fake_teardown();
	conf_free(f->w.conf);
	ev_loop_destroy(f->w.loop);
	unlink(f->file);
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static void say_fd(struct fixture *f, const char *method, const char *params, int fd)
{
	char text[256];
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(sizeof(int))];
	} u = {.h = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec v = {text, 0};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u};

	m.msg_controllen = sizeof(u);
	memcpy(CMSG_DATA(&u.h), &fd, sizeof(fd));
	v.iov_len = 1 + (size_t)snprintf(text, sizeof(text),
					 "{\"method\":\"io.writeback.%s\","
					 "\"parameters\":%s}",
					 method, params);
	assert_int_equal(sendmsg(f->c.fd, &m, MSG_NOSIGNAL), (ssize_t)v.iov_len);
}

/* The reply's parameters; the descriptor is closed here. */
static json_t *ask_fd(struct fixture *f, const char *method, const char *params, int fd,
		      const char *error)
{
	json_t *j, *p;
	const char *e;

	assert_true(fd >= 0);
	say_fd(f, method, params, fd);
	close(fd);
	j = hear(f->w.loop, &f->c);
	e = json_string_value(json_object_get(j, "error"));
	if (error)
		assert_string_equal(e ? e : "none", error);
	else
		assert_null(e);
	p = json_incref(json_object_get(j, "parameters"));
	json_decref(j);
	return p;
}

static int writable(struct fixture *f)
{
	return open(f->file, O_WRONLY | O_CLOEXEC);
}

static json_int_t number(const json_t *p, const char *key)
{
	return json_integer_value(json_object_get(p, key));
}

static json_t *list(struct fixture *f)
{
	json_t *j, *p;

	assert_true(say(f->w.loop, &f->c, "{\"method\":\"io.writeback.Hints\"}"));
	j = hear(f->w.loop, &f->c);
	p = json_incref(json_object_get(j, "parameters"));
	json_decref(j);
	return p;
}

static json_int_t count(struct fixture *f)
{
	json_t *p = list(f);
	json_int_t n = number(p, "count");

	json_decref(p);
	return n;
}

static bool engine_finds(struct fixture *f, struct hint *ret)
{
	struct stat st;

	assert_int_equal(stat(f->file, &st), 0);
	return fake.hints->find(fake.hints->arg, st.st_dev, st.st_ino, true, ret);
}

static void asked_and_taken_back(void **state)
{
	struct fixture *f = *state;
	struct hint h;
	json_t *p, *e, *lease;

	p = ask_fd(f, "Hint", "{\"write_size\":1048576,\"file_size\":0}", writable(f),
		   NULL);
	assert_string_equal(json_string_value(json_object_get(p, "engine")), "user");
	e = json_object_get(p, "effects");
	assert_int_equal(json_array_size(e), 3);
	e = json_array_get(e, 1);
	assert_string_equal(json_string_value(json_object_get(e, "name")),
			    "flush-stride");
	assert_true(json_is_true(json_object_get(e, "in_force")));
	assert_true(json_is_null(json_object_get(e, "why")));
	json_decref(p);

	assert_true(engine_finds(f, &h));
	assert_int_equal(h.write_size, 1 << 20);
	p = ask_fd(f, "Query", "{}", open(f->file, O_RDONLY | O_CLOEXEC), NULL);
	assert_int_equal(number(p, "write_size"), 1 << 20);
	assert_true(json_is_null(json_object_get(p, "file_size")));
	json_decref(p);
	p = list(f);
	assert_int_equal(number(p, "count"), 1);
	lease = json_array_get(json_object_get(p, "leases"), 0);
	assert_int_equal(number(lease, "pid"), getpid());
	assert_int_equal(number(lease, "uid"), getuid());
	assert_string_equal(json_string_value(json_object_get(lease, "mount")), "/mnt/a");
	json_decref(p);

	json_decref(ask_fd(f, "HintClear", "{}", writable(f), NULL));
	assert_false(engine_finds(f, &h));
	json_decref(ask_fd(f, "HintClear", "{}", writable(f), NULL)); /* twice is fine */
	p = ask_fd(f, "Query", "{}", writable(f), NULL);
	assert_true(json_is_null(json_object_get(p, "write_size")));
	json_decref(p);
}

static void ends_with_the_connection(void **state)
{
	struct fixture *f = *state;
	double end = test_now() + PUMP_S;
	struct hint h;

	json_decref(ask_fd(f, "Hint", "{\"file_size\":1073741824}", writable(f), NULL));
	assert_true(engine_finds(f, &h));
	hang_up(&f->c);
	while (engine_finds(f, &h) && test_now() < end)
		turn(f->w.loop);
	assert_false(engine_finds(f, &h));
	/* Kept if asked for. */
	f->c = dial(&f->sa, sizeof(f->sa));
	json_decref(ask_fd(f, "Hint", "{\"write_size\":65536,\"keep\":true}", writable(f),
			   NULL));
	hang_up(&f->c);
	for (unsigned i = 0; i < 20; i++)
		turn(f->w.loop);
	assert_true(engine_finds(f, &h));
	f->c = dial(&f->sa, sizeof(f->sa));
	assert_int_equal(count(f), 1);
}

static void refused(void **state)
{
	struct fixture *f = *state;
	static const char hint[] = "{\"write_size\":4096}";
	int p[2];

#define BAD(fd) json_decref(ask_fd(f, "Hint", hint, fd, "io.writeback.BadDescriptor"))
	BAD(open(f->file, O_RDONLY | O_CLOEXEC));
	BAD(open(f->file, O_PATH | O_CLOEXEC));
	BAD(open(f->dir, O_RDONLY | O_CLOEXEC));
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	close(p[0]);
	json_decref(ask_fd(f, "Hint", hint, p[1], "io.writeback.NotManaged"));
	json_decref(ask_fd(f, "Hint", hint, open("/dev/shm", O_TMPFILE | O_RDWR, 0600),
			   "io.writeback.NotManaged"));
	json_decref(ask_fd(f, "HintClear", "{}", open(f->file, O_RDONLY | O_CLOEXEC),
			   "io.writeback.BadDescriptor"));
	json_decref(ask_fd(f, "Status", "{}", writable(f), "io.writeback.BadDescriptor"));
	assert_true(say(f->w.loop, &f->c,
			"{\"method\":\"io.writeback.Hint\",\"parameters\":"
			"{\"write_size\":1}}"));
	expect_error(f->w.loop, &f->c, "io.writeback.BadDescriptor");
	assert_int_equal(count(f), 0);
}

static void sizes(void **state)
{
	struct fixture *f = *state;
	static const char invalid[] = "org.varlink.service.InvalidParameter";
	static const char *const bad[] = {
		"{}",
		"{\"write_size\":0}",
		"{\"write_size\":-1}",
		"{\"write_size\":1,\"file_size\":-1}",
		"{\"write_size\":\"1\"}",
		"{\"write_size\":1.5}",
		"{\"keep\":true}",
		"{\"write_size\":null,\"file_size\":null}",
	};
	static const char *const good[] = {
		"{\"write_size\":1}",
		"{\"write_size\":3}",
		"{\"write_size\":9223372036854775807}",
		"{\"file_size\":9223372036854775807}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		json_decref(ask_fd(f, "Hint", bad[i], writable(f), invalid));
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		json_decref(ask_fd(f, "Hint", good[i], writable(f), NULL));
	assert_int_equal(count(f), 1);
}

static void limit(void **state)
{
	struct fixture *f = *state;
	json_t *p;

	f->w.conf->api_hints = 0;
	p = ask_fd(f, "Hint", "{\"write_size\":1}", writable(f),
		   "io.writeback.LimitReached");
	assert_int_equal(number(p, "limit"), 0);
	json_decref(p);
}

/* Not answered, but in force; and gone before it is looked at. */
static void one_way(void **state)
{
	struct fixture *f = *state;
	double end = test_now() + PUMP_S;
	struct hint h;
	int fd = writable(f);

	say_fd(f, "Hint", "{\"write_size\":4096},\"oneway\":true", fd);
	while (!engine_finds(f, &h) && test_now() < end)
		turn(f->w.loop);
	assert_true(engine_finds(f, &h));
	assert_int_equal(count(f), 1); /* the first thing heard is this answer */
	say_fd(f, "Hint", "{\"write_size\":8192}", fd);
	hang_up(&f->c);
	close(fd);
	while (engine_finds(f, &h) && test_now() < end)
		turn(f->w.loop);
	assert_false(engine_finds(f, &h));
	f->c = dial(&f->sa, sizeof(f->sa));
	assert_int_equal(count(f), 0);
}

static void explained(void **state)
{
	struct fixture *f = *state;
	struct hint_rule rule = {.label = (char[]){"bulk"},
				 .where = (char[]){"wb.conf:7"},
				 .path = (char[]){"/mnt/a/**"},
				 .hint = {1 << 20, 0},
				 .bit = -1};
	struct hint_rules rules = {.v = &rule, .n = 1, .by_path = true};
	char text[256];
	json_t *j, *h;

	fake.rules = &rules;
	snprintf(text, sizeof(text),
		 "{\"method\":\"io.writeback.Explain\",\"parameters\":{\"device\":"
		 "\"%u:%u\",\"inode\":131,\"path\":\"/mnt/a/x\"}}",
		 major(fake.table->v[0]->dev), minor(fake.table->v[0]->dev));
	assert_true(say(f->w.loop, &f->c, text));
	j = hear(f->w.loop, &f->c);
	h = json_object_get(json_object_get(j, "parameters"), "hint");
	assert_string_equal(json_string_value(json_object_get(h, "from")), "rule");
	assert_string_equal(json_string_value(json_object_get(h, "who")), "bulk");
	assert_string_equal(json_string_value(json_object_get(h, "where")), "wb.conf:7");
	json_decref(j);
	fake.rules = NULL;
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(asked_and_taken_back),
		T(ends_with_the_connection),
		T(refused),
		T(sizes),
		T(limit),
		T(one_way),
		T(explained),
	};

	return cmocka_run_group_tests_name("hint_api", tests, NULL, NULL);
}

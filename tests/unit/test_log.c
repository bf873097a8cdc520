// SPDX-License-Identifier: GPL-2.0-or-later
/* Log lines on stderr, entries in the journal, words to the service manager. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ev.h>
#include <cmocka.h>

#include "daemon/log.h"
#include "daemon/log_ids.h"
#include "daemon/notify.h"

#define JOURNAL "/run/systemd/journal/socket"

/* ---- stderr ---------------------------------------------------------------- */

/* What @say prints on stderr, in @buf. */
static void captured(void (*say)(void), char *buf, size_t size)
{
	int saved = dup(STDERR_FILENO), fd[2];
	ssize_t n;

	assert_true(saved >= 0);
	assert_int_equal(pipe(fd), 0);
	assert_true(dup2(fd[1], STDERR_FILENO) >= 0);
	say();
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	close(fd[1]);
	n = read(fd[0], buf, size - 1);
	assert_true(n >= 0);
	buf[n] = '\0';
	close(fd[0]);
}

static void say_levels(void)
{
	static const struct log_field f[] = {{"WB_MOUNT", "/srv"}, {NULL, NULL}};

	log_open(LOG_INFO);
	log_err("%s: %d", "a", 1);
	log_warn("b");
	log_info("c");
	log_debug("not shown");
	log_set_level(LOG_DEBUG);
	log_debug("d");
	log_set_level(LOG_ERR);
	log_warn("not shown");
	log_set_level(LOG_INFO);
	log_decision(LOG_INFO, LOG_ID_MANAGED, f, "e");
}

static void test_levels(void **state)
{
	char got[4096];

	(void)state;
	unsetenv("JOURNAL_STREAM");
	captured(say_levels, got, sizeof(got));
	assert_string_equal(got, "wbd: error: a: 1\nwbd: warning: b\nwbd: c\n"
				 "wbd: debug: d\nwbd: e\n");
}

static void say_hostile(void)
{
	log_open(LOG_INFO);
	log_info("mount /srv/%s", "a\nwbd: error: forged\033[2J\xff caf\xc3\xa9");
}

static void test_hostile(void **state)
{
	char got[4096];

	(void)state;
	captured(say_hostile, got, sizeof(got));
	assert_string_equal(got, "wbd: mount /srv/a\\x0awbd: error: forged\\x1b[2J\\xff "
				 "caf\xc3\xa9\n");
}

static void say_long(void)
{
	char text[10000];

	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_open(LOG_INFO);
	log_info("%s", text);
}

static void test_long(void **state)
{
	char got[16384];

	(void)state;
	captured(say_long, got, sizeof(got));
	assert_true(strlen(got) > 1000 && strlen(got) < 2200);
	assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
}

/* Somebody else's journal stream: stderr has been redirected since. */
static void test_other_stream(void **state)
{
	static const char *const env[] = {"1:2", "x", "1:2:3", ""};
	char got[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(env); i++) {
		setenv("JOURNAL_STREAM", env[i], 1);
		captured(say_hostile, got, sizeof(got));
		assert_int_equal(strncmp(got, "wbd: mount", 10), 0);
	}
	unsetenv("JOURNAL_STREAM");
}

/* ---- The journal, played by a socket in a /run of our own -------------------- */

static int journal_socket(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = JOURNAL};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	if (mount("none", "/run", "tmpfs", 0, NULL) < 0 || mkdir("/run/systemd", 0755) ||
	    mkdir("/run/systemd/journal", 0755))
		return -1;
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return -1;
	return fd;
}

static void claim_stderr(void)
{
	char env[64];
	struct stat st;

	if (fstat(STDERR_FILENO, &st) < 0)
		_exit(3);
	snprintf(env, sizeof(env), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", env, 1);
}

/* In a child, because it leaves the mount name space.  Status 77: not possible. */
static int play_journal(int out)
{
	static const struct log_field f[] = {
		{"WB_MOUNT", "/srv/a\nPRIORITY=0"},
		{"WB_BDI", NULL},
		{"WB_REASON", "named"},
		{NULL, NULL},
	};
	char got[4096];
	int fd = journal_socket();
	ssize_t n;

	if (fd < 0)
		return 77;
	claim_stderr();
	log_open(LOG_INFO);
	log_decision(LOG_NOTICE, LOG_ID_MANAGED, f, "managed: %s", "/srv/a\nb");
	n = recv(fd, got, sizeof(got), MSG_DONTWAIT);
	return n > 0 && write(out, got, (size_t)n) == n ? 0 : 1;
}

static void has(const char *got, size_t n, const char *want, size_t len)
{
	assert_non_null(memmem(got, n, want, len));
}

static void test_journal(void **state)
{
	/* A value with a newline is sent with its length, so it forges no field. */
	static const char mount[] = "WB_MOUNT\n\x11\0\0\0\0\0\0\0/srv/a\nPRIORITY=0\n";
	char got[4096];
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(play_journal(fd[1]));
	close(fd[1]);
	n = read(fd[0], got, sizeof(got));
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(n > 0);
#define HAS(s) has(got, (size_t)n, s, strlen(s))
	HAS("MESSAGE=managed: /srv/a\\x0ab\n");
	HAS("PRIORITY=5\n");
	HAS("MESSAGE_ID=" LOG_ID_MANAGED "\n");
	HAS("SYSLOG_IDENTIFIER=wbd\n");
	HAS("WB_REASON=named\n");
	has(got, (size_t)n, mount, sizeof(mount) - 1);
	assert_null(memmem(got, (size_t)n, "WB_BDI", 6));
}

static void test_ids(void **state)
{
	static const char *const ids[] = {
		LOG_ID_MANAGED,        LOG_ID_RELEASED,     LOG_ID_CONTEXTS,
		LOG_ID_OVERFLOW,       LOG_ID_ENGINE_ERROR, LOG_ID_RELOAD_OK,
		LOG_ID_RELOAD_REFUSED, LOG_ID_START,        LOG_ID_STOP,
		LOG_ID_PRESSURE,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_int_equal(strlen(ids[i]), 32);
		assert_int_equal(strspn(ids[i], "0123456789abcdef"), 32);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(ids[i], ids[k]);
	}
}

/* ---- The service manager ------------------------------------------------------- */

struct manager {
	int fd;
	char dir[64];
};

static int manager_setup(void **state)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	struct manager *m = calloc(1, sizeof(*m));

	if (!m)
		return -1;
	strcpy(m->dir, "/tmp/wb-test-notify.XXXXXX");
	if (!mkdtemp(m->dir))
		return -1;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/s", m->dir);
	m->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (m->fd < 0 || bind(m->fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return -1;
	setenv("NOTIFY_SOCKET", a.sun_path, 1);
	*state = m;
	return 0;
}

static int manager_teardown(void **state)
{
	struct manager *m = *state;
	char path[80];
	int r;

	unsetenv("NOTIFY_SOCKET");
	close(m->fd);
	snprintf(path, sizeof(path), "%s/s", m->dir);
	(void)unlink(path);
	r = rmdir(m->dir);
	free(m);
	return r;
}

static const char *told(struct manager *m)
{
	static char buf[2048];
	ssize_t n = recv(m->fd, buf, sizeof(buf) - 1, MSG_DONTWAIT);

	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

static void test_notify(void **state)
{
	struct manager *m = *state;

	notify_ready();
	assert_string_equal(told(m), "READY=1");
	notify_reloading();
	assert_int_equal(strncmp(told(m), "RELOADING=1\nMONOTONIC_USEC=", 27), 0);
	notify_stopping();
	assert_string_equal(told(m), "STOPPING=1");
	notify_status("%d file systems, %s", 2, "/srv/a\nWATCHDOG=trigger");
	assert_string_equal(told(m),
			    "STATUS=2 file systems, /srv/a\\x0aWATCHDOG=trigger");
}

/* One turn of the loop waits for the timer, whatever the machine's load. */
static void test_watchdog(void **state)
{
	struct manager *m = *state;
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	struct notify_watchdog *w = (void *)1;
	char pid[24];

	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	assert_int_equal(notify_watchdog_new(loop, &w), 0);
	assert_null(w);

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_USEC", "20000", 1);
	setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(notify_watchdog_new(loop, &w), 0);
	assert_non_null(w);
	ev_run(loop, EVRUN_ONCE);
	assert_string_equal(told(m), "WATCHDOG=1");
	notify_watchdog_free(w);
	/* Nothing is left in the loop: this returns at once. */
	ev_run(loop, 0);
	assert_string_equal(told(m), "");
	setenv("WATCHDOG_USEC", "x", 1);
	assert_true(notify_watchdog_new(loop, &w) < 0);
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	ev_loop_destroy(loop);
	assert_null(notify_watchdog_free(NULL));
}

/* What a service with the socket @fd at 3 (-1: closed) is told, in a child. */
static int listen_fd(int fd, const char *count)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		char self[24];
		int r;

		snprintf(self, sizeof(self), "%d", (int)getpid());
		setenv("LISTEN_PID", self, 1);
		setenv("LISTEN_FDS", count, 1);
		if (fd >= 0 && fd != 3 && dup2(fd, 3) < 0)
			_exit(99);
		r = notify_listen_fd();
		_exit(r < 0 ? 100 - r : r);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_listen_fd(void **state)
{
	struct manager *m = *state;
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(s >= 0);
	assert_int_equal(listen_fd(s, "x"), 100 + EINVAL);
	assert_int_equal(listen_fd(s, "1"), 100 + EINVAL);     /* does not listen */
	assert_int_equal(listen_fd(m->fd, "1"), 100 + EINVAL); /* datagrams */
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/l", m->dir);
	assert_int_equal(bind(s, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(s, 1), 0);
	assert_int_equal(listen_fd(s, "1"), 3);
	assert_int_equal(listen_fd(s, "2"), 100 + EINVAL); /* one too many */
	assert_int_equal(unlink(a.sun_path), 0);
	close(s);
	unsetenv("LISTEN_FDS");
	assert_int_equal(notify_listen_fd(), -ENOENT);
}

#define WITH_MANAGER(t) \
	cmocka_unit_test_setup_teardown(t, manager_setup, manager_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),  cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_long),    cmocka_unit_test(test_other_stream),
		cmocka_unit_test(test_journal), cmocka_unit_test(test_ids),
		WITH_MANAGER(test_notify),      WITH_MANAGER(test_watchdog),
		WITH_MANAGER(test_listen_fd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* One holder per directory, named by its pid, and gone with its process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/lock.h"

struct dir {
	char path[64];
	char file[80];
};

static int setup(void **state)
{
	struct dir *d = calloc(1, sizeof(*d));

	if (!d)
		return -1;
	strcpy(d->path, "/tmp/wb-test-lock.XXXXXX");
	if (!mkdtemp(d->path)) {
		free(d);
		return -1;
	}
	snprintf(d->file, sizeof(d->file), "%s/wbd.lock", d->path);
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	struct dir *d = *state;
	int r;

	(void)unlink(d->file);
	r = rmdir(d->path);
	free(d);
	return r;
}

static void test_take(void **state)
{
	struct dir *d = *state;
	pid_t pid = -5;
	char text[32] = "", want[32];
	int fd;
	FILE *f;

	fd = lock_take(d->path, &pid);
	assert_true(fd >= 0);
	assert_int_equal(pid, -5);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	f = fopen(d->file, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	snprintf(want, sizeof(want), "%d\n", (int)getpid());
	assert_string_equal(text, want);

	/* An open file description lock: also refused within one process. */
	assert_int_equal(lock_take(d->path, &pid), -EBUSY);
	assert_int_equal(pid, getpid());
	close(fd);
	fd = lock_take(d->path, &pid);
	assert_true(fd >= 0);
	close(fd);
}

/* The holder is killed, not asked: its lock ends all the same. */
static void test_killed_holder(void **state)
{
	struct dir *d = *state;
	int pipefd[2], fd;
	pid_t child, pid = 0;
	char c;

	assert_int_equal(pipe(pipefd), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		fd = lock_take(d->path, &pid);
		if (write(pipefd[1], fd >= 0 ? "y" : "n", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipefd[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	assert_int_equal(lock_take(d->path, &pid), -EBUSY);
	assert_int_equal(pid, child);

	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	fd = lock_take(d->path, &pid);
	assert_true(fd >= 0);
	close(fd);
	close(pipefd[0]);
	close(pipefd[1]);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* What stands in the file is believed only if it is a pid and nothing else. */
static void test_garbage(void **state)
{
	static const char *const garbage[] = {"",
					      "12",
					      "-7\n",
					      "x\n",
					      "99999999999\n",
					      "1\n2\n",
					      "123456789012345678901234567890\n"};
	struct dir *d = *state;

	for (size_t i = 0; i < sizeof(garbage) / sizeof(*garbage); i++) {
		pid_t pid = -5;
		int fd = lock_take(d->path, &pid);

		assert_true(fd >= 0);
		put(d->file, garbage[i]);
		assert_int_equal(lock_take(d->path, &pid), -EBUSY);
		assert_int_equal(pid, 0);
		close(fd);
		/* A longer leftover does not show behind our own pid. */
		fd = lock_take(d->path, &pid);
		assert_true(fd >= 0);
		assert_int_equal(lock_take(d->path, &pid), -EBUSY);
		assert_int_equal(pid, getpid());
		close(fd);
	}
}

static void test_odd_places(void **state)
{
	struct dir *d = *state;
	pid_t pid;

	assert_int_equal(lock_take("/nonexistent/wb", &pid), -ENOENT);
	assert_int_equal(lock_take("/dev/null", &pid), -ENOTDIR);
	assert_int_equal(symlink("/tmp/elsewhere", d->file), 0);
	assert_int_equal(lock_take(d->path, &pid), -ELOOP);
	assert_int_equal(unlink(d->file), 0);
	assert_int_equal(mkfifo(d->file, 0600), 0);
	assert_int_equal(lock_take(d->path, &pid), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_take, setup, teardown),
		cmocka_unit_test_setup_teardown(test_killed_holder, setup, teardown),
		cmocka_unit_test_setup_teardown(test_garbage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_odd_places, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

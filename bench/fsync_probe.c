// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a program that logs waits for its disk while a command runs:
 * fsync_probe EVERY_MS FILE COMMAND ARG...
 *
 * Every EVERY_MS milliseconds a write of 4 KiB at the end of FILE and an fsync are due,
 * as long as COMMAND runs.  A latency counts from the moment it was due, whether or not
 * the one before it was over by then: a stall counts for all that it delayed, and not
 * once, as in a loop that begins the next when the last has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"

#define BLOCK       4096
#define SAMPLES_MAX (1U << 20)
#define NS          1000000000

struct probe {
	const char *path;
	int fd;
	off_t at;
	uint64_t *ns;
	unsigned n;
};

static volatile sig_atomic_t ended;
static volatile uint64_t ended_ns; /* once @ended is set */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static void on_child(int sig)
{
	(void)sig;
	if (!ended)
		ended_ns = now_ns();
	ended = 1;
}

static void die(const char *what)
{
	fprintf(stderr, "fsync_probe: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_one(struct probe *p)
{
	static const char block[BLOCK] = "a line of a log";

	if (pwrite(p->fd, block, BLOCK, p->at) != BLOCK || fsync(p->fd) < 0)
		die(p->path);
	p->at += BLOCK;
}

/* False if the command has ended before @due. */
static int wait_until(uint64_t due)
{
	const struct timespec t = {.tv_sec = (time_t)(due / NS),
				   .tv_nsec = (long)(due % NS)};

	while (!(ended && ended_ns < due))
		if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0)
			return !(ended && ended_ns < due);
	return 0;
}

static void take(struct probe *p, uint64_t every_ns)
{
	const uint64_t start = now_ns();

	while (p->n < SAMPLES_MAX) {
		uint64_t due = start + p->n * every_ns;

		if (!wait_until(due))
			return;
		write_one(p);
		p->ns[p->n++] = now_ns() - due;
	}
}

static int smaller_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double percentile_us(const struct probe *p, unsigned percent)
{
	size_t rank = ((size_t)p->n * percent + 99) / 100;

	return (double)p->ns[rank ? rank - 1 : 0] / 1000;
}

static pid_t start(char **command)
{
	const struct sigaction sa = {.sa_handler = on_child, .sa_flags = SA_RESTART};
	pid_t pid;

	if (sigaction(SIGCHLD, &sa, NULL) < 0)
		die("sigaction");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		execvp(command[0], command);
		fprintf(stderr, "fsync_probe: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	CLEANUP(cleanup_freep)
	uint64_t *samples = calloc(SAMPLES_MAX, sizeof(*samples));
	struct probe p = {.ns = samples};
	unsigned long every_ms;
	int status = 0;
	pid_t pid;

	if (argc < 4 || (every_ms = strtoul(argv[1], NULL, 10)) == 0) {
		fputs("usage: fsync_probe EVERY_MS FILE COMMAND ARG...\n", stderr);
		return 2;
	}
	p.path = argv[2];
	p.fd = open(p.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (p.fd < 0)
		die(p.path);
	if (!p.ns)
		die("calloc");
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	write_one(&p); /* the file's first block is not what is measured */
	pid = start(argv + 3);
	take(&p, every_ms * (NS / 1000));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		return fprintf(stderr, "fsync_probe: %s failed\n", argv[3]), 1;
	qsort(p.ns, p.n, sizeof(*p.ns), smaller_first);
	printf("{\"samples\": %u, \"p50_us\": %.1f, \"p99_us\": %.1f, \"worst_us\": "
	       "%.1f}\n",
	       p.n, percentile_us(&p, 50), percentile_us(&p, 99), percentile_us(&p, 100));
	return 0;
}

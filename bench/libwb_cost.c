// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a hint costs its caller: libwb_cost MODE DIR prints JSON, times in ns.
 *   none   no daemon: mean of many calls after the first
 *   data   a file with data: the hint is sent; the daemon has time in between
 *   burst  the same, as fast as it goes; the daemon's work is in it
 *   empty  new files: the answer is waited for
 * With WB_SOCKET as libwb has it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "include/wb/wb.h"

#define NONE_CALLS 20000000
#define CALLS      5000

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int new_file(const char *dir, size_t bytes)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cost.XXXXXX", dir);
	fd = mkstemp(path);
	if (fd < 0 || unlink(path) < 0 || ftruncate(fd, (off_t)bytes) < 0)
		die(path);
	return fd;
}

/* Everything sent has been dealt with, by a daemon or by none as it was said. */
static void settle(struct wb *wb, int fd, unsigned daemon)
{
	struct wb_info info = {.size = sizeof(info)};

	if (wb_query(wb, fd, &info) < 0 || info.daemon != daemon) {
		fprintf(stderr, "libwb_cost: %s\n",
			daemon ? info.why : "there is a daemon");
		exit(1);
	}
}

static void report(double *v, int n, double mean)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	printf("{\"calls\":%d,\"mean\":%.1f,\"median\":%.0f,\"p99\":%.0f}\n", n, mean,
	       v[n / 2], v[n / 100 * 99]);
}

static void none(struct wb *wb, const char *dir)
{
	int fd = new_file(dir, 1);
	double t;

	settle(wb, fd, 0);
	(void)wb_hint_write_size(wb, fd, 65536);
	t = now_ns();
	for (int i = 0; i < NONE_CALLS; i++)
		(void)wb_hint_write_size(wb, fd, 65536);
	t = (now_ns() - t) / NONE_CALLS;
	printf("{\"calls\":%d,\"mean\":%.1f}\n", NONE_CALLS, t);
	close(fd);
}

static void with(struct wb *wb, const char *dir, int settle_every, size_t bytes)
{
	static double v[CALLS];
	int fd = new_file(dir, bytes), r;
	double sum = 0;

	settle(wb, fd, 1);
	for (int i = 0; i < CALLS; i++) {
		double t;

		if (!bytes) {
			close(fd);
			fd = new_file(dir, 0);
		} else if (settle_every && i % settle_every == 0) {
			settle(wb, fd, 1);
		}
		t = now_ns();
		r = wb_hint_write_size(wb, fd, 65536);
		v[i] = now_ns() - t;
		sum += v[i];
		if (r < 0) {
			fprintf(stderr, "libwb_cost: %s\n", strerror(-r));
			exit(1);
		}
	}
	settle(wb, fd, 1);
	close(fd);
	report(v, CALLS, sum / CALLS);
}

int main(int argc, char **argv)
{
	struct wb *wb;

	if (argc != 3 || wb_open(&wb) < 0)
		return 2;
	if (!strcmp(argv[1], "none"))
		none(wb, argv[2]);
	else if (!strcmp(argv[1], "data"))
		with(wb, argv[2], 4, 1);
	else if (!strcmp(argv[1], "burst"))
		with(wb, argv[2], 0, 1);
	else if (!strcmp(argv[1], "empty"))
		with(wb, argv[2], 0, 0);
	else
		return 2;
	wb_close(wb);
	return 0;
}

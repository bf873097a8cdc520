// SPDX-License-Identifier: GPL-2.0-or-later
/* The progress line of wbctl sync, on a terminal only. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/units.h"
#include "wbctl/sync.h"

#define BAR_MAX     40
#define REDRAW_MS   100
#define ESTIMATE_MS 500 /* before that a rate says nothing */

int64_t sync_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000 + t.tv_nsec / 1000000;
}

void sync_bar_init(struct sync_bar *b)
{
	*b = (struct sync_bar){.on = isatty(STDERR_FILENO), .start_ms = sync_now_ms()};
}

static int terminal_width(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return 80;
	return w.ws_col;
}

/* "120M of 300M, 80M/s, 2.7 s left" */
static void describe(char *buf, size_t len, uint64_t done, uint64_t all, int64_t ms)
{
	char d[UNITS_LEN], a[UNITS_LEN], r[UNITS_LEN], left[48];
	uint64_t rate = ms > 0 ? done * 1000 / (uint64_t)ms : 0;

	units_human_size(done, d);
	units_human_size(all, a);
	if (ms < ESTIMATE_MS || !rate) {
		snprintf(buf, len, "%s of %s", d, a);
		return;
	}
	units_human_size(rate, r);
	human_ms((all - done) * 1000 / rate, left);
	snprintf(buf, len, "%s of %s, %s/s, %s left", d, a, r, left);
}

static void draw(uint64_t done, uint64_t all, int64_t ms)
{
	char text[192], bar[BAR_MAX + 1];
	int width = terminal_width() - 60, filled;

	width = width > BAR_MAX ? BAR_MAX : width;
	if (!all || done >= all)
		snprintf(text, sizeof(text), "waiting for the device");
	else
		describe(text, sizeof(text), done, all, ms);
	if (width < 5) {
		fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, text);
		return;
	}
	filled = all ? (int)(done * (unsigned)width / all) : width;
	memset(bar, '.', (size_t)width);
	memset(bar, '#', (size_t)filled);
	bar[width] = '\0';
	fprintf(stderr, "\r\033[K[%s] %3u%% %s", bar,
		all ? (unsigned)(done * 100 / all) : 100, text);
}

void sync_bar_draw(struct sync_bar *b, const struct sync_job *jobs, size_t n)
{
	uint64_t done = 0, all = 0;
	int64_t now = sync_now_ms();

	if (!b->on || (b->drawn && now - b->last_ms < REDRAW_MS))
		return;
	for (size_t i = 0; i < n; i++) {
		done += jobs[i].last.done;
		all += jobs[i].last.all;
	}
	draw(done > all ? all : done, all, now - b->start_ms);
	b->drawn = true;
	b->last_ms = now;
}

void sync_bar_wipe(struct sync_bar *b)
{
	if (b->drawn)
		fputs("\r\033[K", stderr);
	b->drawn = false;
}

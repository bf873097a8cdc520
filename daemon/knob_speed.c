// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast a device writes: bytes written by the time it was busy.  Only windows in
 * which it was busy for a while count; what is measured last counts for a quarter,
 * so that one burst into a disk's cache does not decide.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/fsys_sysfs.h"
#include "daemon/knob.h"

#define BUSY_MIN_MS    2000
#define WRITTEN_MIN    (4ULL << 20)
#define BYTES_MIN      (16ULL << 20)
#define BYTES_MAX      (1ULL << 40)
#define CHANGE_PERCENT 25

int knob_stat_read(const char *root, const char *bdi, struct knob_stat *ret)
{
	unsigned long long v[10];
	char text[256];
	int r = sysfs_read(root, text, sizeof(text), "sys/dev/block/%s/stat", bdi);

	if (r < 0)
		return r;
	/* Documentation/block/stat.rst: 7 is sectors written, 10 the time busy. */
	if (sscanf(text, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0],
		   &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9]) != 10)
		return -EBADMSG;
	*ret = (struct knob_stat){v[6] * 512, v[9]};
	return 0;
}

bool knob_speed_add(struct knob_speed *s, const struct knob_stat *now)
{
	uint64_t bytes, busy, rate, was = s->rate;

	if (!s->seen || now->written < s->last.written ||
	    now->busy_ms < s->last.busy_ms) {
		s->last = *now;
		s->seen = true;
		return false;
	}
	bytes = now->written - s->last.written;
	busy = now->busy_ms - s->last.busy_ms;
	if (busy < BUSY_MIN_MS || bytes < WRITTEN_MIN)
		return false; /* the window goes on */
	s->last = *now;
	rate = (uint64_t)((double)bytes * 1000. / (double)busy);
	s->rate = was ? was - was / 4 + rate / 4 : rate;
	return s->rate != was;
}

uint64_t knob_bytes_for(uint64_t rate, uint64_t ms, uint64_t now)
{
	double want = (double)rate * (double)ms / 1000.;
	uint64_t v = want < (double)BYTES_MAX ? (uint64_t)want : BYTES_MAX;

	v -= v % (1 << 20);
	if (v < BYTES_MIN)
		v = BYTES_MIN;
	if (now && v >= now - now / 100 * CHANGE_PERCENT &&
	    v <= now + now / 100 * CHANGE_PERCENT)
		return now;
	return v;
}

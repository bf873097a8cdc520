// SPDX-License-Identifier: GPL-2.0-or-later
/* See throttle.h.  The rings are those of the other tracepoint, trace_rings.c. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ev.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/knee.h"
#include "daemon/throttle.h"
#include "daemon/trace_rings.h"

#define FILTER_MAX  4000  /* the kernel takes a page less one byte */
#define PAUSE_MAX_S 3600L /* more is no pause */

struct one {
	char bdi[THROTTLE_NAME];
	uint64_t worst; /* us */
};

struct throttle {
	struct ev_loop *loop;
	void (*heard)(void *arg);
	void *arg;
	struct trace_pause_format fmt;
	struct trace_rings *rings; /* NULL: nobody is listened to */
	struct one *v;
	size_t n;
	bool bell;
};

uint64_t throttle_parse(const struct trace_pause_format *f, const uint8_t *rec,
			size_t len, char bdi[THROTTLE_NAME])
{
	const size_t head = sizeof(struct perf_event_header) + sizeof(uint32_t);
	uint32_t raw_len;
	long ms;

	if (len < head)
		return 0;
	memcpy(&raw_len, rec + head - sizeof(raw_len), sizeof(raw_len));
	if (raw_len > len - head || f->bdi.off + (uint32_t)f->bdi.size > raw_len ||
	    f->pause.off + (uint32_t)f->pause.size > raw_len)
		return 0;
	memcpy(bdi, rec + head + f->bdi.off, THROTTLE_NAME);
	bdi[THROTTLE_NAME - 1] = '\0';
	memcpy(&ms, rec + head + f->pause.off, sizeof(ms));
	return ms > 0 && ms <= PAUSE_MAX_S * 1000 ? (uint64_t)ms * 1000 : 0;
}

static struct one *find(struct throttle *t, const char *bdi)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].bdi, bdi))
			return &t->v[i];
	return NULL;
}

static void record(uint32_t type, const uint8_t *rec, size_t len, void *arg)
{
	char bdi[THROTTLE_NAME];
	struct one *o;
	uint64_t us;

	/* What was lost was like what was not: the worst of many. */
	if (type != PERF_RECORD_SAMPLE)
		return;
	us = throttle_parse(&((struct throttle *)arg)->fmt, rec, len, bdi);
	o = us ? find(arg, bdi) : NULL;
	if (o && us > o->worst)
		o->worst = us;
}

/* A ring is half full, or the bell has rung. */
static void on_wake(void *arg)
{
	struct throttle *t = arg;

	(void)trace_rings_drain(t->rings, record, t);
	if (!t->bell)
		return;
	throttle_bell(t, false);
	t->heard(t->arg);
}

void throttle_bell(struct throttle *t, bool on)
{
	if (!t || !t->rings || t->bell == on)
		return;
	t->bell = on;
	trace_rings_wake(t->rings, on);
}

void throttle_filter(char (*bdi)[THROTTLE_NAME], size_t n, char *buf, size_t len)
{
	size_t at = (size_t)snprintf(buf, len, "pause > 0 && (");

	for (size_t i = 0; i < n; i++) {
		at += (size_t)snprintf(buf + at, len - at, "%sbdi == \"%s\"",
				       i ? " || " : "", bdi[i]);
		if (at + 2 > len || strpbrk(bdi[i], "\"\\")) {
			(void)snprintf(buf, len, "pause > 0");
			return;
		}
	}
	(void)snprintf(buf + at, len - at, ")");
}

static bool is_followed(struct throttle *t, char (*bdi)[THROTTLE_NAME], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!find(t, bdi[i]))
			return false;
	return n == t->n;
}

int throttle_follow(struct throttle *t, char (*bdi)[THROTTLE_NAME], size_t n)
{
	struct trace_rings *rings = NULL;
	struct trace_format fmt = {.id = t->fmt.id};
	char filter[FILTER_MAX];
	struct one *v;
	int r;

	if (is_followed(t, bdi, n))
		return 0;
	v = calloc(n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		(void)snprintf(v[i].bdi, THROTTLE_NAME, "%s", bdi[i]);
	throttle_filter(bdi, n, filter, sizeof(filter));
	r = n ? trace_rings_new(t->loop, &fmt, filter, on_wake, t, &rings) : 0;
	if (r < 0) {
		free(v);
		return r;
	}
	trace_rings_free(t->rings);
	t->rings = rings;
	t->bell = false;
	free(t->v);
	t->v = v;
	t->n = n;
	return 0;
}

void throttle_read(struct throttle *t)
{
	if (t && t->rings)
		(void)trace_rings_drain(t->rings, record, t);
}

uint64_t throttle_take(struct throttle *t, const char *bdi)
{
	struct one *o;
	uint64_t us;

	o = t && t->rings ? find(t, bdi) : NULL;
	if (!o)
		return KNEE_UNKNOWN;
	us = o->worst;
	o->worst = 0;
	return us;
}

int throttle_new(struct ev_loop *loop, void (*heard)(void *arg), void *arg,
		 struct throttle **ret)
{
	struct throttle *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	*t = (struct throttle){.loop = loop, .heard = heard, .arg = arg};
	r = tracefs_pause(&t->fmt);
	if (r < 0) {
		free(t);
		return r;
	}
	*ret = t;
	return 0;
}

struct throttle *throttle_free(struct throttle *t)
{
	if (!t)
		return NULL;
	trace_rings_free(t->rings);
	free(t->v);
	free(t);
	return NULL;
}

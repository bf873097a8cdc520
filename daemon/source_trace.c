/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace source: one perf event per CPU, each with a ring of its own.
 *
 * The first event wakes the loop; from then on the rings are emptied by a timer until
 * nothing has come for a while, so that a burst of thousands of inodes costs some
 * wake-ups and not thousands.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/source.h"
#include "daemon/trace_rings.h"
#include "daemon/tracefs.h"

#define DRAIN_S    0.05
#define QUIET_MAX  4    /* empty passes before the loop is woken by events again */
#define FILTER_MAX 4000 /* the kernel takes a page less one byte */

struct dev_slot {
	uint32_t dev; /* as the kernel encodes it */
	uint16_t fs;
};

struct source_trace {
	struct ev_loop *loop;
	struct source_sink sink;
	struct trace_format fmt;
	struct trace_rings *rings; /* NULL: no file system is watched */
	struct dev_slot *dev;
	size_t n_dev;
	ev_timer drain;
	unsigned quiet;
};

/* The kernel's own dev_t, which is not the one of stat(2). */
static uint32_t kernel_dev(dev_t dev)
{
	return (uint32_t)(major(dev) << 20 | minor(dev));
}

static uint64_t field_u64(const uint8_t *raw, const struct trace_field *f)
{
	uint64_t v = 0;

	memcpy(&v, raw + f->off, f->size); /* little endian or of full size */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v >>= 8 * (8 - f->size);
#endif
	return v;
}

static bool field_in(const struct trace_field *f, uint32_t len)
{
	return (uint32_t)f->off + f->size <= len;
}

static void sample(struct source_trace *s, const uint8_t *rec, size_t len)
{
	const uint8_t *raw = rec + sizeof(struct perf_event_header) + sizeof(uint32_t);
	uint32_t raw_len, dev;

	if (len < sizeof(struct perf_event_header) + sizeof(raw_len))
		return;
	memcpy(&raw_len, rec + sizeof(struct perf_event_header), sizeof(raw_len));
	if (raw_len > len - sizeof(struct perf_event_header) - sizeof(raw_len) ||
	    !field_in(&s->fmt.dev, raw_len) || !field_in(&s->fmt.ino, raw_len) ||
	    !field_in(&s->fmt.mode, raw_len))
		return;
	if (!S_ISREG(field_u64(raw, &s->fmt.mode)))
		return;
	dev = (uint32_t)field_u64(raw, &s->fmt.dev);
	for (size_t i = 0; i < s->n_dev; i++) {
		struct source_event ev = {.fs = s->dev[i].fs};

		if (s->dev[i].dev != dev)
			continue;
		ev.ino = field_u64(raw, &s->fmt.ino);
		if (s->fmt.pid.size && field_in(&s->fmt.pid, raw_len))
			ev.pid = (pid_t)field_u64(raw, &s->fmt.pid);
		s->sink.dirty(&ev, s->sink.arg);
		return;
	}
}

static void lost(struct source_trace *s, const uint8_t *rec, size_t len)
{
	uint64_t n = 1;

	if (len >= sizeof(struct perf_event_header) + 16)
		memcpy(&n, rec + sizeof(struct perf_event_header) + 8, sizeof(n));
	s->sink.lost(UINT16_MAX, n, s->sink.arg);
}

static void record(uint32_t type, const uint8_t *rec, size_t len, void *arg)
{
	if (type == PERF_RECORD_SAMPLE)
		sample(arg, rec, len);
	else if (type == PERF_RECORD_LOST)
		lost(arg, rec, len);
}

static unsigned drain_all(struct source_trace *s)
{
	return s->rings ? trace_rings_drain(s->rings, record, s) : 0;
}

static void on_drain(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct source_trace *s = w->data;

	(void)revents;
	s->quiet = drain_all(s) ? 0 : s->quiet + 1;
	if (s->quiet < QUIET_MAX && s->rings)
		return;
	ev_timer_stop(loop, w);
	if (s->rings)
		trace_rings_wake(s->rings, true);
	(void)drain_all(s); /* what came before the bells were switched on */
}

static void on_wake(void *arg)
{
	struct source_trace *s = arg;

	trace_rings_wake(s->rings, false);
	s->quiet = 0;
	(void)drain_all(s);
	ev_timer_again(s->loop, &s->drain);
}

int source_trace_new(struct ev_loop *loop, const struct source_sink *sink,
		     struct source_trace **ret)
{
	struct source_trace *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->loop = loop;
	s->sink = *sink;
	ev_timer_init(&s->drain, on_drain, 0., DRAIN_S);
	s->drain.data = s;
	r = tracefs_dirty_inode(&s->fmt);
	if (r < 0) {
		source_trace_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

/*
 * "mode & 32768 && (dev == 1 || dev == 2)"; 32768 is in S_IFREG, S_IFLNK and
 * S_IFSOCK, the rest is told apart in sample().  So is the device, where there are
 * more than the kernel takes in a filter.
 */
static void filter_text(const struct source_trace *s, char *buf, size_t len)
{
	size_t n = (size_t)snprintf(buf, len, "mode & 32768 && (");

	for (size_t i = 0; i < s->n_dev; i++) {
		n += (size_t)snprintf(buf + n, len - n, "%sdev == %u", i ? " || " : "",
				      s->dev[i].dev);
		if (n + 2 > len) {
			(void)snprintf(buf, len, "mode & 32768");
			return;
		}
	}
	(void)snprintf(buf + n, len - n, ")");
}

/*
 * An event that has a filter takes no other one: new rings, then the old ones are
 * emptied and closed, so that nothing is missed (an inode announced twice does no
 * harm).  This also takes in CPUs that have come online.  On failure the old rings
 * stay.
 */
static int follow_devices(struct source_trace *s)
{
	struct trace_rings *rings = NULL;
	char text[FILTER_MAX];
	int r;

	if (s->n_dev) {
		filter_text(s, text, sizeof(text));
		r = trace_rings_new(s->loop, &s->fmt, text, on_wake, s, &rings);
		if (r < 0)
			return r;
	}
	(void)drain_all(s);
	trace_rings_free(s->rings);
	s->rings = rings;
	s->quiet = 0;
	if (rings)
		ev_timer_again(s->loop, &s->drain); /* its end switches waking on */
	return 0;
}

int source_trace_add(struct source_trace *s, dev_t dev, uint16_t fs)
{
	struct dev_slot *v = realloc(s->dev, (s->n_dev + 1) * sizeof(*v));
	int r;

	if (!v)
		return -ENOMEM;
	s->dev = v;
	v[s->n_dev++] = (struct dev_slot){kernel_dev(dev), fs};
	r = follow_devices(s);
	if (r < 0)
		s->n_dev--;
	return r;
}

void source_trace_remove(struct source_trace *s, dev_t dev)
{
	uint32_t k = kernel_dev(dev);

	(void)drain_all(s); /* while its events can still be told apart */
	for (size_t i = 0; i < s->n_dev; i++) {
		if (s->dev[i].dev != k)
			continue;
		s->dev[i] = s->dev[--s->n_dev];
		break;
	}
	(void)follow_devices(s);
}

void source_trace_poll(struct source_trace *s)
{
	(void)drain_all(s);
}

struct source_trace *source_trace_free(struct source_trace *s)
{
	if (!s)
		return NULL;
	ev_timer_stop(s->loop, &s->drain);
	trace_rings_free(s->rings);
	free(s->dev);
	free(s);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace source: one perf event per CPU, each with a ring of its own.
 *
 * The rings wake the loop at the first event; from then on they are emptied by a
 * timer until nothing has come for a while, so that a burst of thousands of
 * inodes costs some wake-ups and not thousands.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/source.h"
#include "daemon/tracefs.h"

#define RING_PAGES 64 /* per CPU, a power of two: some 3,600 events of 72 bytes */
#define DRAIN_S    0.05
#define QUIET_MAX  4    /* empty passes before the loop is woken by events again */
#define FILTER_MAX 4000 /* the kernel takes a page less one byte */
#define RECORD_MAX 4096

struct cpu_ring {
	int fd;
	struct perf_event_mmap_page *page; /* then the data */
	ev_io on_event;
};

struct dev_slot {
	uint32_t dev; /* as the kernel encodes it */
	uint16_t fs;
};

struct source_trace {
	struct ev_loop *loop;
	struct source_sink sink;
	struct trace_format fmt;
	struct cpu_ring *cpu;
	unsigned n_cpu;
	size_t map_len, data_len;
	struct dev_slot *dev;
	size_t n_dev;
	ev_timer drain;
	unsigned quiet;
	bool enabled;
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

/* Copies @len bytes at @pos out of the ring, which wraps. */
static void ring_copy(const uint8_t *data, size_t size, uint64_t pos, void *to,
		      size_t len)
{
	size_t at = (size_t)(pos & (size - 1));
	size_t first = len < size - at ? len : size - at;

	memcpy(to, data + at, first);
	memcpy((uint8_t *)to + first, data, len - first);
}

static unsigned ring_drain(struct source_trace *s, struct cpu_ring *c)
{
	const uint8_t *data = (const uint8_t *)c->page + (s->map_len - s->data_len);
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = c->page->data_tail;
	uint8_t rec[RECORD_MAX] __attribute__((aligned(8)));
	unsigned n = 0;

	while (tail != head) {
		struct perf_event_header h;

		ring_copy(data, s->data_len, tail, &h, sizeof(h));
		if (h.size < sizeof(h))
			break; /* cannot be; do not turn in a circle */
		if (h.size <= sizeof(rec)) {
			ring_copy(data, s->data_len, tail, rec, h.size);
			if (h.type == PERF_RECORD_SAMPLE)
				sample(s, rec, h.size);
			else if (h.type == PERF_RECORD_LOST)
				lost(s, rec, h.size);
		}
		tail += h.size;
		n++;
	}
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
	return n;
}

static unsigned drain_all(struct source_trace *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_cpu; i++)
		n += ring_drain(s, &s->cpu[i]);
	return n;
}

static void wake_by_events(struct source_trace *s, bool on)
{
	for (unsigned i = 0; i < s->n_cpu; i++) {
		if (on)
			ev_io_start(s->loop, &s->cpu[i].on_event);
		else
			ev_io_stop(s->loop, &s->cpu[i].on_event);
	}
}

static void on_drain(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct source_trace *s = w->data;

	(void)revents;
	s->quiet = drain_all(s) ? 0 : s->quiet + 1;
	if (s->quiet < QUIET_MAX)
		return;
	/* A wake-up that was due meanwhile is still pending in the ring. */
	ev_timer_stop(loop, w);
	wake_by_events(s, true);
}

static void on_event(struct ev_loop *loop, ev_io *w, int revents)
{
	struct source_trace *s = w->data;

	(void)revents;
	wake_by_events(s, false);
	s->quiet = 0;
	(void)drain_all(s);
	ev_timer_again(loop, &s->drain);
}

static int ring_open(struct source_trace *s, struct cpu_ring *c, int cpu)
{
	void *p;

	c->fd = tracefs_open_event(&s->fmt, cpu);
	if (c->fd < 0)
		return c->fd;
	p = mmap(NULL, s->map_len, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (p == MAP_FAILED) {
		int r = -errno;

		(void)close(c->fd);
		return r;
	}
	c->page = p;
	ev_io_init(&c->on_event, on_event, c->fd, EV_READ);
	c->on_event.data = s;
	ev_io_start(s->loop, &c->on_event);
	return 0;
}

/* A CPU that is offline has no ring; what is dirtied on one that comes later is not
 * seen until the daemon is started again. */
static int rings_open(struct source_trace *s)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	s->cpu = calloc((size_t)n, sizeof(*s->cpu));
	if (!s->cpu)
		return -ENOMEM;
	for (long i = 0; i < n; i++) {
		int r = ring_open(s, &s->cpu[s->n_cpu], (int)i);

		if (r == -ENODEV)
			continue;
		if (r < 0)
			return r;
		s->n_cpu++;
	}
	return s->n_cpu ? 0 : -ENODEV;
}

int source_trace_new(struct ev_loop *loop, const struct source_sink *sink,
		     struct source_trace **ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct source_trace *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->loop = loop;
	s->sink = *sink;
	s->data_len = RING_PAGES * page;
	s->map_len = s->data_len + page;
	ev_timer_init(&s->drain, on_drain, 0., DRAIN_S);
	s->drain.data = s;
	r = tracefs_dirty_inode(&s->fmt);
	if (r == 0)
		r = rings_open(s);
	if (r < 0) {
		source_trace_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

/* "mode & 32768 && (dev == 1 || dev == 2)"; 32768 is in S_IFREG, S_IFLNK and
 * S_IFSOCK, the rest is told apart in sample(). */
static int filter_text(const struct source_trace *s, char *buf, size_t len)
{
	size_t n = (size_t)snprintf(buf, len, "mode & 32768 && (");

	for (size_t i = 0; i < s->n_dev; i++) {
		n += (size_t)snprintf(buf + n, len - n, "%sdev == %u", i ? " || " : "",
				      s->dev[i].dev);
		if (n + 2 > len)
			return -ENOSPC;
	}
	(void)snprintf(buf + n, len - n, ")");
	return 0;
}

static int filter_set(struct source_trace *s)
{
	char text[FILTER_MAX] = "";
	int r = s->n_dev ? filter_text(s, text, sizeof(text)) : 0;

	if (r < 0)
		return r;
	for (unsigned i = 0; i < s->n_cpu; i++) {
		if (!s->n_dev) {
			(void)ioctl(s->cpu[i].fd, PERF_EVENT_IOC_DISABLE, 0);
			continue;
		}
		if (ioctl(s->cpu[i].fd, PERF_EVENT_IOC_SET_FILTER, text) < 0)
			return -errno;
		if (ioctl(s->cpu[i].fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
			return -errno;
	}
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
	r = filter_set(s);
	if (r < 0) {
		s->n_dev--;
		(void)filter_set(s);
	}
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
	(void)filter_set(s);
}

struct source_trace *source_trace_free(struct source_trace *s)
{
	if (!s)
		return NULL;
	ev_timer_stop(s->loop, &s->drain);
	wake_by_events(s, false);
	for (unsigned i = 0; i < s->n_cpu; i++) {
		(void)munmap(s->cpu[i].page, s->map_len);
		(void)close(s->cpu[i].fd);
	}
	free(s->cpu);
	free(s->dev);
	free(s);
	return NULL;
}

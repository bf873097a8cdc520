/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See trace_rings.h; the layout of a ring is that of perf_event_open(2). */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/trace_rings.h"

#define RING_PAGES 64 /* per CPU, a power of two: some 3,600 events of 72 bytes */
#define RECORD_MAX 4096

struct cpu_ring {
	int fd;
	struct perf_event_mmap_page *page; /* then the data */
	ev_io on_event;
};

struct trace_rings {
	struct ev_loop *loop;
	struct cpu_ring *cpu;
	unsigned n;
	size_t map_len, data_len;
	void (*wake)(void *arg);
	void *arg;
};

static void on_event(struct ev_loop *loop, ev_io *w, int revents)
{
	struct trace_rings *r = w->data;

	(void)loop;
	(void)revents;
	r->wake(r->arg);
}

static int ring_enable(int fd, const char *filter)
{
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -errno;
	return 0;
}

static int ring_open(struct trace_rings *r, struct cpu_ring *c,
		     const struct trace_format *fmt, const char *filter, int cpu)
{
	int fd CLEANUP(cleanup_closep) = tracefs_open_event(fmt, cpu);
	void *p;
	int e;

	if (fd < 0)
		return fd;
	p = mmap(NULL, r->map_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	e = ring_enable(fd, filter);
	if (e < 0) {
		(void)munmap(p, r->map_len);
		return e;
	}
	c->page = p;
	c->fd = take_fd(&fd);
	ev_io_init(&c->on_event, on_event, c->fd, EV_READ);
	c->on_event.data = r;
	ev_io_start(r->loop, &c->on_event);
	return 0;
}

/* A CPU that is offline has no ring. */
static int rings_open(struct trace_rings *r, const struct trace_format *fmt,
		      const char *filter)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	r->cpu = calloc((size_t)n, sizeof(*r->cpu));
	if (!r->cpu)
		return -ENOMEM;
	for (long i = 0; i < n; i++) {
		int e = ring_open(r, &r->cpu[r->n], fmt, filter, (int)i);

		if (e == -ENODEV)
			continue;
		if (e < 0)
			return e;
		r->n++;
	}
	return r->n ? 0 : -ENODEV;
}

int trace_rings_new(struct ev_loop *loop, const struct trace_format *fmt,
		    const char *filter, void (*wake)(void *arg), void *arg,
		    struct trace_rings **ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct trace_rings *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return -ENOMEM;
	*r = (struct trace_rings){.loop = loop,
				  .data_len = RING_PAGES * page,
				  .map_len = (RING_PAGES + 1) * page,
				  .wake = wake,
				  .arg = arg};
	e = rings_open(r, fmt, filter);
	if (e < 0) {
		trace_rings_free(r);
		return e;
	}
	*ret = r;
	return 0;
}

void trace_rings_wake(struct trace_rings *r, bool on)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (on)
			ev_io_start(r->loop, &r->cpu[i].on_event);
		else
			ev_io_stop(r->loop, &r->cpu[i].on_event);
	}
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

static unsigned ring_drain(struct trace_rings *r, struct cpu_ring *c,
			   void (*record)(uint32_t type, const uint8_t *rec, size_t len,
					  void *arg),
			   void *arg)
{
	const uint8_t *data = (const uint8_t *)c->page + (r->map_len - r->data_len);
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = c->page->data_tail;
	uint8_t rec[RECORD_MAX] __attribute__((aligned(8)));
	unsigned n = 0;

	while (tail != head) {
		struct perf_event_header h;

		ring_copy(data, r->data_len, tail, &h, sizeof(h));
		if (h.size < sizeof(h))
			break; /* cannot be; do not turn in a circle */
		if (h.size <= sizeof(rec)) {
			ring_copy(data, r->data_len, tail, rec, h.size);
			record(h.type, rec, h.size, arg);
		}
		tail += h.size;
		n++;
	}
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
	return n;
}

unsigned trace_rings_drain(struct trace_rings *r,
			   void (*record)(uint32_t type, const uint8_t *rec, size_t len,
					  void *arg),
			   void *arg)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n; i++)
		n += ring_drain(r, &r->cpu[i], record, arg);
	return n;
}

struct trace_rings *trace_rings_free(struct trace_rings *r)
{
	if (!r)
		return NULL;
	trace_rings_wake(r, false);
	for (unsigned i = 0; i < r->n; i++) {
		(void)munmap(r->cpu[i].page, r->map_len);
		(void)close(r->cpu[i].fd);
	}
	free(r->cpu);
	free(r);
	return NULL;
}

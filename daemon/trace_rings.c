/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See trace_rings.h; the layout of a ring is that of perf_event_open(2).
 *
 * A wake-up per event costs whoever dirties an inode some 7 us (an interrupt to
 * itself, dear in a virtual machine), a fifth of what creating a file costs.  So there
 * are two events per CPU: the one with the ring wakes nobody before it is half full;
 * the other, the bell, wakes at every event, and is switched off when it is heard.
 * (The kernel would do that by itself, PERF_EVENT_IOC_REFRESH; but Linux 6.18 does not
 * switch a tracepoint on again after that.)
 *
 * What is polled is told once, to whoever polls first, and epoll polls already when a
 * descriptor is added: a wake-up that came before is lost.  So the descriptors stay in
 * the loop for good, and bells are first switched on when the loop has turned.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/trace_rings.h"

#define DATA_PAGES 64 /* per CPU, a power of two: some 3,600 events of 72 bytes */
#define BELL_PAGES 1
#define FULL_ROOM  256 /* less room in a ring: events may have been dropped */
#define RECORD_MAX 4096

struct ring {
	int fd;
	size_t map_len;
	struct perf_event_mmap_page *page; /* then the data */
	ev_io on_event;
};

struct cpu_rings {
	struct ring data, bell;
};

struct trace_rings {
	struct ev_loop *loop;
	struct cpu_rings *cpu;
	unsigned n;
	size_t page_size;
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

static int ring_open(struct trace_rings *r, struct ring *c, int fd, size_t data_pages)
{
	void *p;

	if (fd < 0)
		return fd;
	c->fd = fd;
	c->map_len = (data_pages + 1) * r->page_size;
	p = mmap(NULL, c->map_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	c->page = p;
	ev_io_init(&c->on_event, on_event, fd, EV_READ);
	c->on_event.data = r;
	return 0;
}

static void ring_close(struct trace_rings *r, struct ring *c)
{
	if (c->page) {
		ev_io_stop(r->loop, &c->on_event);
		(void)munmap(c->page, c->map_len);
	}
	if (c->fd >= 0)
		(void)close(c->fd);
}

static int cpu_open(struct trace_rings *r, struct cpu_rings *c,
		    const struct trace_format *fmt, const char *filter, int cpu)
{
	size_t half = DATA_PAGES / 2 * r->page_size;
	int e;

	e = ring_open(r, &c->data, tracefs_open_event(fmt, cpu, (unsigned)half),
		      DATA_PAGES);
	if (e == 0)
		e = ring_open(r, &c->bell, tracefs_open_event(fmt, cpu, 0), BELL_PAGES);
	if (e < 0)
		return e;
	if (ioctl(c->data.fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0 ||
	    ioctl(c->bell.fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0 ||
	    ioctl(c->data.fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -errno;
	ev_io_start(r->loop, &c->data.on_event);
	ev_io_start(r->loop, &c->bell.on_event);
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
		struct cpu_rings *c = &r->cpu[r->n++];
		int e;

		c->data.fd = c->bell.fd = -1;
		e = cpu_open(r, c, fmt, filter, (int)i);
		if (e == -ENODEV && c->data.fd < 0)
			r->n--;
		else if (e < 0)
			return e;
	}
	return r->n ? 0 : -ENODEV;
}

int trace_rings_new(struct ev_loop *loop, const struct trace_format *fmt,
		    const char *filter, void (*wake)(void *arg), void *arg,
		    struct trace_rings **ret)
{
	struct trace_rings *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return -ENOMEM;
	*r = (struct trace_rings){.loop = loop,
				  .page_size = (size_t)sysconf(_SC_PAGESIZE),
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
		struct ring *bell = &r->cpu[i].bell;
		uint64_t head;

		if (!on) {
			(void)ioctl(bell->fd, PERF_EVENT_IOC_DISABLE, 0);
			continue;
		}
		/* A full ring would not ring. */
		head = __atomic_load_n(&bell->page->data_head, __ATOMIC_ACQUIRE);
		__atomic_store_n(&bell->page->data_tail, head, __ATOMIC_RELEASE);
		(void)ioctl(bell->fd, PERF_EVENT_IOC_ENABLE, 0);
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

static unsigned ring_drain(struct trace_rings *r, struct ring *c,
			   void (*record)(uint32_t type, const uint8_t *rec, size_t len,
					  void *arg),
			   void *arg)
{
	const uint8_t *data = (const uint8_t *)c->page + r->page_size;
	size_t size = DATA_PAGES * r->page_size;
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = c->page->data_tail;
	uint8_t rec[RECORD_MAX] __attribute__((aligned(8)));
	unsigned n = 0;

	/* The kernel tells of events it had no room for only with the next one, and
	 * that may be long in coming: a full ring says it now. */
	if (size - (head - tail) < FULL_ROOM)
		record(PERF_RECORD_LOST, NULL, 0, arg);
	while (tail != head) {
		struct perf_event_header h;

		ring_copy(data, size, tail, &h, sizeof(h));
		if (h.size < sizeof(h))
			break; /* cannot be; do not turn in a circle */
		if (h.size <= sizeof(rec)) {
			ring_copy(data, size, tail, rec, h.size);
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
		n += ring_drain(r, &r->cpu[i].data, record, arg);
	return n;
}

struct trace_rings *trace_rings_free(struct trace_rings *r)
{
	if (!r)
		return NULL;
	for (unsigned i = 0; i < r->n; i++) {
		ring_close(r, &r->cpu[i].data);
		ring_close(r, &r->cpu[i].bell);
	}
	free(r->cpu);
	free(r);
	return NULL;
}

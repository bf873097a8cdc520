// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The orders of all file systems.  Without anybody who asks for large folios the bound
 * has no effect, so nothing is looked at and the daemon does not wake up for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/ev.h"
#include "daemon/order.h"
#include "daemon/order_watch.h"

#define FS_MAX      4096
#define ASKED_LOOKS 60 /* for so long a request counts: ten minutes */

struct entry {
	dev_t dev;
	uint64_t id;
	struct order_state s;
	unsigned asked, looks_left;
};

struct orders {
	struct ev_loop *loop;
	const char *root;
	void (*changed)(void *arg);
	void *arg;
	ev_timer timer;
	struct entry *v;
	size_t n;
	uint64_t stalls; /* at the last look */
};

static struct entry *find(const struct orders *o, dev_t dev)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].dev == dev)
			return &o->v[i];
	return NULL;
}

static bool look_at(struct entry *e, const struct order_memory *m, bool stalled)
{
	struct order_now now = {
		.asked = e->asked,
		.stalled = stalled,
		.scarce = e->s.order && order_scarce(m, e->s.order),
		.plenty = order_plenty(m, e->s.order + 1),
	};

	if (e->looks_left && !--e->looks_left)
		e->asked = 0;
	return order_look(&e->s, &now);
}

static bool is_busy(const struct orders *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].asked || o->v[i].s.order != ORDER_START)
			return true;
	return false;
}

static void on_look(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct orders *o = w->data;
	struct order_memory m;
	bool changed = false, stalled;

	(void)revents;
	if (order_memory_read(o->root, &m) < 0)
		return;
	stalled = m.stalls != o->stalls;
	o->stalls = m.stalls;
	for (size_t i = 0; i < o->n; i++)
		changed |= look_at(&o->v[i], &m, stalled);
	if (!is_busy(o))
		ev_timer_stop(loop, w);
	if (changed)
		o->changed(o->arg);
}

int orders_new(struct ev_loop *loop, const char *root, void (*changed)(void *arg),
	       void *arg, struct orders **ret)
{
	struct orders *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->loop = loop;
	o->root = root;
	o->changed = changed;
	o->arg = arg;
	ev_timer_init(&o->timer, on_look, ORDER_LOOK_S, ORDER_LOOK_S);
	o->timer.data = o;
	*ret = o;
	return 0;
}

struct orders *orders_free(struct orders *o)
{
	if (!o)
		return NULL;
	ev_timer_stop(o->loop, &o->timer);
	free(o->v);
	free(o);
	return NULL;
}

unsigned orders_of(struct orders *o, dev_t dev, uint64_t id)
{
	struct entry *e = o ? find(o, dev) : NULL, *v;

	if (e && e->id == id)
		return e->s.order;
	if (!o || (!e && o->n == FS_MAX))
		return ORDER_START;
	if (!e) {
		v = reallocarray(o->v, o->n + 1, sizeof(*v));
		if (!v)
			return ORDER_START;
		o->v = v;
		e = &v[o->n++];
	}
	*e = (struct entry){.dev = dev, .id = id};
	order_init(&e->s);
	return e->s.order;
}

void orders_ask(struct orders *o, dev_t dev, uint64_t bytes)
{
	struct entry *e = o ? find(o, dev) : NULL;
	unsigned order = order_of(bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	struct order_memory m;

	if (!e || order <= ORDER_START)
		return;
	e->asked = order > e->asked ? order : e->asked;
	e->looks_left = ASKED_LOOKS;
	if (ev_is_active(&o->timer))
		return;
	if (order_memory_read(o->root, &m) == 0)
		o->stalls = m.stalls; /* those before do not count */
	ev_timer_set(&o->timer, ORDER_LOOK_S, ORDER_LOOK_S);
	ev_timer_start(o->loop, &o->timer);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Monitor: the engine's events to every listener.  The engine is asked for events
 * only while somebody listens, and each is put into words once for all of them.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "daemon/api_int.h"

struct api_monitor {
	struct api *api;
	struct api_monitor *next, **prevp;
	struct vl_call *call;
	dev_t dev; /* 0: all */
};

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static json_t *event_json(const struct api *a, const struct engine_event *ev)
{
	const struct plan_fs *f = ev->dev ? api_find_dev(a, ev->dev) : NULL;
	/* Which numbers an event has, its kind says. */
	bool inode = ev->ino != 0;

	return json_pack("{ss sI so so so so so so so}", "event",
			 engine_event_name(ev->kind), "time_us", (json_int_t)now_us(),
			 "mount", f ? vl_string(f->fs->target) : json_null(), "device",
			 ev->dev ? api_dev(ev->dev) : json_null(), "inode",
			 inode ? api_u64(ev->ino) : json_null(), "context",
			 inode ? api_u64(ev->context) : json_null(), "bytes",
			 inode ? api_u64(ev->bytes) : json_null(), "error",
			 api_errno(ev->error), "reason", api_clause(ev->reason));
}

static void on_event(const struct engine_event *ev, void *arg)
{
	struct api *a = arg;
	CLEANUP(cleanup_freep) char *text = NULL;
	size_t len = 0;

	for (struct api_monitor *m = a->monitors; m; m = m->next) {
		if (m->dev && m->dev != ev->dev)
			continue;
		if (!text)
			text = vl_dump(vl_reply(event_json(a, ev), true), &len);
		if (text)
			vl_call_continue_text(m->call, text, len);
	}
}

/* Is the setting one of file system @dev, or of its device? */
static bool concerns(const struct api *a, const struct api_monitor *m,
		     const struct knob_entry *e)
{
	const struct plan_fs *f = m->dev ? api_find_dev(a, m->dev) : NULL;
	dev_t dev;

	if (!m->dev || !f)
		return !m->dev;
	if (knob_of_fs(e->kind))
		return api_parse_dev(e->dev, &dev) == 0 && dev == m->dev;
	return !*e->dev || !strcmp(e->dev, f->fs->bdev.bdi);
}

static json_t *news_json(const struct api *a, const struct knob_news *n)
{
	const struct plan_fs *f = NULL;
	char reason[4 * KNOB_VALUE];
	dev_t dev;

	(void)snprintf(reason, sizeof(reason), "%s%s%s: %s", n->e->dev,
		       *n->e->dev ? " " : "", knob_name(n->e->kind), n->what);
	if (knob_of_fs(n->e->kind) && api_parse_dev(n->e->dev, &dev) == 0)
		f = api_find_dev(a, dev);
	return json_pack(
		"{ss sI so so sn sn sn so so}", "event", "setting", "time_us",
		(json_int_t)now_us(), "mount", f ? vl_string(f->fs->target) : json_null(),
		"device", f ? api_dev(f->fs->dev) : json_null(), "inode", "context",
		"bytes", "error", api_errno(n->e->error), "reason", vl_string(reason));
}

static void on_news(const struct knob_news *n, void *arg)
{
	struct api *a = arg;

	for (struct api_monitor *m = a->monitors; m; m = m->next)
		if (concerns(a, m, n->e))
			vl_call_continue(m->call, news_json(a, n));
}

static void listen_to(struct api *a, bool on)
{
	engine_listen(a->w->engine, on ? on_event : NULL, on ? a : NULL);
	if (a->w->knobs)
		knobs_listen(a->w->knobs, on ? on_news : NULL, on ? a : NULL);
}

static void on_gone(void *arg)
{
	struct api_monitor *m = arg;
	struct api *a = m->api;

	*m->prevp = m->next;
	if (m->next)
		m->next->prevp = m->prevp;
	free(m);
	if (!a->monitors)
		listen_to(a, false);
}

/* So that a listener knows from when on it misses nothing. */
static json_t *listening_json(void)
{
	return json_pack("{ss sI sn sn sn sn sn sn sn}", "event", "listening", "time_us",
			 (json_int_t)now_us(), "mount", "device", "inode", "context",
			 "bytes", "error", "reason");
}

void api_monitor_call(struct api *a, struct vl_call *call)
{
	const char *mount = api_param_string(call, "mount");
	const struct plan_fs *f = NULL;
	struct api_monitor *m;

	if (mount) {
		f = api_find_mount(a, mount);
		if (!f) {
			api_fail_no_fs(call, mount);
			return;
		}
	}
	m = vl_call_oneway(call) ? NULL : calloc(1, sizeof(*m));
	if (!m) {
		vl_call_error(call, API_INTERFACE ".Failed",
			      json_pack("{ss}", "reason", "out of memory"));
		return;
	}
	m->api = a;
	m->call = call;
	m->dev = f ? f->fs->dev : 0;
	m->next = a->monitors;
	m->prevp = &a->monitors;
	if (m->next)
		m->next->prevp = &m->next;
	else
		listen_to(a, true);
	a->monitors = m;
	vl_call_defer(call, on_gone, m);
	vl_call_continue(call, listening_json());
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drain: one engine drain per call, its progress as a stream.  A caller that goes
 * only stops listening; what is queued is written all the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api_int.h"

struct api_drain {
	struct api *api;
	struct api_drain *next, **prevp;
	struct vl_call *call;
	struct engine_drain *work;
	struct drain_progress last;
	struct ev_timer timeout;
	char *mount;
};

static json_t *progress_json(const struct api_drain *d)
{
	const struct drain_progress *p = &d->last;

	return json_pack("{so so so so so sb so}", "mount", vl_string(d->mount),
			 "inodes_done", api_u64(p->inodes_done), "inodes_all",
			 api_u64(p->inodes_all), "bytes_done", api_u64(p->bytes_done),
			 "bytes_all", api_u64(p->bytes_all), "finished", (int)p->finished,
			 "error", api_errno(p->error));
}

static void drain_free(struct api_drain *d)
{
	ev_timer_stop(d->api->w->loop, &d->timeout);
	engine_drain_free(d->work);
	*d->prevp = d->next;
	if (d->next)
		d->next->prevp = d->prevp;
	free(d->mount);
	free(d);
}

static void on_gone(void *arg)
{
	drain_free(arg);
}

static void on_progress(const struct drain_progress *p, void *arg)
{
	struct api_drain *d = arg;

	d->last = *p;
	if (p->finished) {
		vl_call_reply(d->call, progress_json(d));
		drain_free(d);
	} else if (vl_call_more(d->call)) {
		vl_call_continue(d->call, progress_json(d));
	}
}

static void on_timeout(struct ev_loop *loop, struct ev_timer *t, int revents)
{
	struct api_drain *d = t->data;

	(void)loop;
	(void)revents;
	vl_call_error(d->call, API_INTERFACE ".Timeout",
		      json_pack("{so so so}", "mount", vl_string(d->mount), "bytes_done",
				api_u64(d->last.bytes_done), "bytes_all",
				api_u64(d->last.bytes_all)));
	drain_free(d);
}

/* By device where given, else by mount point; answers if there is none. */
static const struct plan_fs *find_fs(struct api *a, struct vl_call *call)
{
	const char *mount = api_param_string(call, "mount");
	const struct plan_fs *f;

	if (api_param_string(call, "device"))
		return api_fs_of_device(a, call);
	if (!mount) {
		api_fail_param(call, "mount");
		return NULL;
	}
	f = api_find_mount(a, mount);
	if (!f)
		api_fail_no_fs(call, mount);
	return f;
}

static void not_managed(struct api *a, struct vl_call *call, const struct plan_fs *f)
{
	char why[256];

	vl_call_error(call, API_INTERFACE ".NotManaged",
		      json_pack("{so so}", "mount", vl_string(f->fs->target), "reason",
				vl_string(api_reason(a, f, why, sizeof(why)))));
}

/* The syncfs(2) that the caller makes anyway runs through all of the kernel's contexts:
 * there is nothing to be done before it. */
static void kernel_does_it(struct vl_call *call, const struct plan_fs *f)
{
	vl_call_reply(call, json_pack("{so si si si si sb sn}", "mount",
				      vl_string(f->fs->target), "inodes_done", 0,
				      "inodes_all", 0, "bytes_done", 0, "bytes_all", 0,
				      "finished", 1, "error"));
}

/* Owns nothing on failure; on success belongs to the call. */
static int drain_start(struct api *a, struct vl_call *call, const struct plan_fs *f)
{
	struct api_drain *d = calloc(1, sizeof(*d));
	int64_t ms = api_param_int(call, "timeout_ms", 0);
	int r;

	if (!d)
		return -ENOMEM;
	d->api = a;
	d->call = call;
	d->mount = strdup(f->fs->target);
	r = d->mount ? engine_drain_start(a->w->engine, f->fs->dev, on_progress, d,
					  &d->work)
		     : -ENOMEM;
	if (r < 0) {
		free(d->mount);
		free(d);
		return r;
	}
	d->next = a->drains;
	d->prevp = &a->drains;
	if (d->next)
		d->next->prevp = &d->next;
	a->drains = d;
	ev_timer_init(&d->timeout, on_timeout, (double)ms / 1000., 0.);
	d->timeout.data = d;
	if (ms > 0) {
		ev_now_update(a->w->loop);
		ev_timer_start(a->w->loop, &d->timeout);
	}
	vl_call_defer(call, on_gone, d);
	return 0;
}

/* Nobody listens to a oneway call: it is started and let go. */
static void drain_oneway(struct api *a, struct vl_call *call, const struct plan_fs *f)
{
	struct engine_drain *work = NULL;

	if (engine_drain_start(a->w->engine, f->fs->dev, NULL, NULL, &work) == 0)
		engine_drain_free(work);
	vl_call_reply(call, json_object());
}

void api_drain_call(struct api *a, struct vl_call *call)
{
	const struct plan_fs *f;
	int r;

	if (api_param_int(call, "timeout_ms", 0) < 0) {
		api_fail_param(call, "timeout_ms");
		return;
	}
	f = find_fs(a, call);
	if (!f)
		return;
	if (!f->managed) {
		not_managed(a, call, f);
		return;
	}
	if (f->engine == PLAN_ENGINE_KERNEL) {
		kernel_does_it(call, f);
		return;
	}
	if (vl_call_oneway(call)) {
		drain_oneway(a, call, f);
		return;
	}
	r = drain_start(a, call, f);
	if (r < 0)
		vl_call_error(call, API_INTERFACE ".Failed",
			      json_pack("{so}", "reason", vl_string(strerror(-r))));
}

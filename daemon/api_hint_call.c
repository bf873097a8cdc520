// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hint, HintClear and Query: the descriptor is looked at by threads that may be
 * lost (hint_fd.h), then the call is answered.  One that takes too long is answered
 * without.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api_hint.h"
#include "daemon/order_watch.h"

#define PATIENCE_S 5

enum verb { VERB_HINT, VERB_CLEAR, VERB_QUERY };

struct hint_call {
	struct hint_look look; /* first: hint_fds frees it as such when it ends */
	struct hint_call *next, **prevp;
	struct api_hints *hints;
	struct vl_call *call; /* NULL: answered, or the client has gone */
	enum verb verb;
	struct hint_lease lease;
	uint32_t since;
};

static void unlink_call(struct hint_call *c)
{
	struct api_hints *h = c->hints;

	*c->prevp = c->next;
	if (c->next)
		c->next->prevp = c->prevp;
	if (!h->waiting)
		ev_timer_stop(h->api->w->loop, &h->patience);
}

static void link_call(struct hint_call *c)
{
	struct api_hints *h = c->hints;

	c->next = h->waiting;
	c->prevp = &h->waiting;
	if (c->next)
		c->next->prevp = &c->next;
	h->waiting = c;
	if (!ev_is_active(&h->patience))
		ev_timer_again(h->api->w->loop, &h->patience);
}

/* ---- answers ------------------------------------------------------------------ */

static void bad_descriptor(struct vl_call *call, const char *why)
{
	vl_call_error(call, API_INTERFACE ".BadDescriptor",
		      json_pack("{ss}", "reason", why));
}

static void limit_reached(struct vl_call *call, uint64_t limit)
{
	vl_call_error(call, API_INTERFACE ".LimitReached",
		      json_pack("{so}", "limit", api_u64(limit)));
}

static void no_memory(struct vl_call *call)
{
	vl_call_error(call, API_INTERFACE ".Failed",
		      json_pack("{ss}", "reason", strerror(ENOMEM)));
}

static void not_managed(struct hint_call *c, const struct plan_fs *f)
{
	char why[256];

	vl_call_error(
		c->call, API_INTERFACE ".NotManaged",
		json_pack("{so so}", "mount", vl_string(f ? f->fs->target : ""), "reason",
			  vl_string(f ? api_reason(c->hints->api, f, why, sizeof(why))
				      : "its file system is not one that wbd "
					"sees")));
}

static void look_failed(struct hint_call *c, int error)
{
	char why[160];

	switch (error) {
	case -EXDEV:
		not_managed(c, api_find_dev(c->hints->api, c->look.file.dev));
		return;
	case -EBADF:
		bad_descriptor(c->call, "it is open as a place only (O_PATH)");
		return;
	case -EISDIR:
		bad_descriptor(c->call, "it is of a directory");
		return;
	case -EINVAL:
		bad_descriptor(c->call, "it is not of a regular file");
		return;
	default:
		snprintf(why, sizeof(why), "it cannot be looked at: %s",
			 strerror(-error));
		bad_descriptor(c->call, why);
	}
}

static json_t *placed(const struct plan_fs *f, const struct hint *hint,
		      const struct hint_file *file)
{
	const struct geom *g = &f->fs->geom;
	uint32_t group = g->kind == GEOM_HASH || g->inode_unplaced
				 ? geom_bucket(g, file->ino)
				 : geom_group_of_ino(g, file->ino);

	return json_pack("{so ss si so}", "effects", api_effects(f, hint, file), "engine",
			 f->engine == PLAN_ENGINE_KERNEL ? "kernel" : "user", "context",
			 (int)plan_context(f, group), "group", api_u64(group));
}

static void answer_hint(struct hint_call *c, const struct plan_fs *f)
{
	struct api_hints *h = c->hints;
	const struct hint hint = {c->lease.write_size, c->lease.file_size};
	size_t limit = 0;
	int r = hint_leases_put(h->leases, &c->lease, h->api->w->conf->api_hints, &limit);

	if (r == -ENOSPC) {
		limit_reached(c->call, limit);
		return;
	}
	if (r < 0) {
		vl_call_error(c->call, API_INTERFACE ".Failed",
			      json_pack("{ss}", "reason", strerror(-r)));
		return;
	}
	api_hints_arm(h);
	orders_ask(h->api->w->orders, f->fs->dev, c->lease.write_size);
	vl_call_reply(c->call,
		      vl_call_oneway(c->call) ? NULL : placed(f, &hint, &c->look.file));
}

static struct hint known_hint(struct api_hints *h, const struct plan_fs *f,
			      const struct hint_file *file)
{
	const struct hint_lease *l = hint_leases_find(h->leases, f->fs->dev, file->ino);
	const struct hint_rules *r = engine_hint_rules(h->api->w->engine);
	struct engine_ino_stat s = {.rule = -1};

	if (l)
		return (struct hint){l->write_size, l->file_size};
	(void)engine_get_ino_stat(h->api->w->engine, f->fs->dev, file->ino, &s);
	if (!r || !s.tracked || s.rule < 0 || (size_t)s.rule >= r->n)
		return (struct hint){0};
	return r->v[s.rule].hint;
}

static void answer_query(struct hint_call *c, const struct plan_fs *f)
{
	struct hint hint = known_hint(c->hints, f, &c->look.file);
	json_t *j = placed(f, &hint, &c->look.file);

	json_object_set_new(j, "write_size",
			    hint.write_size ? api_u64(hint.write_size) : json_null());
	json_object_set_new(j, "file_size",
			    hint.file_size ? api_u64(hint.file_size) : json_null());
	vl_call_reply(c->call, j);
}

static void answer(struct hint_call *c)
{
	const struct plan_fs *f;

	if (c->look.error) {
		look_failed(c, c->look.error);
		return;
	}
	f = api_find_dev(c->hints->api, c->look.file.dev);
	if (!f || !f->managed) { /* not any more */
		not_managed(c, f);
		return;
	}
	if (c->verb != VERB_QUERY && !c->look.file.writable) {
		bad_descriptor(c->call, "it is not open for writing");
		return;
	}
	c->lease.dev = c->look.file.dev;
	c->lease.ino = c->look.file.ino;
	if (c->verb == VERB_HINT) {
		answer_hint(c, f);
	} else if (c->verb == VERB_QUERY) {
		answer_query(c, f);
	} else {
		(void)hint_leases_drop(c->hints->leases, c->lease.dev, c->lease.ino,
				       c->lease.owner, c->lease.uid);
		vl_call_reply(c->call, json_object());
	}
}

/* ---- waiting ------------------------------------------------------------------ */

static void on_looked(struct hint_look *l)
{
	struct hint_call *c = (struct hint_call *)l;

	unlink_call(c);
	if (c->call)
		answer(c);
	free(c);
}

static void on_gone(void *arg)
{
	struct hint_call *c = arg;

	c->call = NULL;
}

void api_hint_calls_patience(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct api_hints *h = t->data;
	uint32_t now = api_hints_now();

	(void)loop;
	(void)revents;
	for (struct hint_call *c = h->waiting; c; c = c->next) {
		struct vl_call *call = c->call;

		if (!call || now - c->since < PATIENCE_S)
			continue;
		c->call = NULL; /* the look goes on, for nobody */
		bad_descriptor(call, "its file system does not answer");
	}
}

/* They keep what stat(2) tells in memory as long as a file is open. */
static bool is_quick(const struct fsys *f)
{
	static const char *const types[] = {"xfs", "ext4", "btrfs", "f2fs"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (f->class == FSYS_LOCAL && !strcmp(f->type, types[i]))
			return true;
	return false;
}

/* What the threads may touch is what the plan now says. */
static int tell_managed(struct api_hints *h)
{
	const struct plan *p = engine_plan(h->api->w->engine);
	struct hint_managed *v;
	size_t n = 0;
	int r;

	if (h->plans == h->api->w->plans)
		return 0;
	v = calloc((p ? p->n : 0) + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; p && i < p->n; i++)
		if (p->v[i].managed)
			v[n++] = (struct hint_managed){p->v[i].fs->dev,
						       is_quick(p->v[i].fs)};
	r = hint_fds_set_managed(h->fds, v, n);
	free(v);
	if (r == 0)
		h->plans = h->api->w->plans;
	return r;
}

/* /proc asks no file system; a connection mostly speaks for one program. */
static void note_comm(struct api_hints *h, struct vl_call *call, char comm[16])
{
	uint64_t id = vl_call_conn_id(call);
	struct api_hint_caller *k = &h->callers[id % API_HINT_CALLERS];
	struct hint_proc p = {0};

	if (k->conn != id) {
		k->conn = id;
		strcpy(k->comm, "?");
		if (hint_proc_read("", vl_call_pid(call), &p) == 0)
			memcpy(k->comm, p.comm, sizeof(k->comm));
	}
	memcpy(comm, k->comm, sizeof(k->comm));
}

static void fill(struct hint_call *c, struct api_hints *h, struct vl_call *call,
		 enum verb verb, const struct hint *hint)
{
	c->hints = h;
	c->call = call;
	c->verb = verb;
	c->since = api_hints_now();
	c->lease = (struct hint_lease){
		.write_size = hint->write_size,
		.file_size = hint->file_size,
		.owner = vl_call_conn_id(call),
		.since = c->since,
		.seen = c->since,
		.pid = vl_call_pid(call),
		.uid = vl_call_uid(call),
		.keep = api_param_bool(call, "keep"),
	};
	note_comm(h, call, c->lease.comm);
	c->look.uid = vl_call_uid(call);
	c->look.done = on_looked;
}

/* Nobody waits for what XFS would say of the file. */
static bool take_at_once(const struct hint_call *c, int fd)
{
	struct hint_call now = *c;

	if (!vl_call_oneway(c->call) || c->verb == VERB_QUERY ||
	    hint_fds_glance(c->hints->fds, c->look.uid, fd, &now.look.file) < 0)
		return false;
	answer(&now);
	return true;
}

/* The descriptor is looked at by a thread, then the call is answered. */
static void look(const struct hint_call *from, int fd)
{
	struct api_hints *h = from->hints;
	struct hint_call *c = malloc(sizeof(*c));

	if (!c) {
		hint_fds_close(h->fds, from->look.uid, fd);
		no_memory(from->call);
		return;
	}
	*c = *from;
	if (hint_fds_look(h->fds, fd, &c->look) < 0) {
		limit_reached(c->call, HINT_FD_WAITING);
		free(c);
		return;
	}
	link_call(c);
	vl_call_defer(c->call, on_gone, c);
}

static void submit(struct api *a, struct vl_call *call, enum verb verb,
		   const struct hint *hint)
{
	struct api_hints *h = a->hints;
	int fd = vl_call_take_fd(call);
	struct hint_call c = {0};

	if (fd < 0) {
		bad_descriptor(call, "no descriptor came with the call");
		return;
	}
	if (tell_managed(h) < 0) {
		hint_fds_close(h->fds, vl_call_uid(call), fd);
		no_memory(call);
		return;
	}
	fill(&c, h, call, verb, hint);
	if (!take_at_once(&c, fd))
		look(&c, fd);
}

void api_hint(struct api *a, struct vl_call *call)
{
	int64_t write_size = api_param_int(call, "write_size", 0);
	int64_t file_size = api_param_int(call, "file_size", 0);
	const struct hint hint = {(uint64_t)write_size, (uint64_t)file_size};

	if (write_size < 0 || (!write_size && file_size <= 0))
		api_fail_param(call, file_size < 0 ? "file_size" : "write_size");
	else if (file_size < 0)
		api_fail_param(call, "file_size");
	else
		submit(a, call, VERB_HINT, &hint);
}

void api_hint_clear(struct api *a, struct vl_call *call)
{
	const struct hint none = {0, 0};

	submit(a, call, VERB_CLEAR, &none);
}

void api_query(struct api *a, struct vl_call *call)
{
	const struct hint none = {0, 0};

	submit(a, call, VERB_QUERY, &none);
}

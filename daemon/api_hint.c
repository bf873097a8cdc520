// SPDX-License-Identifier: GPL-2.0-or-later
/* Hints: the leases' life, what the engine is told of them, and their list. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "daemon/api_hint.h"

#define KEEP_IDLE_S   600
#define SWEEP_EVERY_S 30.
#define SWEEP_SLICE   2000 /* leases freed per turn of the loop */
#define LISTED_MAX    1000

uint32_t api_hints_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint32_t)t.tv_sec + KEEP_IDLE_S; /* so that "idle since" is not below 0 */
}

/* ---- the engine asks -------------------------------------------------------- */

static bool find(void *arg, dev_t dev, uint64_t ino, bool dirtied, struct hint *ret)
{
	struct api_hints *h = arg;
	const struct hint_lease *l = hint_leases_find(h->leases, dev, ino);

	if (!l)
		return false;
	*ret = (struct hint){l->write_size, l->file_size};
	if (dirtied)
		hint_leases_touch(h->leases, dev, ino, api_hints_now());
	return true;
}

/* ---- life ------------------------------------------------------------------- */

void api_hints_arm(struct api_hints *h)
{
	if (hint_leases_pending(h->leases) && !ev_is_active(&h->sweep)) {
		ev_timer_set(&h->sweep, SWEEP_EVERY_S, 0.);
		ev_timer_start(h->api->w->loop, &h->sweep);
	}
}

static void on_sweep(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct api_hints *h = t->data;
	uint32_t oldest = api_hints_now() - KEEP_IDLE_S;

	(void)revents;
	ev_timer_stop(loop, t);
	if (hint_leases_sweep(h->leases, oldest, SWEEP_SLICE)) {
		ev_timer_set(t, 0., 0.); /* the rest after what else is due */
		ev_timer_start(loop, t);
		return;
	}
	api_hints_arm(h);
}

void api_hints_closed(struct api_hints *h, uint64_t conn)
{
	hint_fds_flush(h->fds);
	hint_leases_end_owner(h->leases, conn);
	if (!hint_leases_pending(h->leases))
		return;
	ev_timer_stop(h->api->w->loop, &h->sweep);
	ev_timer_set(&h->sweep, 0., 0.);
	ev_timer_start(h->api->w->loop, &h->sweep);
}

void api_hints_drop_fd(struct api_hints *h, uid_t uid, int fd)
{
	hint_fds_close(h->fds, uid, fd);
}

bool api_hints_room_fd(struct api_hints *h, uid_t uid)
{
	return hint_fds_room(h->fds, uid);
}

static void on_room(void *arg)
{
	const struct api *a = arg;

	if (a->server) /* not before the first client, nor after the last */
		vl_server_resume(a->server);
}

int api_hints_new(struct api *a, struct api_hints **ret)
{
	struct api_hints *h = calloc(1, sizeof(*h));
	int r = h ? hint_leases_new(&h->leases) : -ENOMEM;

	if (r == 0)
		r = hint_fds_new(a->w->loop, on_room, a, &h->fds);
	if (r < 0) {
		if (h)
			hint_leases_free(h->leases);
		free(h);
		return r;
	}
	h->api = a;
	h->plans = UINT64_MAX;
	h->ask = (struct engine_hints){find, h};
	ev_timer_init(&h->sweep, on_sweep, 0., 0.);
	ev_timer_init(&h->patience, api_hint_calls_patience, 1., 1.);
	h->sweep.data = h->patience.data = h;
	engine_set_hints(a->w->engine, &h->ask);
	*ret = h;
	return 0;
}

struct api_hints *api_hints_free(struct api_hints *h)
{
	if (!h)
		return NULL;
	engine_set_hints(h->api->w->engine, NULL);
	ev_timer_stop(h->api->w->loop, &h->sweep);
	ev_timer_stop(h->api->w->loop, &h->patience);
	hint_fds_free(h->fds);
	hint_leases_free(h->leases);
	free(h);
	return NULL;
}

/* ---- effects ---------------------------------------------------------------- */

static json_t *effect(const char *name, const char *why_not)
{
	return json_pack("{ss sb so}", "name", name, "in_force", why_not ? 0 : 1, "why",
			 why_not ? json_string(why_not) : json_null());
}

static const char *why_no_stride(const struct plan_fs *f, const struct hint *hint)
{
	const struct judge_conf c = {
		.after = f->flush.after,
		.age_ms = f->flush.age_ms,
		.cool_ms = f->flush.cool_ms,
		.stride = f->flush.stride,
	};
	struct judge_conf unused;

	if (!hint_is_set(hint))
		return "nobody has said anything of this file";
	return hint_flush(&c, hint, &unused);
}

json_t *api_effects(const struct plan_fs *f, const struct hint *hint,
		    const struct hint_file *file)
{
	json_t *list = json_array();

	if (file)
		json_array_append_new(list, effect("xfs-extsize", hint_extsize(file)));
	json_array_append_new(list, effect("flush-stride", why_no_stride(f, hint)));
	if (file)
		json_array_append_new(list, effect("folio-order", hint_order(file)));
	return list;
}

/* ---- the list ---------------------------------------------------------------- */

struct listing {
	struct api *api;
	json_t *list;
	uint32_t now;
};

static json_t *size_or_null(uint64_t v)
{
	return v ? api_u64(v) : json_null();
}

static void list_one(const struct hint_lease *l, void *arg)
{
	const struct listing *s = arg;
	const struct plan_fs *f = api_find_dev(s->api, l->dev);
	const struct hint hint = {l->write_size, l->file_size};

	json_array_append_new(
		s->list,
		json_pack("{so so so so so si so so so so sb so}", "device",
			  api_dev(l->dev), "mount", vl_string(f ? f->fs->target : NULL),
			  "inode", api_u64(l->ino), "write_size",
			  size_or_null(l->write_size), "file_size",
			  size_or_null(l->file_size), "pid", (int)l->pid, "uid",
			  api_u64(l->uid), "program", vl_string(l->comm), "age_s",
			  api_u64(s->now - l->since), "idle_s", api_u64(s->now - l->seen),
			  "keep", (int)l->keep, "effects",
			  f ? api_effects(f, &hint, NULL) : json_array()));
}

void api_hint_list(struct api *a, struct vl_call *call)
{
	const struct hint_leases *t = a->hints->leases;
	struct listing s = {a, json_array(), api_hints_now()};

	hint_leases_each(t, LISTED_MAX, list_one, &s);
	vl_call_reply(call, json_pack("{si so so so so}", "schema", API_SCHEMA, "count",
				      api_u64(hint_leases_count(t)), "count_max",
				      api_u64(a->w->conf->api_hints), "bytes",
				      api_u64(hint_leases_bytes(t)), "leases", s.list));
}

/* ---- for Explain ------------------------------------------------------------- */

static json_t *explained(const struct hint *h, const char *from, const char *who,
			 const char *where)
{
	return json_pack("{so so ss so so}", "write_size", size_or_null(h->write_size),
			 "file_size", size_or_null(h->file_size), "from", from, "who",
			 vl_string(who), "where", vl_string(where));
}

json_t *api_explained_hint(struct api *a, const struct plan_fs *f, uint64_t ino, int rule,
			   const char *path)
{
	const struct hint_lease *l = hint_leases_find(a->hints->leases, f->fs->dev, ino);
	const struct hint_rules *r = engine_hint_rules(a->w->engine);
	char who[80];

	if (!f->managed)
		return json_null();
	if (l) {
		const struct hint h = {l->write_size, l->file_size};

		snprintf(who, sizeof(who), "%s[%d] of user %u", l->comm, (int)l->pid,
			 l->uid);
		return explained(&h, "lease", who, NULL);
	}
	if (r && rule < 0 && path)
		rule = hint_rules_pick(r, path, 0);
	if (!r || rule < 0 || (size_t)rule >= r->n)
		return json_null();
	return explained(&r->v[rule].hint, "rule", r->v[rule].label, r->v[rule].where);
}

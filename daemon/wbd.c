/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Observe, decide, apply - and again whenever mounts or the configuration change. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/kern_want.h"
#include "daemon/log.h"
#include "daemon/log_ids.h"
#include "daemon/notify.h"
#include "daemon/order_watch.h"
#include "daemon/wbd.h"

static void say_status(const struct plan *p, const struct conf *c)
{
	size_t managed = 0;

	for (size_t i = 0; i < p->n; i++)
		managed += p->v[i].managed;
	if (c->engine == CONF_ENGINE_NONE)
		notify_status("Idle: engine mode is none");
	else
		notify_status("%zu of %zu file systems managed", managed, p->n);
}

static const char *root_of(const struct wbd *w)
{
	return w->opts.root ? w->opts.root : "";
}

/* That the kernel could do it, but wb may not use it, is said once. */
static void say_unused(struct wbd *w, const char *why)
{
	if (!w->kern_told)
		log_warn("the kernel's writeback contexts are not used: %s", why);
	w->kern_told = true;
}

/* What the kernel engine has to work with; false: nothing, or it may not be used. */
static bool observe_kernel(struct wbd *w, const struct conf *c,
			   const struct fsys_table *t, struct kern_state *ret)
{
	char why[256] = "";
	int r;

	if (c->engine == CONF_ENGINE_USER || c->engine == CONF_ENGINE_NONE)
		return false;
	r = kern_probe(root_of(w), why, sizeof(why));
	if (r == -ENOENT)
		return false;
	if (r == 0 && !w->knobs && !w->opts.dry_run) {
		(void)snprintf(why, sizeof(why),
			       "%s/knobs cannot be used, so nothing "
			       "could be given back",
			       w->opts.runtime_dir);
		r = -EBADMSG;
	}
	if (r == 0)
		r = kern_scan(root_of(w), t, ret);
	if (r < 0) {
		say_unused(w, *why ? why : strerror(-r));
		return false;
	}
	w->kern_told = false;
	if (w->knobs)
		kern_ask_knobs(w->knobs, t, ret);
	for (size_t i = 0; i < ret->n; i++)
		if (ret->v[i].usable && ret->v[i].large_folios)
			ret->v[i].order_want =
				orders_of(w->orders, t->v[i]->dev, ret->v[i].id);
	return true;
}

/* ---- the search for the number of contexts ------------------------------------ */

static bool search_active(void *arg, const char *bdi)
{
	const struct wbd *w = arg;

	return engine_is_active(w->engine, bdi);
}

static bool search_refused(void *arg, const char *bdi)
{
	const struct wbd *w = arg;
	const struct knob_entry *e =
		w->knobs ? knobs_find(w->knobs, KNOB_CONTEXTS, bdi) : NULL;

	return e && (e->state == KNOB_REFUSED || e->state == KNOB_UNSUPPORTED);
}

static void search_changed(void *arg)
{
	(void)wbd_rescan(arg);
}

static void search_wake(void *arg)
{
	searches_wake(arg);
}

int wbd_search_new(struct wbd *w)
{
	const struct search_ops ops = {
		.active = search_active,
		.refused = search_refused,
		.changed = search_changed,
		.arg = w,
	};
	CLEANUP(cleanup_freep) char *dir = NULL;
	int r;

	if (w->opts.state_dir)
		dir = strdup(w->opts.state_dir);
	else if (asprintf(&dir, "%s/" STATE_DIR, root_of(w)) < 0)
		dir = NULL;
	if (!dir)
		return -ENOMEM;
	r = searches_new(w->loop, root_of(w), dir, w->opts.sample_ms, &ops, &w->searches);
	if (r == 0 && w->engine)
		engine_on_dirty(w->engine, search_wake, w->searches);
	return r;
}

static int observe_and_decide(struct wbd *w, const struct conf *c, struct fsys_table **t,
			      struct plan **p)
{
	struct kern_state kern = {0};
	struct plan_search *search = NULL;
	struct plan_env env = {0};
	char why[256];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int r;

	env.cpus = cpus > 0 ? (unsigned)cpus : 1;
	env.user_engine = feats_user_engine(&w->feats, why, sizeof(why));
	env.why_not = env.user_engine ? NULL : why;
	r = fsys_scan(root_of(w), t);
	if (r < 0) {
		log_err("cannot read the mount table %s/proc/self/mountinfo: %s",
			w->opts.root ? w->opts.root : "", strerror(-r));
		return r;
	}
	env.kern = observe_kernel(w, c, *t, &kern) ? &kern : NULL;
	r = searches_numbers(w->searches, c, *t, &search);
	env.search = search;
	if (r >= 0)
		r = plan_decide(*t, c, &env, p);
	free(search);
	kern_state_clear(&kern);
	if (r < 0) {
		fsys_table_free(*t);
		log_err("cannot make a plan: %s", strerror(-r));
	}
	return r;
}

static int want(struct wbd *w, const struct conf *c, const struct plan *p)
{
	struct knob_wants wants;
	int r;

	if (!w->knobs)
		return 0;
	r = kern_wants(p, c, &wants);
	if (r == 0)
		knobs_set_engine(w->knobs, &wants);
	return r;
}

/* The search may answer the plan with other numbers: the groups are others now. */
static int decide_with_search(struct wbd *w, const struct conf *c, struct fsys_table **t,
			      struct plan **p)
{
	int r = observe_and_decide(w, c, t, p);

	if (r < 0 || !searches_follow(w->searches, *p))
		return r;
	plan_free(*p);
	fsys_table_free(*t);
	r = observe_and_decide(w, c, t, p);
	if (r == 0)
		(void)searches_follow(w->searches, *p);
	return r;
}

static int apply(struct wbd *w, const struct conf *c)
{
	struct fsys_table *t = NULL;
	struct plan *p = NULL;
	int r = decide_with_search(w, c, &t, &p);

	if (r < 0)
		return r;
	r = want(w, c, p);
	if (r < 0) {
		plan_free(p);
		fsys_table_free(t);
		return r;
	}
	say_status(p, c);
	w->plans++;
	r = engine_apply(w->engine, c, t, p); /* takes both over */
	if (r == 0 && w->knobs)
		knobs_apply(w->knobs, c);
	return r;
}

int wbd_rescan(struct wbd *w)
{
	return apply(w, w->conf);
}

int wbd_dry_run(struct wbd *w)
{
	struct knob_wants wants = {0};
	struct fsys_table *t = NULL;
	struct plan *p = NULL;
	int r = wbd_search_new(w);

	if (r == 0)
		r = observe_and_decide(w, w->conf, &t, &p);
	if (r < 0)
		return r;
	plan_print(p, stdout);
	searches_print(w->searches, p, stdout);
	r = kern_wants(p, w->conf, &wants);
	kern_print(root_of(w), &wants, stdout);
	knob_wants_clear(&wants);
	plan_free(p);
	fsys_table_free(t);
	return r;
}

int wbd_load(struct wbd *w, struct conf **ret)
{
	struct conf_diags diags = {0};
	int r = conf_load(root_of(w), w->opts.conf_path, ret, &diags);

	for (size_t i = 0; i < diags.n; i++)
		log_msg(diags.v[i].error ? LOG_ERR : LOG_WARNING, "%s", diags.v[i].text);
	if (r < 0) {
		free(w->last_reload_error);
		w->last_reload_error = NULL;
		for (size_t i = 0; i < diags.n && !w->last_reload_error; i++)
			if (diags.v[i].error)
				w->last_reload_error = strdup(diags.v[i].text);
	}
	conf_diags_clear(&diags);
	return r;
}

static void say_refused(const struct wbd *w)
{
	const struct log_field fields[] = {
		{"WB_REASON", w->last_reload_error},
		{NULL, NULL},
	};

	log_decision(LOG_ERR, LOG_ID_RELOAD_REFUSED, fields,
		     "the configuration was not reloaded; the one before stays in force");
}

/* What is fixed while the engine runs. */
static void say_later(const struct conf *old, const struct conf *new)
{
	if (old->io != new->io || old->cpu_affinity != new->cpu_affinity)
		log_warn("engine.io and engine.cpu_affinity take effect at the next "
			 "start");
	if (old->source != new->source)
		log_warn("engine.source takes effect for file systems mounted from now "
			 "on");
}

int wbd_reload(struct wbd *w)
{
	static const struct log_field none[] = {{NULL, NULL}};
	struct conf *c;
	int r;

	notify_reloading();
	r = wbd_load(w, &c);
	if (r == 0) {
		say_later(w->conf, c);
		r = apply(w, c);
		if (r < 0)
			conf_free(c);
	}
	if (r == 0) {
		conf_free(w->conf);
		w->conf = c;
		free(w->last_reload_error);
		w->last_reload_error = NULL;
		w->reloads++;
		log_decision(LOG_INFO, LOG_ID_RELOAD_OK, none, "configuration reloaded");
	} else {
		say_refused(w);
	}
	notify_ready();
	return r;
}

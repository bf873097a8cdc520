// SPDX-License-Identifier: GPL-2.0-or-later
/* From what is wanted to what is written, and back: see knob.h for the rules. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/knob.h"
#include "daemon/log.h"
#include "daemon/log_ids.h"

#define SPEED_EVERY_S 10.

struct knobs {
	struct ev_loop *loop;
	const char *root, *dir;
	const struct conf *conf;
	struct knob_journal j;
	bool dirty; /* the file is behind */
	ev_timer measure;
	struct knob_speed *speed; /* of devices with dirty_time */
	size_t n_speed;
	struct knob_wants engine;
	void (*listener)(const struct knob_news *n, void *arg);
	void *listener_arg;
};

/* ---- saying ---------------------------------------------------------------- */

/* A map has several lines. */
static void on_one_line(char *s)
{
	for (; *s; s++)
		if (*s == '\n')
			*s = ',';
}

static void say(const struct knobs *k, int level, const struct knob_entry *e,
		const char *old, const char *new, char *what)
{
	const struct knob_news news = {.e = e, .old = old, .new = new, .what = what};
	const struct log_field fields[] = {
		{"WB_KNOB", knob_name(e->kind)},
		{"WB_BDI", e->dev},
		{"WB_OLD", old},
		{"WB_NEW", new},
		{NULL, NULL},
	};

	on_one_line(what);
	log_decision(level, LOG_ID_KNOB, fields, "%s%s%s: %s", *e->dev ? e->dev : "",
		     *e->dev ? " " : "", knob_name(e->kind), what);
	if (k->listener)
		k->listener(&news, k->listener_arg);
}

static void say_written(const struct knobs *k, const struct knob_entry *e,
			const char *old)
{
	char what[3 * KNOB_VALUE];

	(void)snprintf(what, sizeof(what), "%s instead of %s (%s)", e->wanted, old,
		       e->where);
	say(k, LOG_INFO, e, old, e->wanted, what);
}

static void say_failed(const struct knobs *k, const struct knob_entry *e)
{
	char what[3 * KNOB_VALUE];

	(void)snprintf(what, sizeof(what),
		       "%s cannot be written (%s): %s: %s; correct %s", e->wanted,
		       knob_state_name(e->state), strerror(e->error),
		       e->state == KNOB_TRANSIENT ? "it is tried again later"
						  : "it is left alone",
		       e->where);
	say(k, LOG_WARNING, e, e->original, e->wanted, what);
}

static void say_manual(const struct knobs *k, const struct knob_entry *e, const char *now)
{
	char what[3 * KNOB_VALUE];

	(void)snprintf(what, sizeof(what),
		       "it is %s and not %s as wb left it: somebody else has changed it, "
		       "and it is theirs",
		       now, e->ours);
	say(k, LOG_NOTICE, e, e->ours, now, what);
}

/* ---- one knob --------------------------------------------------------------- */

static int save(struct knobs *k)
{
	int r = knob_journal_save(k->root, k->dir, &k->j);

	if (r < 0)
		log_err("%s/knobs cannot be written: %s; kernel settings stay as they "
			"are",
			k->dir, strerror(-r));
	else
		k->dirty = false;
	return r;
}

static void set_state(struct knobs *k, struct knob_entry *e, int error)
{
	enum knob_state s = knob_classify(k->root, e->kind, e->dev, error);
	bool news = e->state != s || e->error != -error;

	e->state = s;
	e->error = -error;
	k->dirty |= news;
	if (error && news)
		say_failed(k, e);
}

/* The original is on disk before the write, what became of it after. */
static void write_one(struct knobs *k, struct knob_entry *e)
{
	char path[256], state[256], old[KNOB_VALUE] = "?", now[KNOB_VALUE];
	int r;

	e->pending = e->written = true;
	if (save(k) < 0) {
		e->pending = e->written = false;
		e->state = KNOB_TRANSIENT;
		return;
	}
	knob_path(e->kind, e->dev, path);
	knob_state_path(e->kind, e->dev, state);
	(void)knob_read(k->root, path, old); /* for the log */
	r = knob_put(k->root, e->kind, e->dev, e->identity, path, e->wanted);
	/* A number of contexts that took too long to be left is in force all the same,
	 * and the kernel goes on moving what was in them. */
	if (r == -EINTR && knob_read(k->root, state, now) == 0 &&
	    knob_same(e->kind, now, e->wanted))
		r = 0;
	if (r == 0)
		r = knob_read(k->root, state, e->ours);
	e->pending = false;
	k->dirty = true;
	if (r < 0 && !*e->ours)
		e->written = false; /* nothing of ours is there */
	set_state(k, e, r);
	if (r == 0)
		say_written(k, e, old);
}

/* Does the kernel have the value that the last write left?  An interrupted write
 * leaves it open: then whatever is there is taken for ours. */
static bool still_ours(struct knobs *k, struct knob_entry *e, const char *now)
{
	if (e->pending) {
		(void)snprintf(e->ours, sizeof(e->ours), "%s", now);
		e->pending = false;
		k->dirty = true;
	}
	return !strcmp(e->ours, now);
}

static void apply_known(struct knobs *k, struct knob_entry *e, const struct knob_want *w,
			const char *now)
{
	if (!still_ours(k, e, now)) {
		if (e->state != KNOB_MANUAL)
			say_manual(k, e, now);
		k->dirty |= e->state != KNOB_MANUAL;
		e->state = KNOB_MANUAL;
		e->error = 0;
		return;
	}
	k->dirty |= strcmp(e->where, w->where) != 0;
	(void)snprintf(e->where, sizeof(e->where), "%s", w->where);
	if (knob_same(e->kind, e->wanted, w->value) && e->state != KNOB_TRANSIENT &&
	    e->state != KNOB_REFUSED) {
		set_state(k, e, 0);
		return;
	}
	(void)snprintf(e->wanted, sizeof(e->wanted), "%s", w->value);
	write_one(k, e);
}

/* Where the file tells the value itself, one that is there already is left alone. */
static bool is_there(const struct knob_entry *e, const char *now)
{
	char path[256], state[256];

	knob_path(e->kind, e->dev, path);
	knob_state_path(e->kind, e->dev, state);
	return !strcmp(path, state) && knob_same(e->kind, e->wanted, now);
}

static void apply_new(struct knobs *k, struct knob_entry *e, const char *now)
{
	(void)snprintf(e->original, sizeof(e->original), "%s", now);
	if (is_there(e, now)) {
		set_state(k, e, 0);
		return;
	}
	write_one(k, e);
}

static struct knob_entry *entry_for(struct knobs *k, const struct knob_want *w)
{
	struct knob_entry *e = knob_journal_find(&k->j, w->kind, w->dev);
	char identity[80];

	knob_identity(k->root, w->kind, w->dev, identity);
	if (*w->identity && strcmp(w->identity, identity) != 0)
		return NULL; /* gone since it was looked at: the next look will tell */
	if (e && strcmp(e->identity, identity) != 0) {
		/* The number belongs to another device now: nothing is owed to it. */
		knob_journal_del(&k->j, e);
		e = NULL;
	}
	if (e)
		return e;
	e = knob_journal_add(&k->j);
	if (!e)
		return NULL;
	k->dirty = true;
	e->kind = w->kind;
	e->state = KNOB_GONE; /* so that the first result is news */
	(void)snprintf(e->dev, sizeof(e->dev), "%s", w->dev);
	memcpy(e->identity, identity, sizeof(identity));
	(void)snprintf(e->wanted, sizeof(e->wanted), "%s", w->value);
	(void)snprintf(e->where, sizeof(e->where), "%s", w->where);
	return e;
}

static void apply_one(struct knobs *k, const struct knob_want *w)
{
	struct knob_entry *e = entry_for(k, w);
	char state[256], now[KNOB_VALUE];
	int r;

	if (!e)
		return;
	e->used = true;
	knob_state_path(e->kind, e->dev, state);
	r = knob_read(k->root, state, now);
	if (r < 0) {
		set_state(k, e, r);
	} else if (e->written) {
		apply_known(k, e, w, now);
	} else {
		(void)snprintf(e->wanted, sizeof(e->wanted), "%s", w->value);
		apply_new(k, e, now);
	}
}

/* ---- restoring ----------------------------------------------------------------- */

static void give_back(struct knobs *k, struct knob_entry *e)
{
	int r = knob_restore(k->root, e, false);
	char what[2 * KNOB_VALUE];

	if (r == -ENODATA || (r == -ENODEV && knob_of_fs(e->kind)))
		return; /* what was unmounted is owed nothing */
	if (r == 0)
		(void)snprintf(what, sizeof(what), "%s again, as it was found",
			       e->original);
	else
		(void)snprintf(what, sizeof(what), "does not get %s back: %s",
			       e->original,
			       r == -EEXIST ? "somebody else has changed it meanwhile"
					    : strerror(-r));
	say(k, r == 0 || r == -EEXIST || r == -ENODEV ? LOG_INFO : LOG_WARNING, e,
	    e->ours, e->original, what);
}

static void let_go_of(struct knobs *k, bool restore, bool late)
{
	for (size_t i = k->j.n; i--;) {
		struct knob_entry *e = &k->j.v[i];

		if (e->used || knob_is_late(e->kind) != late)
			continue;
		if (!restore && e->written)
			continue; /* rollback still knows it */
		give_back(k, e);
		knob_journal_del(&k->j, e);
		k->dirty = true;
	}
}

/* Entries that nothing asks for any more. */
static void let_go(struct knobs *k, bool restore)
{
	let_go_of(k, restore, false);
	let_go_of(k, restore, true);
}

/* ---- bandwidth ------------------------------------------------------------------ */

static uint64_t speed_of(void *arg, const char *bdi)
{
	const struct knobs *k = arg;

	for (size_t i = 0; i < k->n_speed; i++)
		if (!strcmp(k->speed[i].bdi, bdi))
			return k->speed[i].rate;
	return 0;
}

static struct knob_speed *speed_get(struct knobs *k, const char *bdi)
{
	struct knob_speed *v;

	for (size_t i = 0; i < k->n_speed; i++)
		if (!strcmp(k->speed[i].bdi, bdi))
			return &k->speed[i];
	v = reallocarray(k->speed, k->n_speed + 1, sizeof(*v));
	if (!v)
		return NULL;
	k->speed = v;
	v[k->n_speed] = (struct knob_speed){0};
	(void)snprintf(v[k->n_speed].bdi, sizeof(v->bdi), "%s", bdi);
	return &v[k->n_speed++];
}

/* True: some rate is another one.  @ret_any: there is something to measure. */
static bool measure(struct knobs *k, bool *ret_any)
{
	bool changed = false;

	*ret_any = false;
	for (size_t i = 0; i < k->conf->n_knob; i++) {
		const struct conf_knob *c = &k->conf->knob[i];
		struct knob_stat now;
		struct knob_speed *s;
		char bdi[KNOB_DEV];

		if (c->dirty_ms == CONF_OFF || c->max_bytes != CONF_OFF)
			continue;
		*ret_any = true;
		if (knob_bdi_of(k->root, c->device, bdi) < 0 ||
		    knob_stat_read(k->root, bdi, &now) < 0)
			continue;
		s = speed_get(k, bdi);
		changed |= s && knob_speed_add(s, &now);
	}
	return changed;
}

/* What is in force stays while the rate changes little. */
static void steady(const struct knobs *k, struct knob_want *w)
{
	const struct knob_entry *e = knob_journal_find(&k->j, w->kind, w->dev);
	uint64_t now = e ? strtoull(e->wanted, NULL, 10) : 0;
	uint64_t want = strtoull(w->value, NULL, 10);

	if (w->kind == KNOB_MAX_BYTES && e && e->written && speed_of((void *)k, w->dev) &&
	    knob_bytes_for(want, 1000, now) == now)
		(void)snprintf(w->value, sizeof(w->value), "%s", e->wanted);
}

/* ---- all of them ------------------------------------------------------------------ */

static void follow(struct knobs *k)
{
	struct knob_wants w;

	if (knob_plan(k->root, k->conf, speed_of, k, &w) < 0)
		return;
	for (size_t i = 0; i < k->j.n; i++)
		k->j.v[i].used = false;
	for (size_t i = 0; i < w.n; i++) {
		steady(k, &w.v[i]);
		apply_one(k, &w.v[i]);
	}
	for (size_t i = 0; i < k->engine.n; i++)
		apply_one(k, &k->engine.v[i]);
	let_go(k, k->conf->restore != CONF_RESTORE_NEVER);
	if (k->dirty)
		(void)save(k);
	knob_wants_clear(&w);
}

static void on_measure(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct knobs *k = t->data;
	bool any;

	(void)revents;
	if (measure(k, &any))
		follow(k);
	if (!any)
		ev_timer_stop(loop, t);
}

void knobs_set_engine(struct knobs *k, struct knob_wants *w)
{
	knob_wants_clear(&k->engine);
	k->engine = *w;
	*w = (struct knob_wants){0};
}

void knobs_listen(struct knobs *k, void (*fn)(const struct knob_news *n, void *arg),
		  void *arg)
{
	k->listener = fn;
	k->listener_arg = arg;
}

const struct knob_entry *knobs_find(const struct knobs *k, enum knob_kind kind,
				    const char *dev)
{
	return knob_journal_find(&k->j, kind, dev);
}

bool knobs_manual(const struct knobs *k, enum knob_kind kind, const char *dev)
{
	const struct knob_entry *e = knobs_find(k, kind, dev);
	char state[256], now[KNOB_VALUE], identity[80];

	if (!e || !e->written || e->pending)
		return false;
	knob_identity(k->root, kind, dev, identity);
	knob_state_path(kind, dev, state);
	return !strcmp(identity, e->identity) && knob_read(k->root, state, now) == 0 &&
	       strcmp(now, e->ours) != 0;
}

void knobs_apply(struct knobs *k, const struct conf *c)
{
	bool any;

	k->conf = c;
	(void)measure(k, &any);
	if (any && !ev_is_active(&k->measure))
		ev_timer_again(k->loop, &k->measure);
	follow(k);
}

int knobs_new(struct ev_loop *loop, const char *root, const char *dir, struct knobs **ret)
{
	struct knobs *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return -ENOMEM;
	k->loop = loop;
	k->root = root;
	k->dir = dir;
	ev_timer_init(&k->measure, on_measure, 0., SPEED_EVERY_S);
	k->measure.data = k;
	r = knob_journal_load(root, dir, &k->j);
	if (r < 0)
		/* Going on without it would take our own values for originals. */
		log_err("%s/knobs cannot be read: %s; look at what it says, put the "
			"kernel's settings right and remove it",
			dir, r == -EBADMSG ? "it is damaged" : strerror(-r));
	if (r < 0) {
		free(k);
		return r;
	}
	*ret = k;
	return 0;
}

struct knobs *knobs_free(struct knobs *k)
{
	if (!k)
		return NULL;
	ev_timer_stop(k->loop, &k->measure);
	if (k->conf && k->conf->restore == CONF_RESTORE_STOP) {
		for (size_t i = 0; i < k->j.n; i++)
			k->j.v[i].used = false;
		let_go(k, true);
		if (k->dirty)
			(void)save(k);
	}
	knob_wants_clear(&k->engine);
	knob_journal_clear(&k->j);
	free(k->speed);
	free(k);
	return NULL;
}

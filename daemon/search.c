// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See search.h.
 *
 * A look reads the machine's dirty pages once and, for each device on which something
 * is dirty, its counters.  Looks are a second apart while data piles up somewhere, four
 * seconds while something is dirty, and after three looks at nothing there are none until
 * the user engine or the bell of the throttle rings.  A kernel without perf events has no
 * bell: then, and only for devices of the kernel engine, there is a look every ten
 * seconds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/kern.h"
#include "daemon/log.h"
#include "daemon/search_int.h"

#define LIGHT_LOOKS 4 /* a look for so many */
#define BLIND_S     10.0
#define QUIET_LOOKS 3

static void look_soon(struct searches *s);
static void on_heard(void *arg);

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* ---- devices --------------------------------------------------------------------- */

static struct search *find(const struct searches *s, const char *bdi)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i]->bdev.bdi, bdi))
			return s->v[i];
	return NULL;
}

const struct search *searches_find(const struct searches *s, const char *bdi)
{
	return s ? find(s, bdi) : NULL;
}

/* The same device as @d's, not one that came later under its name? */
static bool is_same(const struct searches *s, const struct search *d,
		    const struct bdev *b)
{
	return !strcmp(d->bdev.bdi, b->bdi) && !strcmp(d->bdev.name, b->name) &&
	       d->bdi_id == kern_dir_id(s->root, KERN_BDI_DIR, b->bdi);
}

static bool is_asked_for(const struct conf *c)
{
	bool yes = c->contexts == CONF_SEARCH;

	for (size_t i = 0; i < c->n_device && !yes; i++)
		yes = c->device[i].contexts == CONF_SEARCH;
	return yes;
}

static void number_of(struct searches *s, const struct fsys *f, struct plan_search *ret)
{
	const struct search *d = find(s, f->bdev.bdi);
	char id[KNEE_ID_LEN];

	if (!f->bdev.bdi[0])
		return;
	if (f->bdev.name[0] && knee_identify(s->root, f->bdev.name, id) == 0) {
		ret->user = search_remembered(s, false, id);
		ret->kernel = search_remembered(s, true, id);
	}
	if (d && is_same(s, d, &f->bdev))
		*(d->kernel ? &ret->kernel : &ret->user) = knee_contexts(&d->k);
}

int searches_numbers(struct searches *s, const struct conf *c, const struct fsys_table *t,
		     struct plan_search **ret)
{
	struct plan_search *v;

	*ret = NULL;
	if (!s || !is_asked_for(c))
		return 0;
	search_load(s);
	v = calloc(t->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		number_of(s, t->v[i], &v[i]);
	*ret = v;
	return 0;
}

static void forget(struct searches *s, size_t i)
{
	free(s->v[i]);
	s->v[i] = s->v[--s->n];
}

static struct search *add(struct searches *s, const struct plan_fs *f)
{
	struct search **v = reallocarray(s->v, s->n + 1, sizeof(struct search *));
	struct search *d = calloc(1, sizeof(*d));

	if (v)
		s->v = v;
	if (!v || !d) {
		free(d);
		return NULL;
	}
	d->bdev = f->fs->bdev;
	d->cap = f->search_cap;
	d->kernel = f->engine == PLAN_ENGINE_KERNEL;
	d->bdi_id = kern_dir_id(s->root, KERN_BDI_DIR, d->bdev.bdi);
	d->depth_max = load_depth_max(s->root, &d->bdev);
	if (knee_identify(s->root, d->bdev.name, d->id) < 0)
		d->id[0] = '\0';
	d->remembered = d->id[0] ? search_remembered(s, d->kernel, d->id) : 0;
	knee_init(&d->k, &(struct knee_conf){
				 .cap = f->search_cap,
				 .rotational = d->bdev.rotational,
				 .start = d->remembered,
			 });
	s->v[s->n++] = d;
	search_log_begin(d);
	return d;
}

/* What the kernel has refused stays refused until there are other groups. */
static void follow_cap(struct search *d, const struct plan_fs *f)
{
	bool same =
		d->cap == f->search_cap && d->bdev.rotational == f->fs->bdev.rotational;

	d->bdev = f->fs->bdev;
	d->cap = f->search_cap;
	if (!same)
		(void)knee_set_cap(&d->k, d->cap, d->bdev.rotational);
}

/* Does the plan want @d, and as it is? */
static bool is_wanted(const struct searches *s, const struct search *d,
		      const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].search &&
		    d->kernel == (p->v[i].engine == PLAN_ENGINE_KERNEL) &&
		    is_same(s, d, &p->v[i].fs->bdev))
			return true;
	return false;
}

/* The kernel is asked for pauses on all devices on which there is something to find. */
static void listen_to(struct searches *s)
{
	char(*names)[THROTTLE_NAME] = calloc(s->n + 1, THROTTLE_NAME);
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; names && i < s->n; i++)
		if (s->v[i]->k.state != KNEE_OFF &&
		    strlen(s->v[i]->bdev.bdi) < THROTTLE_NAME)
			strcpy(names[n++], s->v[i]->bdev.bdi);
	if (n && !s->throttle && !s->throttle_tried) {
		s->throttle_tried = true;
		r = throttle_new(s->loop, on_heard, s, &s->throttle);
	}
	if (s->throttle)
		r = throttle_follow(s->throttle, names, n);
	if (r < 0) {
		s->throttle = throttle_free(s->throttle);
		log_warn("throttled writers cannot be watched (%s): the search for the "
			 "number of contexts goes by dirty data alone",
			 strerror(-r));
	}
	free(names);
}

bool searches_follow(struct searches *s, const struct plan *p)
{
	bool differs = false;

	for (size_t i = s->n; i-- > 0;)
		if (!is_wanted(s, s->v[i], p))
			forget(s, i);
	for (size_t i = 0; i < p->n; i++) {
		const struct plan_fs *f = &p->v[i];
		struct search *d = f->search ? find(s, f->fs->bdev.bdi) : NULL;

		if (!f->search)
			continue;
		if (!d)
			d = add(s, f);
		if (!d)
			continue;
		follow_cap(d, f);
		differs |= knee_contexts(&d->k) != f->contexts;
	}
	listen_to(s);
	/* Something may be dirty already; and the bell is switched on by a look. */
	if (s->n)
		look_soon(s);
	return differs;
}

/* ---- one look -------------------------------------------------------------------- */

struct look {
	uint64_t now;
	struct load_dirty machine;
	bool busy, heavy, changed;
};

static void take_events(struct searches *s, struct search *d, unsigned ev, struct look *l)
{
	l->changed |= (ev & KNEE_EV_CONTEXTS) != 0;
	if (ev & KNEE_EV_TRIAL)
		search_log_trial(d);
	if (!(ev & KNEE_EV_FOUND))
		return;
	search_log_found(d);
	search_remember(s, d);
}

static void rest(struct searches *s, struct search *d, struct look *l)
{
	if (d->sampled)
		take_events(s, d, knee_idle(&d->k), l);
	d->sampled = false;
}

/* The kernel engine's number may not be in force: not taken, or not yet. */
static bool check_set(struct searches *s, struct search *d, struct look *l)
{
	unsigned want = knee_contexts(&d->k);

	d->set = !d->kernel || kern_contexts(s->root, d->bdev.bdi) == want;
	if (d->set || !s->ops.refused(s->ops.arg, d->bdev.bdi))
		return d->set;
	take_events(s, d, knee_refuse(&d->k, want), l);
	return false;
}

/* Is something dirty, and does it pile up? */
static bool is_active(struct searches *s, const struct search *d,
		      const struct load_dirty *dirty, uint64_t pause)
{
	if (pause != KNEE_UNKNOWN && pause)
		return true;
	if (dirty->own)
		return dirty->bytes >= dirty->mark / 16 && dirty->bytes > 0;
	if (!d->kernel)
		return s->ops.active(s->ops.arg, d->bdev.bdi);
	return dirty->bytes >= dirty->mark / 4;
}

static void sample(struct searches *s, struct search *d, const struct load_disks *is,
		   const struct load_dirty *dirty, uint64_t pause, struct look *l)
{
	struct knee_obs o;

	if (d->sampled && load_observe(&d->last, is, l->now - d->last_ms, dirty, pause,
				       d->depth_max, &o)) {
		o.unusable = !check_set(s, d, l);
		d->obs = o;
		d->samples++;
		take_events(s, d, knee_step(&d->k, &o), l);
	}
	d->last = *is;
	d->last_ms = l->now;
	d->sampled = true;
}

static void look_at(struct searches *s, struct search *d, struct look *l)
{
	struct load_dirty dirty;
	struct load_disks is;
	uint64_t pause;

	if (d->k.state == KNEE_OFF)
		return;
	pause = throttle_take(s->throttle, d->bdev.bdi);
	load_read_dirty(s->root, d->bdev.bdi, d->kernel, &l->machine, &dirty);
	/* A device that is gone has no counters, and soon no plan. */
	if (!is_active(s, d, &dirty, pause) ||
	    load_read_disks(s->root, &d->bdev, &is) < 0) {
		rest(s, d, l);
		return;
	}
	sample(s, d, &is, &dirty, pause, l);
	l->busy = true;
	l->heavy |= (pause != KNEE_UNKNOWN && pause) || dirty.bytes >= dirty.mark ||
		    (dirty.bytes >= dirty.mark / 4 && d->obs.written);
}

/* Are there devices that nothing tells of? */
static bool is_blind(const struct searches *s)
{
	for (size_t i = 0; i < s->n && !s->throttle; i++)
		if (s->v[i]->kernel && s->v[i]->k.state != KNEE_OFF)
			return true;
	return false;
}

double searches_look(struct searches *s, uint64_t now)
{
	struct look l = {.now = now};

	if (load_read_machine(s->root, &l.machine) < 0)
		return 0;
	throttle_read(s->throttle);
	for (size_t i = 0; i < s->n; i++)
		look_at(s, s->v[i], &l);
	s->quiet = l.busy ? 0 : s->quiet + 1;
	if (l.changed)
		s->ops.changed(s->ops.arg);
	if (l.heavy || l.changed)
		return s->period;
	if (s->quiet < QUIET_LOOKS)
		return l.busy ? s->period * LIGHT_LOOKS : s->period;
	return is_blind(s) ? BLIND_S : 0;
}

/* ---- time ----------------------------------------------------------------------------
 */

static void look_in(struct searches *s, double seconds)
{
	ev_timer_stop(s->loop, &s->timer);
	ev_now_update(s->loop);
	ev_timer_set(&s->timer, seconds, 0.);
	ev_timer_start(s->loop, &s->timer);
}

static void on_look(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct searches *s = w->data;
	double next = searches_look(s, now_ms());

	(void)loop;
	(void)revents;
	/* While it looks each second nobody need call. */
	throttle_bell(s->throttle, next > s->period || next <= 0);
	if (next > 0)
		look_in(s, next);
}

static void look_soon(struct searches *s)
{
	s->quiet = 0;
	if (!ev_is_active(&s->timer) ||
	    ev_timer_remaining(s->loop, &s->timer) > s->period)
		look_in(s, s->period);
}

static void on_heard(void *arg)
{
	look_soon(arg);
}

/* A trickle of dirty inodes is worth one look in a while. */
void searches_wake(struct searches *s)
{
	if (!s || !s->n || ev_is_active(&s->timer))
		return;
	s->quiet = QUIET_LOOKS - 1;
	look_in(s, s->period * LIGHT_LOOKS);
}

const char *searches_dir(const struct searches *s)
{
	return s->state_dir;
}

const char *searches_trouble(const struct searches *s)
{
	return s->trouble[0] ? s->trouble : NULL;
}

int searches_new(struct ev_loop *loop, const char *root, const char *state_dir,
		 unsigned sample_ms, const struct search_ops *ops, struct searches **ret)
{
	struct searches *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->loop = loop;
	s->root = root;
	s->period = (sample_ms ? sample_ms : KNEE_SAMPLE_MS) / 1000.;
	s->state_dir = strdup(state_dir);
	if (!s->state_dir) {
		free(s);
		return -ENOMEM;
	}
	if (ops)
		s->ops = *ops;
	ev_timer_init(&s->timer, on_look, 1., 0.);
	s->timer.data = s;
	*ret = s;
	return 0;
}

struct searches *searches_free(struct searches *s)
{
	if (!s)
		return NULL;
	if (s->loop)
		ev_timer_stop(s->loop, &s->timer);
	s->throttle = throttle_free(s->throttle);
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	free(s->state_dir);
	knee_store_clear(&s->store);
	free(s);
	return NULL;
}

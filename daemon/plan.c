// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * decide: which file systems are managed, and with how many contexts.
 *
 * The first rule that applies decides; one later in this list never overrules an
 * earlier one:
 *   1. [engine] mode = none: nothing is managed.
 *   2. A [mount] or [device] section says manage = no; it beats any manage = yes.
 *   3. An [exclude] section matches in all that it gives.
 *   4. The file system is read-only: there is nothing to write, named or not.
 *   5. Unless named (manage = yes in a [mount] or [device] section): snapshot,
 *      network, FUSE, stacked, memory, no backing device, a type that has not been
 *      tried, rotational, rotation unknown.
 *   6. No engine works here, named or not: the kernel's contexts where the kernel has
 *      them for this file system, else the user engine, as [engine] mode allows.
 *   7. One context, unless named: that is what the kernel has already.
 * Contexts belong to the backing device: those of a [device] section, else
 * [engine], else min(groups of all its managed file systems, CPUs, PLAN_AUTO_CAP).
 * `search`: what the search has come to so far, at most one for each group; never more
 * than one where the disk may rotate.  With one, the user engine only watches.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/plan.h"

#define NAME_LEN 64 /* of a kernel device, as fsys_device_name() returns it */

/* The configuration with its device matches resolved, once per plan. */
struct decide {
	const struct fsys_table *t;
	const struct conf *c;
	const struct plan_env *env;
	char (*device)[NAME_LEN];  /* per [device]; "" if there is no such device */
	char (*exclude)[NAME_LEN]; /* per [exclude] */
};

static void resolve(const struct fsys_table *t, const char *match, char *ret)
{
	if (!match || fsys_device_name(t->root ? t->root : "", match, ret) < 0)
		ret[0] = '\0';
}

/* A match that is no device here can still be what a recorded or vanished device
 * is called, or the bdi's name. */
static bool device_is(const struct fsys *f, const char *match, const char *name)
{
	return fsys_on_device(f, name) ||
	       (match && (fsys_on_device(f, match) || strcmp(match, f->bdev.bdi) == 0 ||
			  strcmp(match, f->source) == 0));
}

static void name_section(struct plan_fs *p, enum plan_rule rule, const char *label,
			 const char *where)
{
	p->rule = rule;
	(void)snprintf(p->label, sizeof(p->label), "%s", label ? label : "");
	(void)snprintf(p->where, sizeof(p->where), "%s", where ? where : "");
}

/* First [mount] section for any mount point of @f that says @manage (or any). */
static const struct conf_mount *mount_section(const struct conf *c, const struct fsys *f,
					      bool any, enum conf_manage manage)
{
	for (size_t i = 0; i < c->n_mount; i++)
		if ((any || c->mount[i].manage == manage) &&
		    fsys_mounted_at(f, c->mount[i].path))
			return &c->mount[i];
	return NULL;
}

/* First [device] section for @f that says @manage (or any of them). */
static const struct conf_device *device_section(const struct decide *d,
						const struct fsys *f, bool any,
						enum conf_manage manage)
{
	for (size_t i = 0; i < d->c->n_device; i++) {
		const struct conf_device *s = &d->c->device[i];

		if ((any || s->manage == manage) && device_is(f, s->match, d->device[i]))
			return s;
	}
	return NULL;
}

/* Does a section say @manage?  Notes it in @p as @rule. */
static bool section_says(const struct decide *d, struct plan_fs *p,
			 enum conf_manage manage, enum plan_rule rule)
{
	const struct conf_mount *m = mount_section(d->c, p->fs, false, manage);
	const struct conf_device *s;

	if (m) {
		name_section(p, rule, m->label, m->where);
		return true;
	}
	s = device_section(d, p->fs, false, manage);
	if (s)
		name_section(p, rule, s->label, s->where);
	return s != NULL;
}

static bool mounted_like(const struct fsys *f, const char *pattern)
{
	bool yes = fnmatch(pattern, f->target, 0) == 0;

	for (size_t i = 0; i < f->n_targets && !yes; i++)
		yes = fnmatch(pattern, f->targets[i], 0) == 0;
	return yes;
}

static bool is_excluded(const struct decide *d, struct plan_fs *p)
{
	for (size_t i = 0; i < d->c->n_exclude; i++) {
		const struct conf_exclude *x = &d->c->exclude[i];

		/* A section that gives nothing matches nothing. */
		if (!x->path && !x->device && !x->type)
			continue;
		if ((x->type && strcmp(x->type, p->fs->type) != 0) ||
		    (x->device && !device_is(p->fs, x->device, d->exclude[i])) ||
		    (x->path && !mounted_like(p->fs, x->path)))
			continue;
		name_section(p, PLAN_EXCLUDED, x->label, x->where);
		return true;
	}
	return false;
}

static bool has_bdev(const struct fsys *f)
{
	return f->bdev.bdi[0] || f->bdev.name[0];
}

/* The types on which the engine has been tested and measured.  A boot partition
 * in vfat has nothing to gain. */
static bool is_known(const char *type)
{
	static const char *const known[] = {"xfs",  "ext4",  "ext3",    "ext2",
					    "f2fs", "btrfs", "bcachefs"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(type, known[i]) == 0)
			return true;
	return false;
}

/* Why a file system that nobody named is left alone; PLAN_AUTO if it is not. */
static enum plan_rule by_nature(const struct fsys *f)
{
	if (f->snapshot)
		return PLAN_SNAPSHOT;
	switch (f->class) {
	case FSYS_NETWORK:
		return PLAN_NETWORK;
	case FSYS_FUSE:
		return PLAN_FUSE;
	case FSYS_STACKED:
		return PLAN_STACKED;
	case FSYS_MEMORY:
		return PLAN_MEMORY;
	case FSYS_LOCAL:
	case FSYS_PSEUDO:
	case FSYS_OTHER:
		break;
	}
	if (!has_bdev(f) || f->class == FSYS_PSEUDO)
		return PLAN_NO_BDI;
	if (!is_known(f->type))
		return PLAN_TYPE;
	if (f->bdev.rotational == 1)
		return PLAN_ROTATIONAL;
	return f->bdev.rotational < 0 ? PLAN_ROTATION_UNKNOWN : PLAN_AUTO;
}

/* Everything but the number of contexts. */
static void decide_one(const struct decide *d, struct plan_fs *p, size_t i)
{
	enum plan_rule none;

	p->rule = PLAN_OFF;
	if (d->c->engine == CONF_ENGINE_NONE ||
	    section_says(d, p, CONF_MANAGE_NO, PLAN_FORBIDDEN) || is_excluded(d, p))
		return;
	p->rule = PLAN_READONLY;
	if (p->fs->readonly)
		return;
	if (!section_says(d, p, CONF_MANAGE_YES, PLAN_NAMED))
		p->rule = by_nature(p->fs);
	if (p->rule != PLAN_AUTO && p->rule != PLAN_NAMED)
		return;
	p->engine = plan_choose_engine(d->c, d->env, i, &none);
	if (p->engine == PLAN_ENGINE_NONE)
		name_section(p, none, NULL, NULL);
	else
		p->managed = true;
}

/* Do two file systems share their dirty pages' flusher? */
static bool same_bdi(const struct fsys *a, const struct fsys *b)
{
	if (a->bdev.bdi[0] || b->bdev.bdi[0])
		return strcmp(a->bdev.bdi, b->bdev.bdi) == 0;
	return a == b;
}

static unsigned at_most(uint64_t v, unsigned cap)
{
	return v < cap ? (unsigned)v : cap;
}

/* What the sections of any of the bdi's file systems ask for; 0 = auto. */
static unsigned contexts_asked(const struct decide *d, const struct plan *p, size_t first)
{
	for (size_t i = first; i < p->n; i++) {
		const struct conf_device *s;

		if (!p->v[i].managed || !same_bdi(p->v[first].fs, p->v[i].fs))
			continue;
		s = device_section(d, p->v[i].fs, true, CONF_MANAGE_AUTO);
		if (s && s->contexts)
			return s->contexts;
	}
	return d->c->contexts;
}

/* All groups of the managed file systems on the bdi of @first. */
static uint64_t groups_of(const struct plan *p, size_t first)
{
	uint64_t groups = 0;

	for (size_t i = first; i < p->n; i++)
		if (p->v[i].managed && same_bdi(p->v[first].fs, p->v[i].fs))
			groups += p->v[i].fs->geom.groups;
	return groups;
}

static unsigned contexts_auto(const struct decide *d, uint64_t groups)
{
	unsigned cpus = d->env->cpus ? d->env->cpus : 1;

	return at_most(groups, at_most(cpus, PLAN_AUTO_CAP));
}

/* What the search says, for which @cap is settled. */
static unsigned contexts_found(const struct decide *d, const struct plan *p, size_t first,
			       unsigned cap)
{
	const struct plan_search *s = d->env->search;
	unsigned n = !s                                         ? 0
		     : p->v[first].engine == PLAN_ENGINE_KERNEL ? s[first].kernel
								: s[first].user;

	if (p->v[first].fs->bdev.rotational != 0 || !n)
		return 1;
	return at_most(n, cap);
}

/* Settles the contexts of the bdi whose first managed file system is @first. */
static int settle_bdi(const struct decide *d, struct plan *p, size_t first)
{
	double share[GMAP_CONTEXTS] = {0};
	unsigned contexts = contexts_asked(d, p, first), cap = 0;
	uint64_t groups = groups_of(p, first);
	bool fixed = contexts && contexts != CONF_SEARCH;

	if (contexts == CONF_SEARCH && plan_kern_free(d->env, d->c, p, first))
		cap = plan_kern_contexts(d->env, p, first,
					 at_most(groups ? groups : 1, CONF_CONTEXTS_MAX));
	if (cap)
		contexts = contexts_found(d, p, first, cap);
	else if (!contexts || contexts == CONF_SEARCH)
		contexts = contexts_auto(d, groups);
	contexts = contexts ? at_most(contexts, CONF_CONTEXTS_MAX) : 1;
	contexts = plan_kern_contexts(d->env, p, first, contexts);

	/* One after the other round the contexts, as if their groups were in a row. */
	groups = 0;
	for (size_t i = first; i < p->n; i++) {
		struct plan_fs *f = &p->v[i];

		if (!f->managed || !same_bdi(p->v[first].fs, f->fs))
			continue;
		f->contexts = contexts;
		f->fixed = fixed;
		f->search = cap > 0;
		f->search_cap = cap;
		f->yields = cap && contexts == 1 && f->engine == PLAN_ENGINE_USER;
		f->shift = (unsigned)(groups % contexts);
		groups += f->fs->geom.groups;
		if (plan_kern_map(d->env, p, i, share) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int settle(const struct decide *d, struct plan *p)
{
	int r = 0;

	/* 0 contexts: not settled yet. */
	for (size_t i = 0; i < p->n && r == 0; i++)
		if (p->v[i].managed && !p->v[i].contexts)
			r = settle_bdi(d, p, i);
	for (size_t i = 0; i < p->n; i++) {
		struct plan_fs *f = &p->v[i];

		if (f->managed && f->contexts == 1 && f->rule == PLAN_AUTO &&
		    f->search_cap <= 1 && !f->kern.contexts_manual) {
			f->managed = false;
			f->rule = PLAN_ONE_CONTEXT;
		}
		if (!f->managed) {
			f->contexts = 1;
			f->engine = PLAN_ENGINE_NONE;
			f->search = f->yields = false;
		}
	}
	return r;
}

static int prepare(struct decide *d)
{
	const struct conf *c = d->c;

	d->device = calloc(c->n_device + 1, NAME_LEN);
	d->exclude = calloc(c->n_exclude + 1, NAME_LEN);
	if (!d->device || !d->exclude)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_device; i++)
		resolve(d->t, c->device[i].match, d->device[i]);
	for (size_t i = 0; i < c->n_exclude; i++)
		resolve(d->t, c->exclude[i].device, d->exclude[i]);
	return 0;
}

static int fill(const struct decide *d, struct plan *p)
{
	p->v = calloc(d->t->n + 1, sizeof(*p->v));
	if (!p->v)
		return -ENOMEM;
	for (p->n = 0; p->n < d->t->n; p->n++) {
		struct plan_fs *f = &p->v[p->n];
		const struct conf_mount *m;

		f->fs = d->t->v[p->n];
		m = mount_section(d->c, f->fs, true, CONF_MANAGE_AUTO);
		f->flush = m ? m->flush : d->c->flush;
		decide_one(d, f, p->n);
	}
	return settle(d, p);
}

int plan_decide(const struct fsys_table *t, const struct conf *c,
		const struct plan_env *env, struct plan **ret)
{
	struct decide d = {.t = t, .c = c, .env = env};
	struct plan *p = calloc(1, sizeof(*p));
	int r;

	r = p ? prepare(&d) : -ENOMEM;
	if (r == 0)
		r = fill(&d, p);
	free(d.device);
	free(d.exclude);
	if (r < 0) {
		plan_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

struct plan *plan_free(struct plan *p)
{
	for (size_t i = 0; p && i < p->n; i++)
		free(p->v[i].map);
	if (p)
		free(p->v);
	free(p);
	return NULL;
}

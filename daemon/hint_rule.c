// SPDX-License-Identifier: GPL-2.0-or-later
/* See hint_rule.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/hint_rule.h"

/*
 * Without recursion: of each kind of star only the last one seen can be given more.
 * A * that meets a slash leaves it to the ** before it, if there is one.
 */
bool hint_glob(const char *p, const char *s)
{
	const char *star = NULL, *star_s = NULL, *deep = NULL, *deep_s = NULL;

	for (;;) {
		if (p[0] == '*' && p[1] == '*') {
			deep = p += 2;
			deep_s = s;
			star = NULL;
			continue;
		}
		if (*p == '*') {
			star = ++p;
			star_s = s;
			continue;
		}
		if (!*p && !*s)
			return true;
		if (*p && *s && (*p == *s || (*p == '?' && *s != '/'))) {
			p++;
			s++;
			continue;
		}
		if (star && *star_s && *star_s != '/') {
			p = star;
			s = ++star_s;
		} else if (deep && *deep_s) {
			p = deep;
			s = ++deep_s;
			star = NULL;
		} else {
			return false;
		}
	}
}

static unsigned literals(const char *p)
{
	unsigned n = 0;

	for (; p && *p; p++)
		n += *p != '*' && *p != '?';
	return n;
}

static uint64_t size_or_none(uint64_t v)
{
	return v == CONF_OFF ? 0 : v;
}

static int copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

static int add_rule(struct hint_rules *r, const struct conf_hint *c)
{
	struct hint_rule *u = &r->v[r->n];
	bool process = c->program || c->cgroup;

	*u = (struct hint_rule){
		.hint = {size_or_none(c->write_size), size_or_none(c->file_size)},
		.weight = literals(c->path) + literals(c->program) + literals(c->cgroup),
		.bit = -1,
	};
	if (!hint_is_set(&u->hint) || (!process && !c->path) ||
	    (process && r->n_process == HINT_PROCESS_RULES))
		return 0; /* says nothing, or to nobody; conf_build.c has warned */
	r->n++;
	if (copy(&u->label, c->label) < 0 || copy(&u->where, c->where) < 0 ||
	    copy(&u->path, c->path) < 0 || copy(&u->program, c->program) < 0 ||
	    copy(&u->cgroup, c->cgroup) < 0)
		return -ENOMEM;
	if (process)
		u->bit = (int)r->n_process++;
	r->by_path |= c->path != NULL;
	return 0;
}

int hint_rules_new(const struct conf *c, struct hint_rules **ret)
{
	struct hint_rules *r;

	if (!c->n_hint) {
		*ret = NULL;
		return 0;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->refs = 1;
	r->n_class = 1;
	r->v = calloc(c->n_hint, sizeof(*r->v));
	for (size_t i = 0; i < c->n_hint; i++)
		if (!r->v || add_rule(r, &c->hint[i]) < 0) {
			hint_rules_put(r);
			return -ENOMEM;
		}
	*ret = r;
	return 0;
}

struct hint_rules *hint_rules_get(struct hint_rules *r)
{
	if (r)
		r->refs++;
	return r;
}

void hint_rules_put(struct hint_rules *r)
{
	if (!r || --r->refs)
		return;
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].label);
		free(r->v[i].where);
		free(r->v[i].path);
		free(r->v[i].program);
		free(r->v[i].cgroup);
	}
	free(r->v);
	free(r);
}

static bool fits_process(const struct hint_rule *u, const char *comm, const char *cgroup)
{
	return u->bit >= 0 && (!u->program || hint_glob(u->program, comm)) &&
	       (!u->cgroup || hint_glob(u->cgroup, cgroup));
}

uint16_t hint_rules_class(struct hint_rules *r, const char *comm, const char *cgroup)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < r->n; i++)
		if (fits_process(&r->v[i], comm, cgroup))
			mask |= 1ULL << r->v[i].bit;
	for (unsigned i = 0; i < r->n_class; i++)
		if (r->class[i] == mask)
			return (uint16_t)i;
	if (r->n_class == HINT_CLASSES)
		return 0;
	r->class[r->n_class] = mask;
	return (uint16_t)r->n_class++;
}

uint64_t hint_rules_mask(const struct hint_rules *r, uint16_t class)
{
	return class < r->n_class ? r->class[class] : 0;
}

int hint_rules_pick(const struct hint_rules *r, const char *path, uint64_t mask)
{
	int best = -1;

	for (size_t i = 0; i < r->n; i++) {
		const struct hint_rule *u = &r->v[i];

		if (best >= 0 && u->weight <= r->v[best].weight)
			continue;
		if (u->bit >= 0 && !(mask >> u->bit & 1))
			continue;
		if (u->path && (!path || !hint_glob(u->path, path)))
			continue;
		best = (int)i;
	}
	return best;
}

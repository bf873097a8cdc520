// SPDX-License-Identifier: GPL-2.0-or-later
/* Which group goes to which context: see the story in gmap.h. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "daemon/gmap.h"

#define UNEVEN  1.25 /* times its fair share: a context has too much */
#define EVEN    1.10 /* and now it is good enough */
#define MOVES   64   /* at once, at most */
#define BACKLOG 0.05 /* of an average group: what one counts for with nothing dirty */

struct choose {
	const struct gmap_ask *a;
	unsigned char *at; /* context of each group */
	double base, scale;
	double total;
};

/* What a group counts for: 1 is the average, or all are alike if nothing is known. */
static double weight(const struct choose *c, uint32_t g)
{
	return c->a->load ? c->base + c->a->load[g] * c->scale : 1;
}

static void find_scale(struct choose *c)
{
	double sum = 0;

	c->base = 1;
	for (uint32_t g = 0; c->a->load && g < c->a->groups; g++)
		sum += c->a->load[g] > 0 ? c->a->load[g] : 0;
	if (sum <= 0)
		return;
	c->base = BACKLOG;
	c->scale = (1 - BACKLOG) * c->a->groups / sum;
}

static unsigned start_of(const struct gmap_ask *a, uint32_t g)
{
	if (a->found)
		return gmap_context(&a->start, g, a->contexts);
	return (unsigned)(((uint64_t)g + a->shift) % a->contexts);
}

static void place_all(struct choose *c)
{
	for (uint32_t g = 0; g < c->a->groups; g++) {
		unsigned k = start_of(c->a, g);

		c->at[g] = (unsigned char)k;
		c->a->share[k] += weight(c, g);
	}
	for (unsigned k = 0; k < c->a->contexts; k++)
		c->total += c->a->share[k];
}

static void extremes(const struct choose *c, unsigned *most, unsigned *least)
{
	*most = *least = 0;
	for (unsigned k = 1; k < c->a->contexts; k++) {
		if (c->a->share[k] > c->a->share[*most])
			*most = k;
		if (c->a->share[k] < c->a->share[*least])
			*least = k;
	}
}

/* The largest group of @from that makes it better: it must weigh less than the
 * difference, or it would only be the other one's turn next. */
static int64_t best_of(const struct choose *c, unsigned from, unsigned to)
{
	double gap = c->a->share[from] - c->a->share[to], best = 0;
	int64_t ret = -1;

	for (uint32_t g = 0; g < c->a->groups; g++) {
		double w = c->at[g] == from ? weight(c, g) : 0;

		if (w > best && w < gap * 0.9) {
			best = w;
			ret = g;
		}
	}
	return ret;
}

static void balance(struct choose *c)
{
	double fair = c->total / c->a->contexts, limit = fair * UNEVEN;
	unsigned most, least;

	for (unsigned n = 0; n < MOVES; n++) {
		int64_t g;

		extremes(c, &most, &least);
		if (c->a->share[most] <= limit)
			return;
		g = best_of(c, most, least);
		if (g < 0)
			return;
		c->at[g] = (unsigned char)least;
		c->a->share[most] -= weight(c, (uint32_t)g);
		c->a->share[least] += weight(c, (uint32_t)g);
		limit = fair * EVEN;
	}
}

/* Only what is not by the number anyway needs a range. */
static int to_map(const struct choose *c, struct gmap *m)
{
	char text[GMAP_TEXT];

	m->n = 0;
	for (uint32_t g = 0; g < c->a->groups; g++) {
		struct gmap_range *p = m->n ? &m->v[m->n - 1] : NULL;

		if (c->at[g] == g % c->a->contexts)
			continue;
		if (p && p->context == c->at[g] && p->last + 1 == g) {
			p->last = g;
			continue;
		}
		if (m->n == WB_KERNEL_MAP_RANGES_MAX)
			return -E2BIG;
		m->v[m->n++] = (struct gmap_range){g, g, c->at[g]};
	}
	return gmap_format(m, text, sizeof(text));
}

static void count_moved(const struct choose *c, struct gmap_ret *ret)
{
	for (uint32_t g = 0; g < c->a->groups; g++)
		ret->moved += gmap_context(&ret->map, g, c->a->contexts) !=
			      gmap_context(&c->a->start, g, c->a->contexts);
}

int gmap_choose(const struct gmap_ask *a, struct gmap_ret *ret)
{
	CLEANUP(cleanup_freep) unsigned char *at = NULL;
	struct choose c = {.a = a};
	int r;

	ret->moved = 0;
	ret->map = a->start;
	if (!a->groups || a->groups > GMAP_GROUPS)
		return 0;
	at = malloc(a->groups);
	if (!at)
		return -ENOMEM;
	c.at = at;
	find_scale(&c);
	place_all(&c);
	balance(&c);
	r = to_map(&c, &ret->map);
	if (r < 0) {
		ret->map = a->start;
		return r;
	}
	count_moved(&c, ret);
	return 0;
}

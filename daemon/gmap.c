// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of a group map, and looking things up in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/gmap.h"

#define BLANKS " \t"

static int number(const char **s, uint32_t *ret)
{
	unsigned long long v;
	char *end;

	if (**s < '0' || **s > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(*s, &end, 10);
	if (errno || v > UINT32_MAX)
		return -EINVAL;
	*s = end;
	*ret = (uint32_t)v;
	return 0;
}

/* "FIRST[-LAST] CONTEXT", up to @end. */
static int parse_range(const char *s, const char *end, struct gmap_range *r)
{
	const char *blank;

	if (number(&s, &r->first) < 0)
		return -EINVAL;
	r->last = r->first;
	if (*s == '-') {
		s++;
		if (number(&s, &r->last) < 0)
			return -EINVAL;
	}
	blank = s;
	s += strspn(s, BLANKS);
	if (s == blank || number(&s, &r->context) < 0 || r->last < r->first)
		return -EINVAL;
	return s == end ? 0 : -EINVAL;
}

/* Adds a range behind all others, joined to the last one if it only goes on. */
static int append(struct gmap *m, uint32_t first, uint32_t last, uint32_t context)
{
	struct gmap_range *p = m->n ? &m->v[m->n - 1] : NULL;

	if (p && p->context == context && p->last + 1 == first) {
		p->last = last;
		return 0;
	}
	if (m->n == WB_KERNEL_MAP_RANGES_MAX)
		return -E2BIG;
	m->v[m->n++] = (struct gmap_range){first, last, context};
	return 0;
}

static int overlay(const struct gmap *from, const struct gmap_range *new, struct gmap *to)
{
	int r = 0;
	unsigned i;

	to->n = 0;
	for (i = 0; r == 0 && i < from->n && from->v[i].first < new->first; i++) {
		const struct gmap_range *o = &from->v[i];

		r = append(to, o->first, o->last < new->first ? o->last : new->first - 1,
			   o->context);
	}
	if (r == 0)
		r = append(to, new->first, new->last, new->context);
	for (i = 0; r == 0 && i < from->n; i++) {
		const struct gmap_range *o = &from->v[i];

		if (o->last > new->last)
			r = append(to, o->first > new->last ? o->first : new->last + 1,
				   o->last, o->context);
	}
	return r;
}

static int parse_line(struct gmap *m, const char *s, const char *end)
{
	struct gmap_range r;
	struct gmap next;

	s += strspn(s, BLANKS);
	while (end > s && strchr(BLANKS, end[-1]))
		end--;
	if (s == end)
		return 0;
	if (end - s == 7 && !memcmp(s, "default", 7)) {
		m->n = 0;
		return 0;
	}
	if (parse_range(s, end, &r) < 0)
		return -EINVAL;
	if (overlay(m, &r, &next) < 0)
		return -E2BIG;
	*m = next;
	return 0;
}

int gmap_parse(const char *text, struct gmap *ret)
{
	struct gmap m = {0};

	while (*text) {
		const char *end = text + strcspn(text, "\n");
		int r = parse_line(&m, text, end);

		if (r < 0)
			return r;
		text = *end ? end + 1 : end;
	}
	*ret = m;
	return 0;
}

int gmap_format(const struct gmap *m, char *buf, size_t size)
{
	size_t len = 0;

	if (!m->n)
		return snprintf(buf, size, "default") < (int)size ? 0 : -E2BIG;
	for (unsigned i = 0; i < m->n; i++) {
		const struct gmap_range *r = &m->v[i];
		int n = r->first == r->last
				? snprintf(buf + len, size - len, "%s%u %u",
					   i ? "\n" : "", r->first, r->context)
				: snprintf(buf + len, size - len, "%s%u-%u %u",
					   i ? "\n" : "", r->first, r->last, r->context);

		if (n < 0 || (size_t)n >= size - len)
			return -E2BIG;
		len += (size_t)n;
	}
	return 0;
}

bool gmap_same(const struct gmap *a, const struct gmap *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->v[i].first != b->v[i].first || a->v[i].last != b->v[i].last ||
		    a->v[i].context != b->v[i].context)
			return false;
	return true;
}

unsigned gmap_context(const struct gmap *m, uint32_t group, unsigned contexts)
{
	unsigned lo = 0, hi = m->n;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;
		const struct gmap_range *r = &m->v[mid];

		if (group < r->first)
			hi = mid;
		else if (group > r->last)
			lo = mid + 1;
		else
			return r->context < contexts ? r->context : group % contexts;
	}
	return group % contexts;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* From a plan to what is to be written, and what the knobs know that decide needs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/kern_want.h"

static const char *why(const struct plan_fs *f)
{
	return *f->where ? f->where : "[engine] contexts";
}

static struct knob_want *add(struct knob_wants *w, enum knob_kind kind, const char *dev,
			     const struct plan_fs *f)
{
	struct knob_want *n = &w->v[w->n++];

	*n = (struct knob_want){.kind = kind};
	(void)snprintf(n->dev, sizeof(n->dev), "%s", dev);
	(void)snprintf(n->where, sizeof(n->where), "%s", why(f));
	(void)snprintf(n->identity, sizeof(n->identity), "inode %" PRIu64,
		       knob_of_fs(kind) ? f->kern.id : f->kern.bdi_id);
	return n;
}

static bool has_contexts(const struct knob_wants *w, const char *bdi)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].kind == KNOB_CONTEXTS && !strcmp(w->v[i].dev, bdi))
			return true;
	return false;
}

static void add_number(struct knob_wants *w, enum knob_kind kind, const char *dev,
		       const struct plan_fs *f, unsigned v)
{
	(void)snprintf(add(w, kind, dev, f)->value, KNOB_VALUE, "%u", v);
}

static void add_fs(struct knob_wants *w, const struct conf *c, const struct plan_fs *f)
{
	static const struct gmap none;
	char dev[KNOB_DEV], map[KNOB_VALUE];

	(void)snprintf(dev, sizeof(dev), "%u:%u", major(f->fs->dev), minor(f->fs->dev));
	if (f->kern.map_known && !knob_is_excluded(c, KNOB_GROUP_MAP) &&
	    gmap_format(f->map ? f->map : &none, map, sizeof(map)) == 0)
		(void)snprintf(add(w, KNOB_GROUP_MAP, dev, f)->value, KNOB_VALUE, "%s",
			       map);
	if (f->order >= 0 && !knob_is_excluded(c, KNOB_ORDER_MAX))
		add_number(w, KNOB_ORDER_MAX, dev, f, (unsigned)f->order);
}

int kern_wants(const struct plan *p, const struct conf *c, struct knob_wants *ret)
{
	struct knob_wants w = {.v = calloc(3 * p->n + 1, sizeof(*w.v))};

	if (!w.v)
		return -ENOMEM;
	/* All contexts before the maps that name them. */
	for (size_t i = 0; i < p->n; i++) {
		const struct plan_fs *f = &p->v[i];
		const char *bdi = f->fs->bdev.bdi;

		if (f->engine == PLAN_ENGINE_KERNEL && strlen(bdi) < KNOB_DEV &&
		    !has_contexts(&w, bdi) && !knob_is_excluded(c, KNOB_CONTEXTS))
			add_number(&w, KNOB_CONTEXTS, bdi, f, f->contexts);
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].engine == PLAN_ENGINE_KERNEL)
			add_fs(&w, c, &p->v[i]);
	*ret = w;
	return 0;
}

void kern_ask_knobs(const struct knobs *k, const struct fsys_table *t,
		    struct kern_state *s)
{
	for (size_t i = 0; i < s->n; i++) {
		char dev[KNOB_DEV];

		if (!s->v[i].usable)
			continue;
		(void)snprintf(dev, sizeof(dev), "%u:%u", major(t->v[i]->dev),
			       minor(t->v[i]->dev));
		s->v[i].contexts_manual =
			knobs_manual(k, KNOB_CONTEXTS, t->v[i]->bdev.bdi);
		s->v[i].map_manual = knobs_manual(k, KNOB_GROUP_MAP, dev);
	}
}

/* On one line, and nothing that a terminal takes for more than text. */
static void flatten(char *s)
{
	for (; *s; s++)
		*s = *s == '\n' ? ',' : *s < ' ' || *s > '~' ? '?' : *s;
}

void kern_print(const char *root, struct knob_wants *w, FILE *f)
{
	for (size_t i = 0; i < w->n; i++) {
		char path[256], now[KNOB_VALUE] = "?", *value = w->v[i].value;
		bool same;

		knob_path(w->v[i].kind, w->v[i].dev, path);
		(void)knob_read(root, path, now);
		same = knob_same(w->v[i].kind, now, value);
		flatten(now);
		flatten(value);
		fprintf(f, "/%s: %s%s%s\n", path, value,
			same ? ", as it is" : " instead of ", same ? "" : now);
	}
}

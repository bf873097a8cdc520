// SPDX-License-Identifier: GPL-2.0-or-later
/* The scan: from the mount table to one entry per superblock. */
#include <errno.h>
#include <string.h>

#include "daemon/fsys_int.h"

struct fsys *fsys_free(struct fsys *f)
{
	if (!f)
		return NULL;
	free(f->type);
	free(f->source);
	free(f->target);
	for (size_t i = 0; i < f->n_targets; i++)
		free(f->targets[i]);
	free(f->targets);
	free(f->sb_options);
	free(f->geom_error);
	free(f);
	return NULL;
}

struct fsys_table *fsys_table_free(struct fsys_table *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < t->n; i++)
		fsys_free(t->v[i]);
	free(t->v);
	free(t->root);
	free(t);
	return NULL;
}

struct fsys *fsys_find(const struct fsys_table *t, dev_t dev)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid]->dev == dev)
			return t->v[mid];
		if (t->v[mid]->dev < dev)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

struct fsys *fsys_steal(struct fsys_table *t, size_t i)
{
	struct fsys *f = t->v[i];

	t->n--;
	memmove(&t->v[i], &t->v[i + 1], (t->n - i) * sizeof(*t->v));
	return f;
}

/* Orders mounts so that the ones of a superblock are neighbours. */
static int by_dev(const void *a, const void *b)
{
	const struct fsys_mount *x = *(const struct fsys_mount *const *)a;
	const struct fsys_mount *y = *(const struct fsys_mount *const *)b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool is_whole(const struct fsys_mount *m)
{
	return strcmp(m->root, "/") == 0;
}

/* The better way in by all that is cheap to tell: a mount of the whole file system,
 * not a bind of a folder in it; then the shorter path. */
static bool is_better(const struct fsys_mount *a, const struct fsys_mount *b)
{
	if (is_whole(a) != is_whole(b))
		return is_whole(a);
	return strlen(a->target) < strlen(b->target);
}

static bool is_visible(const struct fsys_mounts *ms, const struct fsys_mount *m)
{
	return fsys_mounts_at(ms, m->target) == m;
}

/*
 * The mount of one superblock (@v, @n of them) to reach it through: one that no other
 * mount hides before one that is hidden, then the better one, then the older.  Only a
 * mount that would be taken is looked for, because that costs a walk.
 */
static const struct fsys_mount *choose(const struct fsys_mounts *ms,
				       const struct fsys_mount **v, size_t n)
{
	const struct fsys_mount *best = v[0];
	bool visible = is_visible(ms, best);

	for (size_t i = 1; i < n; i++) {
		bool better = is_better(v[i], best);

		if (visible ? better && is_visible(ms, v[i]) : is_visible(ms, v[i])) {
			best = v[i];
			visible = true;
		} else if (!visible && better) {
			best = v[i];
		}
	}
	return best;
}

static struct fsys *new_entry(const struct fsys_scan_ctx *x, const struct fsys_mount *m)
{
	struct fsys *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->dev = m->dev;
	f->mnt_id = m->id;
	f->type = strdup(m->type);
	f->source = strdup(m->source);
	f->target = strdup(m->target);
	f->sb_options = strdup(m->sb_options);
	if (!f->type || !f->source || !f->target || !f->sb_options)
		return fsys_free(f);
	f->class = fsys_classify(m);
	f->readonly = fsys_has_option(m->sb_options, "ro");
	f->has_realtime = fsys_has_option(m->sb_options, "rtdev");
	f->snapshot = fsys_has_option(m->sb_options, "norecovery") ||
		      fsys_has_option(m->sb_options, "nouuid");
	fsys_find_bdev(x, f);
	fsys_probe(x, f);
	return f;
}

static int note_targets(struct fsys *f, const struct fsys_mount **v, size_t n)
{
	if (n > FSYS_TARGETS_MAX)
		n = FSYS_TARGETS_MAX;
	f->targets = calloc(n, sizeof(*f->targets));
	if (!f->targets)
		return -ENOMEM;
	for (; f->n_targets < n; f->n_targets++) {
		f->targets[f->n_targets] = strdup(v[f->n_targets]->target);
		if (!f->targets[f->n_targets])
			return -ENOMEM;
	}
	return 0;
}

/* One entry for each run of equal device numbers in @v. */
static int fill(const struct fsys_scan_ctx *x, const struct fsys_mount **v, size_t n,
		struct fsys_table *t)
{
	for (size_t i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && v[i + run]->dev == v[i]->dev;)
			run++;
		t->v[t->n] = new_entry(x, choose(&x->mounts, v + i, run));
		if (!t->v[t->n])
			return -ENOMEM;
		if (note_targets(t->v[t->n++], v + i, run) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int build(const struct fsys_scan_ctx *x, struct fsys_table *t)
{
	const struct fsys_mounts *ms = &x->mounts;
	const struct fsys_mount **v =
		calloc(ms->n + 1, sizeof(const struct fsys_mount *));
	size_t n = 0;
	int r = -ENOMEM;

	t->v = calloc(ms->n + 1, sizeof(struct fsys *));
	t->root = strdup(x->root);
	if (v && t->v && t->root) {
		for (size_t i = 0; i < ms->n; i++)
			if (fsys_classify(&ms->v[i]) != FSYS_PSEUDO)
				v[n++] = &ms->v[i];
		qsort(v, n, sizeof(const struct fsys_mount *), by_dev);
		r = fill(x, v, n, t);
	}
	free(v);
	return r;
}

int fsys_scan(const char *root, struct fsys_table **ret)
{
	struct fsys_scan_ctx x = {.root = root ? root : ""};
	struct fsys_table *t;
	int r;

	r = fsys_mounts_read(x.root, &x.mounts);
	if (r < 0)
		return r;
	t = calloc(1, sizeof(*t));
	r = t ? build(&x, t) : -ENOMEM;
	fsys_mounts_clear(&x.mounts);
	if (r < 0) {
		fsys_table_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

bool fsys_mounted_at(const struct fsys *f, const char *path)
{
	if (f->target && !strcmp(f->target, path))
		return true;
	for (size_t i = 0; i < f->n_targets; i++)
		if (!strcmp(f->targets[i], path))
			return true;
	return false;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The mount table as the kernel prints it, read by libmount. */
#include <errno.h>
#include <libmount.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/fsys_mounts.h"

static const char *text(const char *s)
{
	return s ? s : "";
}

/* A line that cannot be parsed is skipped; the others are still good. */
static int skip_line(struct libmnt_table *tb, const char *file, int line)
{
	(void)tb;
	(void)file;
	(void)line;
	return 1;
}

static int by_parent(const void *a, const void *b, void *arg)
{
	const struct fsys_mount *v = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (v[x].parent != v[y].parent)
		return v[x].parent < v[y].parent ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int fill(struct fsys_mounts *m)
{
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	m->v = calloc((size_t)mnt_table_get_nents(m->tb) + 1, sizeof(*m->v));
	m->by_parent = calloc((size_t)mnt_table_get_nents(m->tb) + 1, sizeof(size_t));
	if (!it || !m->v || !m->by_parent) {
		mnt_free_iter(it);
		return -ENOMEM;
	}
	while (mnt_table_next_fs(m->tb, it, &fs) == 0) {
		const char *target = mnt_fs_get_target(fs);

		if (!target || target[0] != '/')
			continue;
		m->by_parent[m->n] = m->n;
		m->v[m->n++] = (struct fsys_mount){
			.id = mnt_fs_get_id(fs),
			.parent = mnt_fs_get_parent_id(fs),
			.dev = mnt_fs_get_devno(fs),
			.root = text(mnt_fs_get_root(fs)),
			.target = target,
			.type = text(mnt_fs_get_fstype(fs)),
			.source = text(mnt_fs_get_source(fs)),
			.sb_options = text(mnt_fs_get_fs_options(fs)),
			.netfs = mnt_fs_is_netfs(fs),
			.pseudofs = mnt_fs_is_pseudofs(fs),
		};
	}
	mnt_free_iter(it);
	qsort_r(m->by_parent, m->n, sizeof(size_t), by_parent, m->v);
	return 0;
}

int fsys_mounts_read(const char *root, struct fsys_mounts *ret)
{
	struct fsys_mounts m = {0};
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root) >= PATH_MAX)
		return -ENAMETOOLONG;
	m.tb = mnt_new_table();
	if (!m.tb)
		return -ENOMEM;
	(void)mnt_table_set_parser_errcb(m.tb, skip_line);
	r = mnt_table_parse_file(m.tb, path);
	if (r > 0)
		r = -EINVAL;
	if (r == 0)
		r = fill(&m);
	if (r < 0) {
		fsys_mounts_clear(&m);
		return r;
	}
	*ret = m;
	return 0;
}

void fsys_mounts_clear(struct fsys_mounts *m)
{
	mnt_unref_table(m->tb);
	free(m->v);
	free(m->by_parent);
	*m = (struct fsys_mounts){0};
}

/* Is @path @dir itself or below it? */
static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1) /* "/" */
		return true;
	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* First index of by_parent[] whose mount has parent >= @parent. */
static size_t first_child(const struct fsys_mounts *m, int parent)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->v[m->by_parent[mid]].parent < parent)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The child of @cur that a walk along @path steps onto first; of several at one
 * place the newest.  NULL: the walk ends within @cur. */
static const struct fsys_mount *step(const struct fsys_mounts *m,
				     const struct fsys_mount *cur, const char *path)
{
	const struct fsys_mount *best = NULL;
	size_t best_len = SIZE_MAX;

	for (size_t i = first_child(m, cur->id); i < m->n; i++) {
		const struct fsys_mount *c = &m->v[m->by_parent[i]];
		size_t len;

		if (c->parent != cur->id)
			break;
		if (c == cur || !below(path, c->target))
			continue;
		len = strlen(c->target);
		if (len <= best_len) {
			best = c;
			best_len = len;
		}
	}
	return best;
}

static bool has_id(const struct fsys_mounts *m, int id)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].id == id)
			return true;
	return false;
}

const struct fsys_mount *fsys_mounts_at(const struct fsys_mounts *m, const char *path)
{
	const struct fsys_mount *cur = NULL, *next;

	if (path[0] != '/') /* a file out of reach is printed so */
		return NULL;
	for (size_t i = 0; i < m->n && !cur; i++)
		if (strcmp(m->v[i].target, "/") == 0 &&
		    (m->v[i].parent == m->v[i].id || !has_id(m, m->v[i].parent)))
			cur = &m->v[i];
	/* A table that goes round in circles ends after as many steps as it has
	 * mounts. */
	for (size_t i = 0; cur && i < m->n; i++) {
		next = step(m, cur, path);
		if (!next)
			break;
		cur = next;
	}
	return cur;
}

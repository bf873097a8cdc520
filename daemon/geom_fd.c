// SPDX-License-Identifier: GPL-2.0-or-later
/* Which group a file's newest data lies in: FIEMAP of its end. */
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#include "common/cleanup.h"
#include "daemon/geom.h"

#define EXTENTS 32            /* per call: what is looked at */
#define WINDOW  (16ULL << 20) /* bytes at the end that are tried first */
#define CALLS   6             /* at most, whatever the file is like */

/* Extents without a place on the device, or whose place is not in a data block. */
#define NO_PLACE                                                                      \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE | \
	 FIEMAP_EXTENT_DATA_TAIL)

union map {
	struct fiemap head;
	char room[sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)];
};

static struct fiemap *get(int fd, uint64_t start, union map *m, int *error)
{
	struct fiemap *f = &m->head;

	memset(f, 0, sizeof(*f));
	f->fm_start = start;
	f->fm_length = FIEMAP_MAX_OFFSET - start;
	f->fm_extent_count = EXTENTS;
	/* No FIEMAP_FLAG_SYNC: it would write the file back here and now. */
	*error = ioctl(fd, FS_IOC_FIEMAP, f) < 0 ? -errno : 0;
	if (f->fm_mapped_extents > EXTENTS)
		f->fm_mapped_extents = EXTENTS;
	return f;
}

/* Group with most bytes among the placed extents of @f, the later one of two
 * equal ones; -ENODATA if none has a place. */
static int heaviest(const struct geom *g, const struct fiemap *f)
{
	struct {
		uint32_t group;
		uint64_t bytes;
	} sum[EXTENTS];
	unsigned n = 0, best = 0;

	for (unsigned i = f->fm_mapped_extents; i-- > 0;) {
		const struct fiemap_extent *e = &f->fm_extents[i];
		uint32_t group;
		unsigned k = 0;

		if (e->fe_flags & NO_PLACE)
			continue;
		group = geom_group_of_phys(g, e->fe_physical);
		while (k < n && sum[k].group != group)
			k++;
		if (k == n) {
			sum[n].group = group;
			sum[n++].bytes = 0;
		}
		sum[k].bytes += e->fe_length;
		if (sum[k].bytes > sum[best].bytes)
			best = k;
	}
	return n ? (int)sum[best].group : -ENODATA;
}

static bool complete(const struct fiemap *f)
{
	unsigned n = f->fm_mapped_extents;

	return n < EXTENTS || (f->fm_extents[n - 1].fe_flags & FIEMAP_EXTENT_LAST);
}

/*
 * Looks at a window at the end.  More extents in it than one call returns: a
 * quarter of it.  Nothing allocated in it (a sparse tail, delayed allocation): a
 * sixteen times larger one, and the whole file if nothing else is left.
 */
static int group_of_data(const struct geom *g, int fd, uint64_t size)
{
	uint64_t window = WINDOW;
	int found = -ENODATA;
	union map m = {.head = {0}};

	for (int i = 0; i < CALLS; i++) {
		uint64_t start = size > window ? size - window : 0;
		const struct fiemap *f;
		int e, r;

		if (i == CALLS - 1 && found < 0)
			start = 0;
		f = get(fd, start, &m, &e);
		if (e < 0)
			return e;
		r = heaviest(g, f);
		if (r >= 0)
			found = r;
		if (!complete(f) && window > g->block_size)
			window /= 4;
		else if (found < 0 && start)
			window *= 16; /* 16 MiB << 20 at most */
		else
			break;
	}
	return found;
}

static bool is_realtime(int fd)
{
	struct fsxattr x = {0};

	return ioctl(fd, FS_IOC_FSGETXATTR, &x) == 0 &&
	       (x.fsx_xflags & FS_XFLAG_REALTIME);
}

int geom_of_fd(const struct geom *g, int fd, uint64_t ino, uint64_t size,
	       enum geom_basis *ret_basis)
{
	enum geom_basis basis = GEOM_BY_HASH;
	int r = -ENODATA;

	if (g->kind == GEOM_XFS && is_realtime(fd)) {
		basis = GEOM_BY_REALTIME;
		r = (int)geom_bucket(g, ino);
	} else if (g->kind != GEOM_HASH) {
		basis = GEOM_BY_DATA;
		r = group_of_data(g, fd, size);
		if (r < 0 && r != -ENODATA && r != -EOPNOTSUPP && r != -ENOTTY)
			return r;
	}
	if (r < 0) {
		basis = g->kind == GEOM_HASH || g->inode_unplaced ? GEOM_BY_HASH
								  : GEOM_BY_INODE;
		r = (int)geom_group_of_ino(g, ino);
	}
	if (ret_basis)
		*ret_basis = basis;
	return r;
}

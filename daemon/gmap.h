/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map from a file system's groups to the kernel's contexts, as the file group_map
 * below /sys/fs/writeback has it, and how it is chosen.  Pure.
 *
 * A group that no range names is written back by context group % contexts, and so is
 * one whose context does not exist (any more).  A map therefore has exceptions only.
 *
 * The story (which group to which context): a group that has more dirty data than the
 * others keeps its context busy while others idle.  So groups are moved from the context
 * with most to the one with least, but each move costs: the inodes of the group follow
 * only as they are dirtied anew, and meanwhile two contexts allocate from it.  Nothing
 * is moved before one context has a quarter more than its share, then the largest groups
 * that help go first, and it ends when all are within a tenth.  Whatever a map has
 * already - ours, or one that was found - is where it starts from.
 */
#ifndef WB_GMAP_H
#define WB_GMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/wb/uapi.h"

#define GMAP_TEXT     512   /* the longest that is written (knob.h: KNOB_VALUE) */
#define GMAP_GROUPS   65536 /* of a file system with more, no group is moved */
#define GMAP_CONTEXTS WB_KERNEL_CONTEXTS_MAX

struct gmap_range {
	uint32_t first, last, context;
};

struct gmap {
	unsigned n;                                    /* 0: default */
	struct gmap_range v[WB_KERNEL_MAP_RANGES_MAX]; /* sorted, not overlapping */
};

/* What the file says, which is "default" or ranges in any order; a later one replaces
 * what an earlier one says of a group.  -EINVAL, -E2BIG: @ret is untouched. */
int gmap_parse(const char *text, struct gmap *ret);
/* As the kernel prints it, without the last newline.  -E2BIG: longer than @size. */
int gmap_format(const struct gmap *m, char *buf, size_t size);
bool gmap_same(const struct gmap *a, const struct gmap *b);

/* @contexts >= 1. */
unsigned gmap_context(const struct gmap *m, uint32_t group, unsigned contexts);

struct gmap_ask {
	uint32_t groups;
	unsigned contexts;  /* 1 to GMAP_CONTEXTS */
	unsigned shift;     /* where group 0 begins if there is nothing to start from */
	bool found;         /* false: @start is nothing but the kernel's default */
	struct gmap start;  /* in force now */
	const double *load; /* dirty bytes per group; NULL: not known */
	/* What other file systems bring to each context of the device, in groups of
	 * average load.  The file system's own part is added. */
	double *share;
};

struct gmap_ret {
	struct gmap map;
	unsigned moved; /* groups that change their context */
};

/* 0, -ENOMEM, or -E2BIG: what would be right is too long; then @ret has what is in
 * force (or the default). */
int gmap_choose(const struct gmap_ask *a, struct gmap_ret *ret);

#endif

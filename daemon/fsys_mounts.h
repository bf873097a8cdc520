/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mount table as the kernel prints it, and what a path resolves to in it -
 * told from the table alone, so that no dead network mount is ever touched.
 */
#ifndef WB_FSYS_MOUNTS_H
#define WB_FSYS_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct libmnt_table;

/* One line; the strings belong to the table. */
struct fsys_mount {
	int id, parent;
	dev_t dev;
	const char *root; /* what of the file system is mounted: "/" or a subdirectory */
	const char *target;                     /* never NULL, absolute */
	const char *type, *source, *sb_options; /* never NULL */
	bool netfs, pseudofs;                   /* libmount's opinion */
};

struct fsys_mounts {
	struct libmnt_table *tb;
	struct fsys_mount *v; /* in the table's order */
	size_t n;
	size_t *by_parent; /* indices, ordered by parent, then as in the table */
};

int fsys_mounts_read(const char *root, struct fsys_mounts *ret);
void fsys_mounts_clear(struct fsys_mounts *m);

/* The mount through which the absolute @path is reached (links in it are not
 * followed: the kernel prints paths without them); NULL if it cannot be told. */
const struct fsys_mount *fsys_mounts_at(const struct fsys_mounts *m, const char *path);

#endif

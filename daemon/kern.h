/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel engine: on a kernel with the series of kernel/, its contexts do the writing
 * and the daemon only says how many there are and what goes where.
 *
 *   kern.c        what the kernel offers: its ABI, what each file system has now
 *   kern_stat.c   what its contexts do
 *   kern_want.c   from a plan to the knobs that make it so
 *   gmap*.c       the group map
 *   order*.c      bounds for the order of folios
 *
 * Everything is written by knob_apply.c: whatever was found is noted, given back on
 * stop, and left alone once somebody else has changed it.
 */
#ifndef WB_KERN_H
#define WB_KERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/fsys.h"
#include "daemon/gmap.h"

#define KERN_DIR     "sys/fs/writeback"
#define KERN_BDI_DIR "sys/class/bdi"

/*
 * Can the kernel engine work here?  0 and what there is in @detail, or -errno and why
 * not: -ENOENT no such kernel, -EPROTO another ABI than ours, -EOPNOTSUPP memory or io
 * controller on cgroup v1 or switched off, -EACCES or -EROFS not for us to write.
 */
int kern_probe(const char *root, char *detail, size_t len);

/* What one file system has now. */
struct kern_fs {
	bool usable;     /* the kernel can divide it, and by an ABI that we know */
	uint32_t groups; /* as the kernel counts them; 0: it goes by a hash */
	unsigned contexts_max;
	unsigned contexts;   /* of its bdi, in force */
	uint64_t id;         /* of its directory: another superblock has another one */
	uint64_t bdi_id;     /* of that of its bdi */
	bool map_known;      /* false: too long, or not readable: left alone */
	struct gmap map;     /* in force */
	unsigned order_max;  /* in force */
	unsigned order_want; /* what it should be, if there are large folios */
	bool large_folios;   /* its files may have folios of more than one page */
	double *load;        /* dirty bytes per group as last seen; NULL: not known */
	/* Somebody else has set it since we did (kern_want.c asks the knobs). */
	bool contexts_manual, map_manual;
};

/* In the order of the table. */
struct kern_state {
	struct kern_fs *v;
	size_t n;
};

/* Everything that decide needs; 0 or -ENOMEM. */
int kern_scan(const char *root, const struct fsys_table *t, struct kern_state *ret);
void kern_state_clear(struct kern_state *s);

/* The number that tells the folder of a superblock or bdi from that of the next one with
 * its name: FOLDER/NAME below @root; 0: there is none. */
uint64_t kern_dir_id(const char *root, const char *folder, const char *name);

/* Statistics of one of the kernel's contexts. */
struct kern_ctx_stat {
	uint64_t inodes, dirty_bytes, writeback_bytes, written_bytes, rate;
};
/* -ENOENT: there is no such context. */
int kern_ctx_stat(const char *root, const char *bdi, unsigned context,
		  struct kern_ctx_stat *ret);
/* Contexts that @bdi has, 0 if it cannot be told. */
unsigned kern_contexts(const char *root, const char *bdi);

#endif

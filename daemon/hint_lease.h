/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who asked for what: one lease per inode and connection.  A look-up is a linear
 * hash whose buckets split one at a time, so that no lease pays for the table; the
 * leases of a connection that ends go in slices.
 *
 * Of several leases on one inode the newest counts.
 */
#ifndef WB_HINT_LEASE_H
#define WB_HINT_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hint_leases;

struct hint_lease {
	dev_t dev;
	uint64_t ino;
	uint64_t write_size, file_size; /* bytes; 0: not told */
	uint64_t owner;                 /* the connection; 0: it has gone (keep) */
	uint32_t since;                 /* seconds, by the caller's clock */
	uint32_t seen;                  /* last time its file was dirtied, or the hint */
	pid_t pid;
	uid_t uid;
	bool keep;
	char comm[16];
	/* hint_lease.c's */
	struct hint_lease *hash_next;
	struct hint_lease *list_next, **list_prev; /* of its owner, or kept ones */
};

_Static_assert(sizeof(struct hint_lease) <= 160, "200 bytes each with their table");

int hint_leases_new(struct hint_leases **ret);
struct hint_leases *hint_leases_free(struct hint_leases *t);

/*
 * Adds or, where @l->owner has one on the inode, replaces a lease.  @max is the
 * limit in all, of which a user other than root gets half.  -ENOSPC: it is reached,
 * *@ret_limit says which; -ENOMEM.
 */
int hint_leases_put(struct hint_leases *t, const struct hint_lease *l, size_t max,
		    size_t *ret_limit);
/* Takes the owner's lease on the inode, or a kept one that the same user made. */
bool hint_leases_drop(struct hint_leases *t, dev_t dev, uint64_t ino, uint64_t owner,
		      uid_t uid);
/* The newest on that inode, or NULL. */
const struct hint_lease *hint_leases_find(const struct hint_leases *t, dev_t dev,
					  uint64_t ino);
/* Its file was dirtied: leases that are kept stay. */
void hint_leases_touch(struct hint_leases *t, dev_t dev, uint64_t ino, uint32_t now);

/* The connection has ended: what it did not ask to keep is to go. */
void hint_leases_end_owner(struct hint_leases *t, uint64_t owner);
/* Frees up to @max leases: of ended owners, and kept ones not seen since @oldest.
 * True if there may be more to do at once. */
bool hint_leases_sweep(struct hint_leases *t, uint32_t oldest, unsigned max);
/* Whether a sweep will be needed some time. */
bool hint_leases_pending(const struct hint_leases *t);

size_t hint_leases_count(const struct hint_leases *t);
uint64_t hint_leases_bytes(const struct hint_leases *t);
/* Calls @fn for up to @max leases. */
void hint_leases_each(const struct hint_leases *t, size_t max,
		      void (*fn)(const struct hint_lease *l, void *arg), void *arg);

#endif

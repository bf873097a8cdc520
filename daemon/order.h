/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The highest order of folios that hints may ask for (folio_order_max), per file system.
 *
 * Larger folios make buffered writes cheaper, but memory that is fragmented must be
 * compacted for them, which can cost more than they save.  Orders up to 3 are not
 * "costly" to the kernel; so that is where it starts, and what it goes back to at once
 * when memory is short of large blocks or somebody had to wait for compaction.  It rises
 * by one for every minute of calm, and only as far as somebody asks for.
 *
 *   order.c       the controller, pure
 *   order_seen.c  what it looks at: /proc/buddyinfo and /proc/vmstat
 */
#ifndef WB_ORDER_H
#define WB_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define ORDER_START  3
#define ORDER_MAX    9  /* 2 MiB in pages of 4 KiB */
#define ORDER_LOOK_S 10 /* between two looks */
#define ORDER_CALM   6  /* looks without trouble before a step up */

struct order_state {
	unsigned order; /* in force */
	unsigned calm;  /* looks without trouble */
};

struct order_now {
	unsigned asked; /* the largest order that somebody asks for; 0: nobody */
	bool stalled;   /* compaction was waited for since the last look */
	bool scarce;    /* few free blocks of the order in force */
	bool plenty;    /* many of the next one */
};

void order_init(struct order_state *s);
/* True: the order is another one. */
bool order_look(struct order_state *s, const struct order_now *now);
/* Order of folios for writes of @bytes, with pages of @page; at most ORDER_MAX. */
unsigned order_of(uint64_t bytes, uint64_t page);

#define ORDERS 11 /* columns of /proc/buddyinfo that count; the last are all above */

struct order_memory {
	uint64_t free[ORDERS]; /* bytes in free blocks of that order */
	uint64_t stalls;       /* compact_stall */
};

/* 0 or -errno. */
int order_memory_read(const char *root, struct order_memory *ret);
bool order_scarce(const struct order_memory *m, unsigned order);
bool order_plenty(const struct order_memory *m, unsigned order);

#endif

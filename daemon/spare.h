/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is there CPU time for more flushers?  Where writers keep all CPUs busy, the
 * kernel's one flusher is not what they wait for, and further ones only take CPU time
 * from them.
 */
#ifndef WB_SPARE_H
#define WB_SPARE_H

#include <stdbool.h>
#include <stdint.h>

#define SPARE_PERCENT 10 /* of all CPUs' time */

struct spare {
	uint64_t total, idle; /* jiffies, at the last sample */
	uint64_t own;         /* the daemon's own, of all its threads */
	bool enough;
};

/* Compares ROOT/proc/stat and our own CPU time with the last sample.  At first, and
 * where it cannot be told, there is enough. */
void spare_sample(const char *root, struct spare *s);

/* The decision for an interval: idle time, and what the daemon itself uses, which would
 * be idle without it. */
bool spare_decide(uint64_t total, uint64_t idle, uint64_t own);

#endif

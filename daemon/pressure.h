/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the machine's memory is dirty, against the kernel's thresholds. */
#ifndef WB_PRESSURE_H
#define WB_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

struct pressure {
	uint64_t dirty;      /* pages */
	uint64_t background; /* pages: above it the kernel's flusher starts */
	bool on;
};

/*
 * Reads ROOT/proc/vmstat.  On from the background threshold up, off again below
 * three quarters of it, so that it does not flutter.  0 or -errno.
 */
int pressure_read(const char *root, struct pressure *p);
/* The decision alone. */
bool pressure_decide(bool was_on, uint64_t dirty, uint64_t background);

/* Milliseconds in which the kernel's own flusher passes by an inode at the
 * latest: vm.dirty_expire_centisecs + vm.dirty_writeback_centisecs. */
uint64_t pressure_expire_ms(const char *root);

#endif

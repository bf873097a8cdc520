/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a backing device does, from sysfs, for the search for the knee: bytes written,
 * time busy, dirty data piled up.  Reading is one thing, what two readings mean is
 * another, which needs no system.
 */
#ifndef WB_LOAD_H
#define WB_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/fsys.h"
#include "daemon/knee.h"

/* What the disks of one bdi have counted so far. */
struct load_disks {
	uint64_t written;  /* bytes */
	uint64_t ios;      /* writes */
	uint64_t busy_ms;  /* with requests under way: of the busiest disk */
	uint64_t queue_ms; /* requests times their time */
};

/* Dirty pages now. */
struct load_dirty {
	uint64_t bytes; /* dirty or under write-back */
	uint64_t mark;  /* from here on the kernel's flusher begins by itself */
	bool own;       /* of this bdi; else of the whole machine */
};

/* The counters of @b's disks below @root.  -ENOENT: one of them is gone. */
int load_read_disks(const char *root, const struct bdev *b, struct load_disks *ret);
/* Requests that fit into the queues of @b's disks; KNEE_UNKNOWN. */
uint64_t load_depth_max(const char *root, const struct bdev *b);
/* Of the machine, from /proc/vmstat. */
int load_read_machine(const char *root, struct load_dirty *ret);
/* Of @bdi: from debugfs, or with @kernel from the kernel's contexts.  What cannot be
 * told is @machine's. */
void load_read_dirty(const char *root, const char *bdi, bool kernel,
		     const struct load_dirty *machine, struct load_dirty *ret);

/* From two readings @ms apart, with the dirty data of the second one, to an observation;
 * false: a counter ran backwards.  @pause_us, @depth_max: or KNEE_UNKNOWN. */
bool load_observe(const struct load_disks *was, const struct load_disks *is, uint64_t ms,
		  const struct load_dirty *dirty, uint64_t pause_us, uint64_t depth_max,
		  struct knee_obs *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long writers are made to pause for want of clean memory, by device: the
 * tracepoint writeback:balance_dirty_pages.  It also is what tells, without anybody
 * having to look, that dirty data piles up.
 */
#ifndef WB_THROTTLE_H
#define WB_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/tracefs.h"

#define THROTTLE_NAME 32 /* of a bdi, as the tracepoint has it */

struct ev_loop;
struct throttle;

/* @heard is called from the loop at a pause while the bell is on.  0 or -errno: it is
 * not to be had here. */
int throttle_new(struct ev_loop *loop, void (*heard)(void *arg), void *arg,
		 struct throttle **ret);
/* Listens to these from now on. */
int throttle_follow(struct throttle *t, char (*bdi)[THROTTLE_NAME], size_t n);
/* Not before the loop has turned since throttle_follow(). */
void throttle_bell(struct throttle *t, bool on);
/* Takes what the kernel has told so far, of all devices. */
void throttle_read(struct throttle *t);
/* The worst pause on @bdi that was read since it was last asked for, in microseconds;
 * 0: none.  KNEE_UNKNOWN: @t is NULL, or does not listen to it. */
uint64_t throttle_take(struct throttle *t, const char *bdi);
struct throttle *throttle_free(struct throttle *t);

/* One record of the ring, for tests: microseconds, and whose; 0: it is none. */
uint64_t throttle_parse(const struct trace_pause_format *f, const uint8_t *rec,
			size_t len, char bdi[THROTTLE_NAME]);
/* The kernel's filter; without names if they do not fit. */
void throttle_filter(char (*bdi)[THROTTLE_NAME], size_t n, char *buf, size_t len);

#endif

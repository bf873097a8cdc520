/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One perf event of our tracepoint per CPU, each with a ring of its own. */
#ifndef WB_TRACE_RINGS_H
#define WB_TRACE_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/tracefs.h"

struct ev_loop;
struct trace_rings;

/*
 * Opens and enables an event on every CPU that is online, with the kernel's
 * @filter, which cannot be changed later.  @wake(@arg) is called from the loop when
 * a ring is half full, and at the first event if waking is on (at first it is not, and
 * must not be before the loop has turned).  0 or -errno.
 */
int trace_rings_new(struct ev_loop *loop, const struct trace_format *fmt,
		    const char *filter, void (*wake)(void *arg), void *arg,
		    struct trace_rings **ret);
void trace_rings_wake(struct trace_rings *r, bool on);
/* Hands every record to @record: its type, and the bytes with the header.  Returns
 * how many there were.  A ring found full gives a PERF_RECORD_LOST of no bytes. */
unsigned trace_rings_drain(struct trace_rings *r,
			   void (*record)(uint32_t type, const uint8_t *rec, size_t len,
					  void *arg),
			   void *arg);
struct trace_rings *trace_rings_free(struct trace_rings *r);

#endif

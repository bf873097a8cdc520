/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The descriptions of our tracepoints, from tracefs. */
#ifndef WB_TRACEFS_H
#define WB_TRACEFS_H

#include <stdint.h>

struct trace_field {
	uint16_t off, size; /* bytes in the raw record */
};

struct trace_format {
	uint64_t id; /* perf_event_attr.config */
	struct trace_field dev, ino, mode;
	struct trace_field pid; /* size 0: there is none */
};

/*
 * Reads the format of writeback:writeback_dirty_inode_enqueue.  Where tracefs is
 * not mounted, it is opened by a mount that is attached nowhere.  0 or -errno
 * (-EOPNOTSUPP: the tracepoint lacks a field that we need).
 */
int tracefs_dirty_inode(struct trace_format *ret);
/* The same from the text of a format file, for tests and fuzzing. */
int tracefs_parse(const char *text, struct trace_format *ret);

/* writeback:balance_dirty_pages: a writer is made to pause. */
struct trace_pause_format {
	uint64_t id;
	struct trace_field bdi;   /* its name, in a field of this size */
	struct trace_field pause; /* ms, signed */
};
int tracefs_pause(struct trace_pause_format *ret);
int tracefs_parse_pause(const char *text, struct trace_pause_format *ret);

/*
 * A disabled perf event of it on @cpu, every event a raw sample.  Its ring wakes
 * pollers when @watermark bytes are in it, 0: at every event.  fd or -errno.
 */
int tracefs_open_event(const struct trace_format *f, int cpu, unsigned watermark);

#endif

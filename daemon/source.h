/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the engine learns that an inode has become dirty.  Two sources:
 *
 * trace     the tracepoint writeback:writeback_dirty_inode_enqueue, through
 *           perf.  It fires once when a clean inode becomes dirty, so a write to
 *           an inode that is dirty already costs nothing at all; it sees writes
 *           through mmap too.  It names an inode by number only.  A flush by
 *           sync_file_range does not make the inode clean in the kernel's eyes
 *           (only its flusher does), so the inode is not announced again until
 *           the flusher has passed by: see "lingering" in engine_track.c.
 * fanotify  FAN_MODIFY on the file system, reported with file handles, and per
 *           inode an evictable ignore mark that silences it while it is dirty.
 *           Works where inodes have no handle that follows from the number
 *           (btrfs, bcachefs) and where tracepoints are not to be had.
 */
#ifndef WB_SOURCE_H
#define WB_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ev_loop;

/* An inode of file system slot @fs became dirty. */
struct source_event {
	uint16_t fs;
	uint64_t ino;       /* the inode's number, or a hash of the handle */
	const void *handle; /* fanotify; NULL: found by its number */
	uint8_t handle_type;
	uint8_t handle_len;
	pid_t pid; /* who dirtied it; 0: not known */
};

struct source_sink {
	void (*dirty)(const struct source_event *ev, void *arg);
	/* Events were lost: any inode may be dirty unseen.  @fs, or UINT16_MAX: all. */
	void (*lost)(uint16_t fs, uint64_t n, void *arg);
	void *arg;
};

/* ---- trace: one for all file systems ------------------------------------- */

struct source_trace;

int source_trace_new(struct ev_loop *loop, const struct source_sink *sink,
		     struct source_trace **ret);
int source_trace_add(struct source_trace *s, dev_t dev, uint16_t fs);
void source_trace_remove(struct source_trace *s, dev_t dev);
/* Takes what has come so far, without waiting for the next wake-up. */
void source_trace_poll(struct source_trace *s);
struct source_trace *source_trace_free(struct source_trace *s);

/* ---- fanotify: one per file system --------------------------------------- */

struct source_fan;

int source_fan_new(struct ev_loop *loop, const struct source_sink *sink, uint16_t fs,
		   const char *mountpoint, int mnt_id, struct source_fan **ret);
/* Watches anew, if it is another superblock at the same place by now; else it changes
 * nothing.  0 or -errno. */
int source_fan_renew(struct source_fan *s, const char *mountpoint, int mnt_id);
/* The group, for fan_silence() and fan_rearm(), which run on workers. */
int source_fan_fd(const struct source_fan *s);
/* Takes what has come so far. */
void source_fan_poll(struct source_fan *s);
struct source_fan *source_fan_free(struct source_fan *s);

#endif

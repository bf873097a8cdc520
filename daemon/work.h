/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done to inodes on worker threads, in batches: open by handle, look,
 * judge, and write out at once what is small.  Batches hold everything they need
 * by value or by a reference to their file system, so the loop may go on.
 */
#ifndef WB_WORK_H
#define WB_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/fan.h"
#include "daemon/fsys.h"
#include "daemon/hint_rule.h"
#include "daemon/itab.h"
#include "daemon/judge.h"
#include "daemon/pool.h"

#define WORK_BATCH      32
#define WORK_SMALL      (1u << 20)   /* a range up to this is flushed in the batch */
#define WORK_DATA_GROUP (256u << 10) /* dirty bytes from which FIEMAP is asked */

/* How an inode of this file system is opened. */
enum work_open {
	WORK_HANDLE, /* by the handle that fanotify gave */
	WORK_INO32,  /* by inode number, any generation (ext4, f2fs) */
	WORK_XFS,    /* by inode number; the generation is asked from XFS */
};

/* What a batch needs of its file system; fixed while it is referenced. */
struct work_fs {
	const char *target;
	int mnt_id;
	enum work_open how;
	struct geom geom;
	struct judge_conf judge;
	const struct fsys_inode *skip; /* swap: never touched */
	unsigned n_skip;
	dev_t dev;
	struct hint_rules *rules; /* NULL: none; the reference is ework's */
	int fan_fd;               /* -1: the source is trace */
	enum fan_marks marks;
};

struct ework;

struct work_item {
	/* in */
	uint32_t idx; /* the record; not touched by the worker */
	uint64_t ino;
	uint32_t group;
	uint8_t handle_type, handle_len;
	uint8_t handle[ITAB_HANDLE_MAX];
	bool silence, silenced, drain;
	uint64_t age_ms;
	struct judge_past past;
	struct hint hint;   /* of a lease; zero: the rules are asked */
	uint64_t processes; /* mask of the rules that fit who dirtied it */
	/* out */
	int rule;  /* that gave the hint; -1: none */
	int error; /* -errno: could not be opened or looked at; -ESTALE: gone */
	int flush_error;
	bool unreachable;
	bool flushed; /* small: done */
	int fd;       /* large, verdict JUDGE_FLUSH: to be flushed and closed */
	uint64_t size, dirty;
	uint32_t cost_us; /* of the look */
	struct judge_ret verdict;
};

struct work_batch {
	struct pool_job job; /* must be first */
	const struct work_fs *fs;
	struct ework *ework; /* the reference that keeps fs */
	void *owner, *ctx;   /* the engine's */
	bool pressure;
	bool cachestat;
	unsigned n;
	struct work_item item[WORK_BATCH];
};

/* pool_job.run of a batch. */
void work_run(struct pool_job *job);

#endif

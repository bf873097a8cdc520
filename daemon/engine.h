/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user engine seen from outside: it is given a plan, it tells what it does.
 * Everything here runs on the loop's thread and never blocks.
 */
#ifndef WB_ENGINE_H
#define WB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/conf.h"
#include "daemon/hint_rule.h"
#include "daemon/plan.h"

struct ev_loop;
struct engine;

int engine_new(struct ev_loop *loop, const struct conf *c, struct engine **ret);

/*
 * Makes the engine follow @p: file systems that are new are watched, those that
 * are gone or no longer managed are let go (their queues are dropped, the kernel
 * has the data).  Takes ownership of @t and @p.  Settings that can change at run
 * time are taken from @c, which must outlive the engine or the next apply.
 */
int engine_apply(struct engine *e, const struct conf *c, struct fsys_table *t,
		 struct plan *p);
const struct fsys_table *engine_table(const struct engine *e);
const struct plan *engine_plan(const struct engine *e);

/* Ends all work: no new operation is started, those in flight are waited for
 * (each is one stride), every mark is removed. */
struct engine *engine_free(struct engine *e);

/* ---- What it does now ------------------------------------------------- */

struct engine_ctx_stat {
	unsigned context;
	uint64_t inodes;        /* tracked, whose group maps here */
	uint64_t dirty_bytes;   /* theirs, as of each one's last look */
	uint64_t flushed_bytes; /* since the engine started */
	uint64_t rate;          /* bytes per second, over the last seconds */
	unsigned queued;        /* inodes waiting to be flushed */
	unsigned in_flight;     /* operations */
};

struct engine_fs_stat {
	const char *source; /* "trace" or "fanotify"; NULL if not managed */
	uint64_t inodes;
	uint64_t dirty_bytes;
	uint64_t flushed_bytes;
	uint64_t events;       /* dirty notifications */
	uint64_t skipped_gone; /* deleted before they were flushed */
	uint64_t left_hot;     /* decisions to let a hot range cool */
	uint64_t errors;       /* write-back errors seen (syncfs reports them) */
	int last_errno;
	bool overflow;    /* events were lost lately: unknown inodes may be dirty */
	bool unreachable; /* its mount point is hidden by another mount */
};

struct engine_stat {
	const char *io;     /* "io_uring" or "threads" */
	const char *io_why; /* why not io_uring; NULL if it is */
	uint64_t inodes, inodes_max;
	uint64_t table_bytes; /* memory of the inode table */
	uint64_t overflows;   /* times events were lost */
	uint64_t refused;     /* inodes not tracked for the limit */
	bool pressure;        /* dirty memory is above the background threshold */
	bool cachestat;
	unsigned threads; /* worker threads now */
};

void engine_get_stat(const struct engine *e, struct engine_stat *ret);
/* -ENOENT: no such file system in the plan. */
int engine_get_fs_stat(const struct engine *e, dev_t dev, struct engine_fs_stat *ret);
/* Fills up to @max contexts of the bdi of @dev; returns how many it has or -ENOENT. */
int engine_get_ctx_stat(const struct engine *e, dev_t dev, struct engine_ctx_stat *ret,
			unsigned max);

/* What is known of one inode. */
struct engine_ino_stat {
	bool tracked;
	uint64_t dirty_bytes;
	uint64_t age_ms;   /* dirty for so long */
	const char *state; /* "watched", "queued", "flushing", "hot", "lingering" */
	int rule;          /* hint_rules.v[]: that its last look found; -1: none */
};
int engine_get_ino_stat(const struct engine *e, dev_t dev, uint64_t ino,
			struct engine_ino_stat *ret);

/* Does it know of dirty inodes on this backing device? */
bool engine_is_active(const struct engine *e, const char *bdi);
/* @fn is called at each notification from a file system whose contexts are searched; it
 * must be cheap and not call back.  NULL: nobody is. */
void engine_on_dirty(struct engine *e, void (*fn)(void *arg), void *arg);

/* ---- Draining ------------------------------------------------------------ */

struct engine_drain;
struct drain_progress {
	uint64_t inodes_done, inodes_all;
	uint64_t bytes_done, bytes_all; /* all grows while inodes are looked at */
	bool finished;
	int error; /* first write-back error seen, -errno; syncfs is the judge */
};
/*
 * Pushes everything that is tracked on @dev now through all its contexts.
 * @progress is called at most every 100 ms and once at the end (finished), never
 * from within this call.  Free the drain at any time to stop listening; what is
 * queued is still flushed.  -ENOENT: not managed.
 */
int engine_drain_start(struct engine *e, dev_t dev,
		       void (*progress)(const struct drain_progress *p, void *arg),
		       void *arg, struct engine_drain **ret);
struct engine_drain *engine_drain_free(struct engine_drain *d);

/* ---- Hints ---------------------------------------------------------------- */

/* Who asks for what (hint_lease.h), asked before each look at an inode. */
struct engine_hints {
	/* True: @ret is set.  @dirtied: it was written to since the look before. */
	bool (*find)(void *arg, dev_t dev, uint64_t ino, bool dirtied, struct hint *ret);
	void *arg;
};
/* NULL: nobody.  @h must outlive the engine, or the next call. */
void engine_set_hints(struct engine *e, const struct engine_hints *h);
/* The [hint] sections that are in force; NULL: there are none. */
const struct hint_rules *engine_hint_rules(const struct engine *e);

/* ---- Events -------------------------------------------------------------- */

enum engine_event_kind {
	ENGINE_FS_MANAGED,
	ENGINE_FS_RELEASED,
	ENGINE_FLUSH, /* an inode went to its context */
	ENGINE_FLUSHED,
	ENGINE_GONE,
	ENGINE_HOT,
	ENGINE_OVERFLOW,
	ENGINE_ERROR,
	ENGINE_PRESSURE,
};
struct engine_event {
	enum engine_event_kind kind;
	dev_t dev;
	uint64_t ino;
	unsigned context;
	uint64_t bytes;
	int error;
	const char *reason; /* one clause */
};
const char *engine_event_name(enum engine_event_kind k);
/* One listener (the API fans out); NULL removes it and costs nothing then. */
void engine_listen(struct engine *e, void (*fn)(const struct engine_event *ev, void *arg),
		   void *arg);

#endif

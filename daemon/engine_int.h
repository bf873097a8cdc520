/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user engine from inside.
 *
 *   engine.c        life, and following a plan
 *   engine_fs.c     one managed file system: its source, its worker's view
 *   engine_track.c  inodes: dirtied, looked at when due, settled
 *   engine_run.c    contexts: which batches and flushes run, and how many
 *   engine_hint.c   what applications and rules say of an inode
 *   engine_drain.c  draining a file system for `wbctl sync`
 *   engine_stat.c   what is told to others
 *
 * An inode's way:  source -> track (wheel) -> ready list of its context ->
 * batch on a worker (look, judge, write out what is small) -> settled, or a
 * flush in strides on its context -> settled.
 */
#ifndef WB_ENGINE_INT_H
#define WB_ENGINE_INT_H

#include "daemon/engine.h"
#include "daemon/ev.h"
#include "daemon/io.h"
#include "daemon/itab.h"
#include "daemon/pool.h"
#include "daemon/pressure.h"
#include "daemon/spare.h"
#include "daemon/source.h"
#include "daemon/wheel.h"
#include "daemon/work.h"

#define UNIT             4096u        /* of struct ino's sizes */
#define UNITS_MAX        UINT32_MAX   /* 16 TiB or more */
#define LINGER_MIN_BYTES (256u << 10) /* smaller files are dropped once flushed */
#define LOOKS_PER_TICK   50           /* first looks at young inodes */
#define SLOTS_MAX        4096         /* managed file systems at once */

/* A number that decays: bytes per second over the last few seconds. */
struct rate {
	double value;
	double when;
};

/* One inode being written out in strides. */
struct eflush {
	struct eflush *next;
	struct efs *fs;
	struct ectx *ctx;
	uint32_t idx;
	int fd;
	uint64_t off, end, step; /* next operation begins at off */
	uint64_t bytes;          /* dirty bytes expected in all, for the figures */
	uint64_t range;
	uint64_t flushed_to; /* remembered for a stream */
	unsigned in_flight;
	int error;
	bool drain; /* asked for by one: all of the inode */
	enum judge_reason reason;
};

struct ectx {
	struct ebdi *bdi;
	unsigned id;
	struct ilist ready; /* inodes to look at */
	struct eflush *head, **tail;
	unsigned n_flush;   /* on that list or with operations in flight */
	unsigned in_flight; /* operations and batches */
	bool batch_next;    /* whose turn it is */
	int cpu;
	uint64_t inodes, dirty; /* tracked; dirty in units */
	uint64_t flushed;       /* bytes */
	struct rate rate;
};

/* The contexts of one backing device. */
struct ebdi {
	struct ebdi *next;
	struct engine *e;
	char name[sizeof(((struct bdev *)NULL)->bdi)];
	unsigned refs;
	unsigned n; /* contexts in use; those above only finish what they have */
	struct ectx ctx[CONF_CONTEXTS_MAX];
};

/* What workers see of a file system; immutable, so it is replaced, not changed. */
struct ework {
	struct work_fs fs;
	unsigned refs;
	char *target;
	struct fsys_inode *skip;
};

/* One managed file system. */
struct efs {
	struct engine *e;
	uint16_t slot;
	bool gone;     /* released; only waits for what is in flight */
	unsigned refs; /* batches and flushes in flight */
	dev_t dev;
	struct ebdi *bdi;
	struct ework *work;
	unsigned shift;
	bool watched;           /* somebody wants to hear of each notification */
	struct source_fan *fan; /* NULL: trace */
	struct engine_fs_stat stat;
	bool lost; /* notifications, the last time at lost_when */
	double lost_when;
	uint64_t dirty; /* units */
	/* draining */
	struct engine_drain *drains;
	uint64_t drain_left; /* inodes with INO_F_DRAIN */
	uint32_t drain_scan; /* next record to mark; ITAB_NONE: all are */
	struct drain_progress drain_sum;
};

struct engine {
	struct ev_loop *loop;
	const struct conf *conf;
	struct fsys_table *table;
	struct plan *plan;
	struct itab *tab;
	struct wheel wheel;
	struct pool *pool;
	struct io *io;
	struct source_trace *trace; /* opened with the first user */
	int trace_error;
	struct efs *fs[SLOTS_MAX];
	struct ebdi *bdis;
	ev_timer tick;
	ev_timer drain_step; /* marks a slice of the table per turn */
	ev_timer drain_progress;
	double epoch; /* tick 0 */
	struct pressure pressure;
	struct spare spare;   /* CPU time */
	double pressure_read; /* when */
	double pressure_scan;
	uint64_t linger_ms;
	enum fan_marks marks;
	bool cachestat;
	bool stopping;
	bool stalled;         /* some context is, see run_stalled() */
	unsigned first_looks; /* in this tick */
	uint64_t active;      /* records that are not lingering */
	uint64_t silenced;    /* records with an ignore mark */
	uint64_t overflows, refused;
	const struct engine_hints *hints; /* NULL: nobody has any */
	struct hint_rules *rules;         /* NULL: none; every ework has them too */
	const struct conf *rules_conf;    /* that they were made from */
	struct hint_proc_cache *procs;
	void (*on_dirty)(void *arg);
	void *on_dirty_arg;
	void (*listener)(const struct engine_event *ev, void *arg);
	void *listener_arg;
};

/* ---- engine.c ---- */
double engine_now(void);                      /* seconds, monotonic */
uint32_t engine_tick(const struct engine *e); /* now, in wheel ticks */
void engine_emit(struct engine *e, enum engine_event_kind kind, const struct efs *fs,
		 const struct ino *i, uint64_t bytes, int error, const char *reason);

/* ---- engine_hint.c ---- */
int hint_set_rules(struct engine *e, const struct conf *c);
/* An inode was dirtied by @pid. */
void hint_note_process(struct engine *e, struct ino *i, pid_t pid);
/* What is known of its hint before the look. */
void hint_fill(struct engine *e, const struct efs *f, const struct ino *i,
	       struct work_item *it);

/* ---- engine_fs.c ---- */
int efs_new(struct engine *e, const struct plan_fs *p, struct efs **ret);
/* Takes over what changed in the plan; 0 or -errno (then it should be released). */
int efs_update(struct efs *f, const struct plan_fs *p);
/* Stops watching, drops all records; freed when nothing of it is in flight. */
void efs_release(struct efs *f);
void efs_get(struct efs *f);
void efs_put(struct efs *f);
/* May @p be taken over by @f, or is it another mount by now? */
bool efs_same(const struct efs *f, const struct plan_fs *p);
struct efs *efs_find(const struct engine *e, dev_t dev); /* not one that is gone */
struct ework *ework_get(struct ework *w);
void ework_put(struct ework *w);
struct ectx *efs_ctx(const struct efs *f, uint32_t group);

/* ---- engine_track.c ---- */
void track_dirty(const struct source_event *ev, void *arg);
void track_lost(uint16_t fs, uint64_t n, void *arg);
/* Were notifications lost within the time in which the kernel's own flusher passes by
 * every inode?  Then some may be dirty that are not tracked. */
bool track_has_unknown(const struct efs *f);
void track_on_tick(struct engine *e);
/* Makes the record go to its context's ready list, from wherever it waits. */
void track_ready(struct engine *e, uint32_t idx);
/* A worker is through with the record of @it. */
void track_settle(struct engine *e, struct efs *f, struct work_item *it);
/* A flush in strides has ended. */
void track_flushed(struct engine *e, struct eflush *fl);
/* Drops every record of @f; those in other hands become orphans. */
void track_forget_fs(struct engine *e, struct efs *f);
/* Is nothing flushed but by a drain? */
bool track_only_watches(const struct efs *f);
/* That has changed: what waits for long is looked at as if it had just become dirty. */
void track_hurry(struct engine *e, struct efs *f);
/* Contexts have changed: every record of the bdi finds its place anew. */
void track_remap(struct engine *e, struct ebdi *b);
void track_arm_timer(struct engine *e);
/* Dirty memory is high, and there is CPU time to do something about it. */
bool track_presses(const struct engine *e);
/* Is it dirtied often enough for an ignore mark to pay? */
bool track_wants_silence(const struct engine *e, const struct ino *i);
uint64_t track_age_ms(const struct engine *e, const struct ino *i);

/* ---- engine_run.c ---- */
void run_ctx(struct ectx *c);
/* Another try for contexts that stand still for want of memory. */
void run_stalled(struct engine *e);
/* Takes over @fd. */
int run_flush(struct efs *f, struct ectx *c, uint32_t idx, int fd,
	      const struct judge_ret *v);
/* Ends the flushes of @f that have nothing in flight: it is released. */
void run_reap(struct efs *f);
/* close(2) off the loop: the last one of a deleted file truncates it. */
void run_close(struct engine *e, int fd, int cpu);
void rate_add(struct rate *r, double now, uint64_t bytes);
double rate_get(const struct rate *r, double now);

/* ---- engine_drain.c ---- */
/* One inode that a drain waits for is done. */
void drain_one_done(struct efs *f, struct ino *i, int error);
void drain_end_all(struct efs *f); /* the file system is released */
void drain_on_step(struct ev_loop *loop, ev_timer *w, int revents);
void drain_on_progress(struct ev_loop *loop, ev_timer *w, int revents);

#endif

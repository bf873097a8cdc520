/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do with one dirty inode: a pure function of what was seen of it.
 *
 * The kernel writes everything out sooner or later; whatever is flushed earlier
 * than that must not be written twice because of it.  Hence the rules, in order:
 *
 *   drain      somebody waits for it: flush.
 *   clean      nothing to do; linger (it may be dirtied again unseen) or drop.
 *   young      it may be deleted before it was ever worth writing: wait.
 *   stream     it grows: what lies below the last whole stride is not written
 *              again; flush that once there is enough of it.
 *   small      neither large nor old: wait until it is old.
 *   cold       not changed for `cool`: flush.
 *   hot        changed in place just now: leave it to cool, less often asked
 *              each time - unless memory is short of clean pages, when the
 *              kernel writes it out as well.
 */
#ifndef WB_JUDGE_H
#define WB_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#define JUDGE_OFF        UINT64_MAX /* as CONF_OFF */
#define JUDGE_YOUNG_MS   1000
#define JUDGE_CLOCK_MS   100  /* how much two clocks may differ */
#define JUDGE_STREAM_MS  500  /* how often a growing file is looked at */
#define JUDGE_HOT_MAX_MS 8000 /* the longest wait between looks at a hot file */

struct judge_conf {
	uint64_t after; /* bytes */
	uint64_t age_ms;
	uint64_t cool_ms;
	uint64_t stride;    /* bytes */
	uint64_t linger_ms; /* how long a clean inode is kept; 0: not at all */
};

/* What a look found. */
struct judge_now {
	uint64_t size;
	uint64_t dirty;   /* bytes; if !exact, an upper bound */
	bool exact;       /* cachestat told */
	uint64_t age_ms;  /* dirty for so long */
	uint64_t idle_ms; /* since its last change */
	bool pressure;
	bool drain;
};

/* What the looks before found. */
struct judge_past {
	bool looked;
	uint64_t size;
	uint64_t flushed; /* a stream's data below this is on its way */
	uint8_t patience;
	bool lingering;
	uint64_t clean_ms; /* lingering: flushed, or seen to be clean, so long ago */
};

enum judge_verdict { JUDGE_DROP, JUDGE_WAIT, JUDGE_FLUSH };

enum judge_reason {
	JUDGE_R_DRAIN,
	JUDGE_R_CLEAN,
	JUDGE_R_YOUNG,
	JUDGE_R_STREAM,
	JUDGE_R_SMALL, /* below flush_after and flush_age */
	JUDGE_R_LARGE,
	JUDGE_R_OLD,
	JUDGE_R_HOT,
	JUDGE_R_PRESSURE,
};

struct judge_ret {
	enum judge_verdict verdict;
	enum judge_reason reason;
	uint64_t off, end; /* JUDGE_FLUSH: the range, in bytes */
	uint64_t bytes;    /* JUDGE_FLUSH: dirty bytes expected in it */
	uint64_t stride;   /* JUDGE_FLUSH: bytes per operation; the caller sets it */
	uint64_t wait_ms;  /* JUDGE_WAIT */
	uint8_t patience;  /* to remember */
	uint64_t flushed;  /* to remember, once flushed */
};

struct judge_ret judge(const struct judge_conf *c, const struct judge_past *past,
		       const struct judge_now *now);
const char *judge_reason_text(enum judge_reason r);

#endif

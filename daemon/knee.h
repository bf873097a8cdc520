/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for the knee: how many writeback contexts a device is best served by.
 *
 * A pure state machine, the same for both engines.  It has no clock and does no I/O:
 * an engine feeds it one observation per second or so while data is dirty, and sets
 * the number of contexts that knee_contexts() says after each.
 *
 *     struct knee k;
 *     knee_init(&k, &(struct knee_conf){.cap = groups, .rotational = 0, .start = 0});
 *     every KNEE_SAMPLE_MS while something is dirty:
 *             fill in struct knee_obs for the time since the last one;
 *             if (knee_step(&k, &obs) & KNEE_EV_CONTEXTS)
 *                     set knee_contexts(&k); refused? knee_refuse(&k, that number);
 *     nothing is dirty any more, the timer stops: knee_idle(&k) (same return value);
 *     groups or disks below have changed: knee_set_cap();
 *     KNEE_EV_FOUND: remember knee_found() and knee_rate() (knee_state.h).
 *
 * An engine that is told by its administrator to use a fixed number has no knee.
 * Story of the search: doc/design.md and the top of knee.c.
 */
#ifndef WB_KNEE_H
#define WB_KNEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KNEE_MAX       64   /* contexts */
#define KNEE_SAMPLE_MS 1000 /* an observation should cover about so much */
#define KNEE_UNKNOWN   UINT64_MAX
#define KNEE_HALF      8  /* samples on each side of a crossing */
#define KNEE_CROSSINGS 16 /* most per trial */
#define KNEE_TRIALS    24 /* remembered for `wbctl explain` */

struct knee_conf {
	unsigned cap;   /* most contexts that make sense: groups, a bound of the engine */
	int rotational; /* 1 yes, 0 no, -1 unknown (counts as yes) */
	unsigned start; /* remembered number; 0: none */
	unsigned settle; /* samples dropped after each change of contexts; 0: 2 */
};

/* What was seen since the observation before.  Rates follow from ms. */
struct knee_obs {
	uint64_t ms;        /* length; less than 200 or more than 5000 is not used */
	uint64_t written;   /* bytes that reached the device */
	uint64_t ios;       /* write requests they came in; KNEE_UNKNOWN */
	uint64_t dirty;     /* bytes dirty or under write-back now */
	uint64_t mark;      /* dirty bytes from which data "piles up": the background
			     * threshold */
	uint64_t pause_us;  /* worst dirty-throttle pause; 0: none; KNEE_UNKNOWN */
	uint64_t busy;      /* permille of the time the device had requests;
			     * KNEE_UNKNOWN */
	uint64_t depth;     /* requests in flight on average, times 1000; KNEE_UNKNOWN */
	uint64_t depth_max; /* requests (not times 1000) the queue takes; KNEE_UNKNOWN */
	bool unusable;      /* still settling, or an event was lost: look at nothing */
};

enum knee_state {
	KNEE_OFF,   /* one context, and that is that */
	KNEE_WAIT,  /* has not seen enough load to begin */
	KNEE_TRIAL, /* two numbers are being compared */
	KNEE_HOLD,  /* found; watches for a change of the load */
};

/* Why it stands where it stands; knee_why_text() has the words. */
enum knee_why {
	KNEE_W_ROTATIONAL,
	KNEE_W_ROTATION_UNKNOWN,
	KNEE_W_CAP,       /* there is only one group */
	KNEE_W_REFUSED,   /* more cannot be set */
	KNEE_W_NO_LOAD,   /* write-back has kept up so far */
	KNEE_W_LIMIT,     /* data piles up, but the device is at its limit */
	KNEE_W_COLLECT,   /* data piles up: measuring what one number gives */
	KNEE_W_MEASURE,   /* comparing two */
	KNEE_W_FOUND,     /* neither more nor fewer are better */
	KNEE_W_FOUND_CAP, /* more would need more groups */
	KNEE_W_FOUND_ONE, /* one context does as well as more */
	KNEE_W_HOLD_OFF,  /* the load has changed, but the last search was lately */
};

/* What began a search. */
enum knee_cause {
	KNEE_C_START,
	KNEE_C_FASTER, /* throughput has risen: another load */
	KNEE_C_SLOWER, /* it has fallen */
	KNEE_C_SIZE,   /* requests have another size */
	KNEE_C_PAUSE,  /* the worst throttle pause has grown */
	KNEE_C_LIMIT,  /* the device has come to its limit: do fewer do? */
	KNEE_C_CAP,    /* there are other groups now */
};

enum knee_verdict {
	KNEE_V_RUNNING,
	KNEE_V_GAIN,      /* hi gains at least 5 % over lo: hi */
	KNEE_V_NO_GAIN,   /* it does not: lo */
	KNEE_V_PAUSE,     /* throttle pauses are worse with hi: lo */
	KNEE_V_LIMIT,     /* the device is at its limit with both: lo */
	KNEE_V_UNDECIDED, /* too much noise, or too little load: as before */
	KNEE_V_REFUSED,   /* the number could not be set: as before */
	KNEE_V_CUT,       /* the cap has changed meanwhile */
};

/* One comparison of two numbers of contexts. */
struct knee_trial {
	unsigned lo, hi;
	bool from_hi; /* hi was in use before; else lo */
	enum knee_cause cause;
	enum knee_verdict verdict;
	double gain;  /* of hi over lo: 0.05 is 5 %; of all crossings so far */
	double error; /* its standard error */
	unsigned crossings, samples;
	uint64_t rate_lo, rate_hi;   /* bytes per second */
	uint64_t pause_lo, pause_hi; /* mean of the worst of each sample, us, or
				      * KNEE_UNKNOWN */
};

/* What knee_step() returns: a set of these. */
#define KNEE_EV_CONTEXTS 1u /* knee_contexts() is another number now */
#define KNEE_EV_SETTLED  2u /* knee_settled() is */
#define KNEE_EV_TRIAL    4u /* a trial has ended: the last of knee_trials() */
#define KNEE_EV_FOUND    8u /* a search has ended */

/* Sum, and what is needed for mean and variance. */
struct knee_sum {
	unsigned n;
	double mean, m2;
};

/* ---- The rest is knee*.c's ------------------------------------------------- */

struct knee_cross {
	double g; /* log of candidate over incumbent */
	double v; /* its variance in units of one sample's */
};

struct knee {
	struct knee_conf conf;
	enum knee_state state;
	enum knee_why why;
	enum knee_cause cause;
	unsigned now;      /* contexts wanted in force */
	unsigned base;     /* the incumbent */
	uint64_t clock;    /* ms seen */
	unsigned searches; /* ended */
	/* Usable samples at `now`: bytes per second. */
	double ring[KNEE_HALF];
	unsigned n_ring, ring_at;
	unsigned skip; /* samples to drop: a change of contexts settles */
	bool was_loaded;
	uint64_t last_dirty;
	unsigned limit_run; /* samples in a row at the device's limit */
	/* Noise of one sample, relative to the mean. */
	double noise_ss, noise_df;
	/* The trial. */
	unsigned cand;
	bool arm;               /* in a block of the candidate */
	bool crossing;          /* `after` is not complete */
	unsigned block_n;       /* samples in this block */
	struct knee_sum before; /* the last samples of the block before */
	struct knee_sum after;  /* the first ones of this block */
	bool shared;            /* `before` was the `after` of its block as well */
	struct knee_cross cross[KNEE_CROSSINGS];
	unsigned n_cross, dropped;                 /* the load changed just then */
	struct knee_sum arm_rate[2], arm_pause[2]; /* incumbent, candidate */
	unsigned arm_limit[2];
	uint64_t trial_began;
	/* The search: the best is in (lo, hi), both exclusive. */
	unsigned lo, hi;
	bool down_first, up_done, down_done;
	double given; /* log of what steps down have cost in this search */
	/* Holding. */
	struct knee_sum win_rate, win_size, win_pause;
	unsigned win_limit;
	unsigned ref_n; /* windows in the reference */
	double ref_rate, ref_size, ref_pause;
	double scatter_ss, scatter_df; /* of windows about it, in logs */
	bool limit_known;              /* the search has taken it into account */
	unsigned dev_run;              /* windows in a row that deviate by dev_cause */
	enum knee_cause dev_cause;
	uint64_t hold_since, holdoff, calm_since;
	/* For explain. */
	double rate_of[KNEE_MAX + 1]; /* bytes per second, last mean; 0: never */
	struct knee_trial trials[KNEE_TRIALS];
	unsigned n_trials; /* ever; the last KNEE_TRIALS are kept */
};

/* ---- Use -------------------------------------------------------------------- */

void knee_init(struct knee *k, const struct knee_conf *c);
unsigned knee_step(struct knee *k, const struct knee_obs *o);
/* Nothing is dirty, and no observation will come for a while. */
unsigned knee_idle(struct knee *k);
/* The bound or the kind of the device has changed. */
unsigned knee_set_cap(struct knee *k, unsigned cap, int rotational);
/* @contexts could not be set (and more than those neither). */
unsigned knee_refuse(struct knee *k, unsigned contexts);

/* The number to be in force now; while a trial runs, one of the two compared. */
static inline unsigned knee_contexts(const struct knee *k)
{
	return k->now;
}

/* The number that is best as far as it knows. */
static inline unsigned knee_settled(const struct knee *k)
{
	return k->base;
}

/* A search has ended with knee_settled(); false: not yet. */
static inline bool knee_found(const struct knee *k)
{
	return k->searches > 0;
}

/* Bytes per second that were measured with @contexts, last time; 0: never. */
uint64_t knee_rate(const struct knee *k, unsigned contexts);
/* The i-th last trial (0: the newest, which may be running); NULL: no more. */
const struct knee_trial *knee_trial_get(const struct knee *k, unsigned i);
/* ms for which a change of the load begins no search; 0: none. */
uint64_t knee_holdoff_left(const struct knee *k);

/* Stable words for machines, and clauses for people. */
const char *knee_state_name(enum knee_state s);
const char *knee_why_name(enum knee_why w);
const char *knee_why_text(enum knee_why w);
const char *knee_cause_name(enum knee_cause c);
const char *knee_cause_text(enum knee_cause c);
const char *knee_verdict_name(enum knee_verdict v);
const char *knee_verdict_text(enum knee_verdict v);

#endif

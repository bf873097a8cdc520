// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The search for the knee: states, and the order in which numbers are tried.
 *
 * Throughput over the number of contexts rises steeply, has a flat top and falls
 * slowly.  So the search doubles while that gains 5 % (few steps where the curve is
 * steep), and then halves the interval between the last number that was better and
 * the first that was not, as long as the next one differs by a quarter: finer steps
 * lie on the flat top and cannot be told apart.  What does not gain 5 % over a lower
 * number is given up for it.
 *
 *     WAIT ---8 samples under load, device not at its limit---> TRIAL
 *     TRIAL --verdict--> TRIAL with the next number, or HOLD if there is none
 *     HOLD ---another load, hold-off over (knee_hold.c)-------> TRIAL
 *     OFF: rotational, unknown, or one group only
 *
 * Only samples under load count: dirty data has piled up, before and after, so that
 * what is written is what the device and the contexts can do, and not what happens to
 * be dirtied.
 */
#include <math.h>
#include <string.h>

#include "daemon/knee_int.h"

#define SAMPLE_MIN_MS  200
#define SAMPLE_MAX_MS  5000
#define GAP_MS         60000
#define SETTLE_DEFAULT 2
#define CLOCK_STEP_MAX (24 * 3600000ULL)
#define RATE_MAX       1e15 /* beyond that somebody's counters are wrong */
#define PAUSE_MAX      1e12
#define BUSY           950 /* permille */

/* ---- Observations -------------------------------------------------------------- */

/* Writers are throttled, much is dirty, or it becomes more and is a quarter of that. */
static bool piles_up(const struct knee *k, const struct knee_obs *o)
{
	if (o->pause_us != KNEE_UNKNOWN && o->pause_us > 0)
		return true;
	if (!o->mark)
		return o->dirty > 0;
	return o->dirty >= o->mark || (o->dirty >= o->mark / 4 && k->last_dirty &&
				       o->dirty > k->last_dirty + o->mark / 64);
}

static bool at_limit(const struct knee_obs *o)
{
	return o->busy != KNEE_UNKNOWN && o->depth != KNEE_UNKNOWN &&
	       o->depth_max != KNEE_UNKNOWN && o->depth_max && o->busy >= BUSY &&
	       o->depth / 750 >= o->depth_max;
}

static void convert(const struct knee_obs *o, struct knee_sample *s)
{
	bool sized = o->ios != KNEE_UNKNOWN && o->ios && o->written;

	s->rate = fmin((double)o->written * 1000 / (double)o->ms, RATE_MAX);
	s->size = sized ? log(1 + (double)o->written / (double)o->ios) : -1;
	s->pause =
		o->pause_us == KNEE_UNKNOWN ? -1 : fmin((double)o->pause_us, PAUSE_MAX);
	s->limit = at_limit(o);
}

/* Is it a sample of what write-back can do? */
static bool is_usable(struct knee *k, const struct knee_obs *o)
{
	bool loaded = piles_up(k, o), whole = loaded && k->was_loaded;

	k->was_loaded = loaded;
	k->last_dirty = o->dirty;
	if (!whole || o->unusable || o->ms < SAMPLE_MIN_MS || o->ms > SAMPLE_MAX_MS)
		return false;
	if (k->skip) {
		k->skip--;
		return false;
	}
	return true;
}

/* ---- The search ----------------------------------------------------------------- */

static unsigned min_u(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned max_u(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* The next number to try against the incumbent; 0: the search is over. */
static unsigned next_candidate(struct knee *k)
{
	unsigned up = min_u(2 * k->base, k->hi - 1);
	unsigned down = max_u(k->base / 2, k->lo + 1);
	bool first = k->down_first && !k->down_done;

	if (k->limit_run >= KNEE_LIMIT_RUN)
		k->up_done = true;
	if (!k->up_done && !first && up > k->base)
		return up;
	if (!k->down_done && down < k->base)
		return down;
	k->down_done = true;
	if (!k->up_done && up > k->base)
		return up;
	k->up_done = true;
	/* Half way to what is known to be no better, if that is a quarter away. */
	up = k->base + (k->hi - k->base) / 2;
	if (k->limit_run < KNEE_LIMIT_RUN && up < k->hi && up * 4 >= k->base * 5)
		return up;
	down = k->base - (k->base - k->lo) / 2;
	return down > k->lo && k->base * 4 >= down * 5 && down < k->base ? down : 0;
}

static void go_on(struct knee *k)
{
	unsigned cand = next_candidate(k);

	if (!cand) {
		if (k->cause == KNEE_C_LIMIT || k->limit_run >= KNEE_LIMIT_RUN)
			k->limit_known = true;
		knee_hold_begin(k, k->searches++ > 0);
		return;
	}
	k->state = KNEE_TRIAL;
	k->why = KNEE_W_MEASURE;
	knee_trial_begin(k, cand);
}

static void begin_search(struct knee *k)
{
	k->lo = 0;
	k->hi = k->conf.cap + 1;
	k->up_done = k->down_done = false;
	k->down_first = k->cause == KNEE_C_SLOWER || k->cause == KNEE_C_PAUSE ||
			k->cause == KNEE_C_LIMIT;
	k->given = 0;
	go_on(k);
}

/* The trial is over: the bounds of the search close in. */
static void end_trial(struct knee *k, enum knee_verdict v)
{
	bool from_hi = k->cand < k->base, moved;
	double gain = k->trials[(k->n_trials - 1) % KNEE_TRIALS].gain;

	knee_trial_note(k, v);
	moved = from_hi ? v == KNEE_V_NO_GAIN || v == KNEE_V_PAUSE || v == KNEE_V_LIMIT
			: v == KNEE_V_GAIN;
	if (from_hi) {
		if (moved && gain > 0)
			k->given += log(1 + gain);
		*(moved ? &k->hi : &k->lo) = moved ? k->base : k->cand;
		k->up_done |= moved;
		k->down_done |= !moved;
	} else {
		*(moved ? &k->lo : &k->hi) = moved ? k->base : k->cand;
		k->down_done |= moved;
		k->up_done |= !moved;
	}
	if (moved)
		k->base = k->cand;
	knee_set_now(k, k->base);
}

/* ---- One step -------------------------------------------------------------------- */

static void on_wait(struct knee *k, const struct knee_sample *s)
{
	knee_ring_add(k, s->rate);
	if (k->limit_run >= KNEE_LIMIT_RUN && k->base == 1) {
		k->why = KNEE_W_LIMIT;
		return;
	}
	k->why = KNEE_W_COLLECT;
	/* No trial begins between being at the limit and not. */
	if (k->n_ring < KNEE_HALF || (k->limit_run && k->limit_run < KNEE_LIMIT_RUN))
		return;
	begin_search(k);
}

static void on_sample(struct knee *k, const struct knee_sample *s)
{
	enum knee_verdict v;

	k->limit_run = s->limit ? k->limit_run + 1 : 0;
	switch (k->state) {
	case KNEE_OFF:
		break;
	case KNEE_WAIT:
		on_wait(k, s);
		break;
	case KNEE_TRIAL:
		v = knee_trial_sample(k, s);
		if (v == KNEE_V_RUNNING)
			break;
		end_trial(k, v);
		go_on(k);
		break;
	case KNEE_HOLD:
		knee_ring_add(k, s->rate);
		if (knee_hold_sample(k, s))
			begin_search(k);
		break;
	}
}

/* A trial takes up its number again when load is back. */
static void resume(struct knee *k, const struct knee_obs *o)
{
	if (o->ms > GAP_MS)
		knee_trial_gap(k);
	if (knee_trial_too_long(k)) {
		end_trial(k, KNEE_V_UNDECIDED);
		go_on(k);
	}
	if (k->state == KNEE_TRIAL && piles_up(k, o))
		knee_set_now(k, k->arm ? k->cand : k->base);
}

struct snapshot {
	unsigned now, base, trials, searches;
};

static struct snapshot look(const struct knee *k)
{
	return (struct snapshot){k->now, k->base, k->n_trials - (k->state == KNEE_TRIAL),
				 k->searches};
}

static unsigned events_since(const struct knee *k, struct snapshot was)
{
	struct snapshot is = look(k);

	return (is.now != was.now ? KNEE_EV_CONTEXTS : 0) |
	       (is.base != was.base ? KNEE_EV_SETTLED : 0) |
	       (is.trials != was.trials ? KNEE_EV_TRIAL : 0) |
	       (is.searches != was.searches ? KNEE_EV_FOUND : 0);
}

unsigned knee_step(struct knee *k, const struct knee_obs *o)
{
	struct snapshot was = look(k);
	struct knee_sample s;

	k->clock += o->ms < CLOCK_STEP_MAX ? o->ms : CLOCK_STEP_MAX;
	if (k->state == KNEE_TRIAL)
		resume(k, o);
	if (k->state != KNEE_OFF && is_usable(k, o)) {
		convert(o, &s);
		on_sample(k, &s);
	}
	return events_since(k, was);
}

unsigned knee_idle(struct knee *k)
{
	struct snapshot was = look(k);

	k->was_loaded = false;
	k->last_dirty = 0;
	/* A ring of the candidate's samples is of use only if it goes on soon. */
	if (k->state == KNEE_TRIAL && k->arm) {
		k->now = k->base;
		k->skip = k->conf.settle;
	}
	return events_since(k, was);
}

/* ---- Limits ---------------------------------------------------------------------- */

static enum knee_why why_off(const struct knee *k)
{
	if (k->conf.rotational > 0)
		return KNEE_W_ROTATIONAL;
	return k->conf.rotational < 0 ? KNEE_W_ROTATION_UNKNOWN : KNEE_W_CAP;
}

/* A trial that cannot go on. */
static void abandon(struct knee *k, enum knee_verdict v)
{
	if (k->state != KNEE_TRIAL)
		return;
	knee_trial_note(k, v);
	knee_set_now(k, k->base);
}

static void begin_anew(struct knee *k, enum knee_cause c)
{
	bool one = k->conf.cap == 1 || k->conf.rotational != 0;

	k->state = one ? KNEE_OFF : KNEE_WAIT;
	k->why = one ? why_off(k) : KNEE_W_NO_LOAD;
	k->cause = c;
	k->base = one ? 1 : min_u(k->base, k->conf.cap);
	knee_set_now(k, k->base);
	knee_ring_clear(k);
}

void knee_init(struct knee *k, const struct knee_conf *c)
{
	memset(k, 0, sizeof(*k));
	k->conf = *c;
	k->conf.cap = max_u(1, min_u(c->cap, KNEE_MAX));
	if (!k->conf.settle)
		k->conf.settle = SETTLE_DEFAULT;
	k->base = k->now = max_u(1, min_u(c->start, k->conf.cap));
	begin_anew(k, KNEE_C_START);
}

unsigned knee_set_cap(struct knee *k, unsigned cap, int rotational)
{
	struct snapshot was = look(k);
	unsigned old = k->conf.cap;

	cap = max_u(1, min_u(cap, KNEE_MAX));
	if (cap == old && rotational == k->conf.rotational)
		return 0;
	k->conf.cap = cap;
	k->conf.rotational = rotational;
	if (k->state == KNEE_OFF || cap == 1 || rotational || k->base > cap ||
	    (k->state == KNEE_TRIAL && (k->cand > cap || cap > old)) ||
	    (k->state == KNEE_HOLD && k->base == old)) {
		abandon(k, KNEE_V_CUT);
		begin_anew(k, KNEE_C_CAP);
	} else if (k->state == KNEE_TRIAL) {
		k->hi = min_u(k->hi, cap + 1);
	}
	return events_since(k, was);
}

unsigned knee_refuse(struct knee *k, unsigned contexts)
{
	struct snapshot was = look(k);

	if (contexts < 2 || contexts > k->conf.cap)
		return 0;
	k->conf.cap = contexts - 1;
	abandon(k, KNEE_V_REFUSED);
	if (k->state == KNEE_TRIAL && k->base < contexts) {
		k->hi = min_u(k->hi, contexts);
		go_on(k);
	} else {
		begin_anew(k, KNEE_C_CAP);
	}
	if (k->state == KNEE_OFF)
		k->why = KNEE_W_REFUSED;
	return events_since(k, was);
}

uint64_t knee_rate(const struct knee *k, unsigned contexts)
{
	return contexts <= KNEE_MAX ? (uint64_t)k->rate_of[contexts] : 0;
}

const struct knee_trial *knee_trial_get(const struct knee *k, unsigned i)
{
	if (i >= k->n_trials || i >= KNEE_TRIALS)
		return NULL;
	return &k->trials[(k->n_trials - 1 - i) % KNEE_TRIALS];
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One trial: does the higher of two numbers of contexts gain 5 % over the lower?
 *
 * The two are used in turn, in blocks.  What counts is the crossing from one block to
 * the next: the mean of the first 8 samples after it against that of the last 8 before
 * it, seconds apart, so that a slow drift of the device or of the load is in both.
 * Crossings up and down alternate, so what drift is left cancels:
 *
 *     incumbent  ........--------        --------        ----
 *     candidate                 --------        --------        ...
 *                         crossing 0^     1^      2^      3^
 *
 * A crossing that is plain after 4 samples ends its block, so that a number that is
 * bad is in force for a few seconds only.  Two crossings are the least, one there and
 * one back: a load that changes just when the number does looks like a gain there,
 * but like a loss on the way back, and the two together prove nothing.  A crossing
 * with a half that scatters far more than samples do is dropped: the load has changed
 * within it.
 *
 * The error of the mean gain is the larger of two estimates: from the noise within
 * blocks, pooled over all that was ever measured, and from the scatter of the
 * crossings themselves.  A number is taken up when its gain is at least 5 % and 3.3
 * errors from nothing, and turned down when 5 % are 1.65 errors away.  With 16
 * crossings and a noise of 20 % per sample the error is 2.5 %.
 */
#include <math.h>

#include "daemon/knee_int.h"

#define NOISE_PRIOR    0.2  /* until something is measured */
#define NOISE_PRIOR_DF 4.0  /* that counts as so many measurements */
#define NOISE_DF_MAX   96.0 /* older ones fade */
#define NOISE_FLOOR    0.02
#define NOISE_BURST    4.0 /* variance of a half, times the noise's: not noise */
#define QUICK_SAMPLES  4
#define QUICK_SIGMAS   4.0
#define QUICK_GAIN     0.1 /* log */
#define CERTAIN        3.3 /* errors, to take up a higher number */
#define LIKELY         1.65
#define SMALL          0.2 /* log: a gain that two crossings cannot prove */
#define FAR            3.0 /* errors */
#define FAR_CROSSINGS  4
#define NEED_MIN       0.02                 /* log */
#define TRIAL_MAX_MS   (30 * 60000ULL)      /* seen, with or without load */
#define CROSSINGS_MAX  (2 * KNEE_CROSSINGS) /* with those that are dropped */
#define PAUSE_FACTOR   1.5
#define PAUSE_MORE_US  20000.0

double knee_log_ratio(double a, double b)
{
	double r = log((a > 1 ? a : 1) / (b > 1 ? b : 1));

	return r > 4 ? 4 : r < -4 ? -4 : r;
}

double knee_noise(const struct knee *k)
{
	double ss = k->noise_ss + NOISE_PRIOR * NOISE_PRIOR * NOISE_PRIOR_DF;
	double s = sqrt(ss / (k->noise_df + NOISE_PRIOR_DF));

	return s < NOISE_FLOOR ? NOISE_FLOOR : s;
}

/* Did the load change within these samples? */
static bool is_uneven(const struct knee *k, const struct knee_sum *s)
{
	double noise = knee_noise(k) * s->mean;

	return s->n > 2 && s->m2 / (s->n - 1) > NOISE_BURST * noise * noise;
}

static void learn_noise(struct knee *k, const struct knee_sum *s)
{
	double noise = knee_noise(k);

	if (s->n < 2 || s->mean < 1)
		return;
	/* What looks like a change of the load counts as much as still may be noise,
	 * so that true noise of any size is learnt in the end. */
	if (is_uneven(k, s))
		k->noise_ss += NOISE_BURST * noise * noise * (s->n - 1);
	else
		k->noise_ss += s->m2 / (s->mean * s->mean);
	k->noise_df += s->n - 1;
	if (k->noise_df > NOISE_DF_MAX) {
		k->noise_ss *= NOISE_DF_MAX / k->noise_df;
		k->noise_df = NOISE_DF_MAX;
	}
}

void knee_ring_add(struct knee *k, double rate)
{
	k->ring[k->ring_at] = rate;
	k->ring_at = (k->ring_at + 1) % KNEE_HALF;
	if (k->n_ring < KNEE_HALF)
		k->n_ring++;
}

void knee_ring_clear(struct knee *k)
{
	k->n_ring = 0;
	k->ring_at = 0;
}

void knee_set_now(struct knee *k, unsigned contexts)
{
	if (k->now == contexts)
		return;
	k->now = contexts;
	k->skip = k->conf.settle;
	k->limit_run = 0;
	knee_ring_clear(k);
}

/* ---- Blocks ------------------------------------------------------------------ */

static struct knee_trial *record(struct knee *k)
{
	return &k->trials[(k->n_trials - 1) % KNEE_TRIALS];
}

void knee_trial_begin(struct knee *k, unsigned cand)
{
	k->cand = cand;
	k->arm = false;
	k->crossing = false;
	k->block_n = 0;
	k->n_cross = k->dropped = 0;
	for (unsigned i = 0; i < 2; i++) {
		k->arm_rate[i] = (struct knee_sum){0};
		k->arm_pause[i] = (struct knee_sum){0};
		k->arm_limit[i] = 0;
	}
	k->trial_began = k->clock;
	k->n_trials++;
	*record(k) = (struct knee_trial){
		.lo = cand < k->base ? cand : k->base,
		.hi = cand < k->base ? k->base : cand,
		.from_hi = cand < k->base,
		.cause = k->cause,
	};
}

/* From one block to the other. */
static void cross(struct knee *k)
{
	k->before = (struct knee_sum){0};
	for (unsigned i = 0; i < k->n_ring; i++)
		knee_sum_add(&k->before, k->ring[i]);
	if (k->n_cross == 0)
		learn_noise(k, &k->before);
	k->shared = k->n_cross > 0 && k->block_n < 2 * KNEE_HALF;
	k->after = (struct knee_sum){0};
	k->block_n = 0;
	k->crossing = true;
	k->arm = !k->arm;
	knee_set_now(k, k->arm ? k->cand : k->base);
}

static double crossing_variance(const struct knee *k)
{
	return 1.0 / k->before.n + 1.0 / k->after.n;
}

static bool is_quick(const struct knee *k)
{
	double d = fabs(knee_log_ratio(k->after.mean, k->before.mean));

	return k->after.n >= QUICK_SAMPLES && d >= QUICK_GAIN &&
	       d >= QUICK_SIGMAS * knee_noise(k) * sqrt(crossing_variance(k));
}

static void end_crossing(struct knee *k)
{
	double d = knee_log_ratio(k->after.mean, k->before.mean);

	if (is_uneven(k, &k->before) || is_uneven(k, &k->after))
		k->dropped++;
	else
		/* Samples that served the crossing before as well count half. */
		k->cross[k->n_cross++] = (struct knee_cross){
			.g = k->arm ? d : -d,
			.v = crossing_variance(k) * (k->shared ? 2 : 1),
		};
	k->crossing = false;
	learn_noise(k, &k->after);
}

void knee_trial_gap(struct knee *k)
{
	k->arm = false;
	k->crossing = false;
	k->block_n = 0;
	knee_ring_clear(k);
}

bool knee_trial_too_long(const struct knee *k)
{
	return k->clock - k->trial_began > TRIAL_MAX_MS;
}

/* ---- Verdict ----------------------------------------------------------------- */

/* The middle one of the crossings. */
static double median(const struct knee *k)
{
	double v[KNEE_CROSSINGS] = {0};
	unsigned n = k->n_cross;

	for (unsigned i = 0; i < n; i++) {
		unsigned j = i;

		for (; j && v[j - 1] > k->cross[i].g; j--)
			v[j] = v[j - 1];
		v[j] = k->cross[i].g;
	}
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* A crossing that lies far off, since the load changed with it, counts no more than
 * one that lies as far as noise can bring it. */
static double clipped(const struct knee *k, unsigned i, double mid)
{
	double far = FAR * knee_noise(k) * sqrt(k->cross[i].v), d = k->cross[i].g - mid;

	if (k->n_cross < FAR_CROSSINGS || fabs(d) <= far)
		return k->cross[i].g;
	return mid + (d > 0 ? far : -far);
}

/* Mean gain of the candidate, and its standard error. */
static double mean_gain(const struct knee *k, double *ret_error)
{
	struct knee_sum g = {0};
	double v = 0, within, between, mid;

	if (!k->n_cross) {
		*ret_error = 1;
		return 0;
	}
	mid = median(k);
	for (unsigned i = 0; i < k->n_cross; i++) {
		knee_sum_add(&g, clipped(k, i, mid));
		v += k->cross[i].v;
	}
	within = knee_noise(k) * sqrt(v) / g.n;
	/* A scatter known from few crossings may be too small by chance. */
	between = g.n < 2 ? 1 : sqrt(g.m2 / (g.n - 1) / g.n) * (1 + 1.5 / (g.n - 1));
	*ret_error = within > between ? within : between;
	return g.mean;
}

static bool pauses_grew(const struct knee *k, bool from_hi)
{
	const struct knee_sum *lo = &k->arm_pause[from_hi ? 1 : 0];
	const struct knee_sum *hi = &k->arm_pause[from_hi ? 0 : 1];
	double error;

	if (lo->n < QUICK_SAMPLES || hi->n < QUICK_SAMPLES)
		return false;
	error = sqrt(lo->m2 / (lo->n - 1) / lo->n + hi->m2 / (hi->n - 1) / hi->n);
	return hi->mean > lo->mean * PAUSE_FACTOR + PAUSE_MORE_US &&
	       hi->mean - lo->mean > CERTAIN * error;
}

static bool is_limited(const struct knee *k)
{
	for (unsigned i = 0; i < 2; i++)
		if (k->arm_rate[i].n < KNEE_HALF ||
		    k->arm_limit[i] * 10 < k->arm_rate[i].n * 9)
			return false;
	return true;
}

static enum knee_verdict judge(const struct knee *k)
{
	bool from_hi = k->cand < k->base;
	double need = KNEE_KEEP - (from_hi ? k->given : 0);
	double error, gain = mean_gain(k, &error);

	if (k->n_cross < 2)
		return k->dropped >= CROSSINGS_MAX ? KNEE_V_UNDECIDED : KNEE_V_RUNNING;
	if (from_hi)
		gain = -gain;
	if (need < NEED_MIN)
		need = NEED_MIN;
	if (pauses_grew(k, from_hi))
		return KNEE_V_PAUSE;
	if (k->n_cross > 2 || fabs(gain) >= SMALL) {
		/* To stay takes less than to move. */
		if (gain >= need && gain > (from_hi ? LIKELY : CERTAIN) * error)
			return KNEE_V_GAIN;
		if (gain + LIKELY * error < need)
			return KNEE_V_NO_GAIN;
		if (is_limited(k))
			return KNEE_V_LIMIT;
	}
	if (k->n_cross == KNEE_CROSSINGS || k->n_cross + k->dropped >= CROSSINGS_MAX)
		return KNEE_V_UNDECIDED;
	return KNEE_V_RUNNING;
}

void knee_trial_note(struct knee *k, enum knee_verdict v)
{
	struct knee_trial *t = record(k);
	const struct knee_sum *pause = k->arm_pause;
	unsigned lo = t->from_hi ? 1 : 0, hi = !lo;
	double error, gain = mean_gain(k, &error);

	t->verdict = v;
	t->gain = exp(t->from_hi ? -gain : gain) - 1;
	t->error = error;
	t->crossings = k->n_cross;
	t->samples = k->arm_rate[0].n + k->arm_rate[1].n;
	t->rate_lo = (uint64_t)k->arm_rate[lo].mean;
	t->rate_hi = (uint64_t)k->arm_rate[hi].mean;
	t->pause_lo = pause[lo].n ? (uint64_t)pause[lo].mean : KNEE_UNKNOWN;
	t->pause_hi = pause[hi].n ? (uint64_t)pause[hi].mean : KNEE_UNKNOWN;
	if (k->arm_rate[lo].n)
		k->rate_of[t->lo] = k->arm_rate[lo].mean;
	if (k->arm_rate[hi].n)
		k->rate_of[t->hi] = k->arm_rate[hi].mean;
}

enum knee_verdict knee_trial_sample(struct knee *k, const struct knee_sample *s)
{
	enum knee_verdict v = KNEE_V_RUNNING;
	bool quick = false;

	knee_ring_add(k, s->rate);
	knee_sum_add(&k->arm_rate[k->arm], s->rate);
	if (s->pause >= 0)
		knee_sum_add(&k->arm_pause[k->arm], s->pause);
	k->arm_limit[k->arm] += s->limit;
	k->block_n++;
	if (k->crossing) {
		knee_sum_add(&k->after, s->rate);
		quick = is_quick(k);
		if (quick || k->after.n == KNEE_HALF) {
			end_crossing(k);
			v = judge(k);
		}
	}
	if (!k->crossing && !k->n_cross && k->cand > k->base &&
	    k->limit_run >= KNEE_LIMIT_RUN)
		v = KNEE_V_LIMIT;
	knee_trial_note(k, v);
	if (v != KNEE_V_RUNNING)
		return v;
	/* The first block is only what the first crossing needs.  The ring is short
	 * after a time without load. */
	if ((quick && k->n_ring >= QUICK_SAMPLES) ||
	    (!k->crossing && k->n_ring == KNEE_HALF &&
	     (k->n_cross == 0 || k->block_n >= 2 * KNEE_HALF)))
		cross(k);
	return v;
}

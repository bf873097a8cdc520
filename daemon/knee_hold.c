// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * After a search: is it still the same load?
 *
 * Windows of 16 samples are compared with a reference: what the search measured with
 * the number that it chose.  It then follows slowly, so that a device that ages or warms
 * up does not look like another load.  Two windows in a row that deviate in the same way
 * begin another search - but not before the hold-off has passed, which doubles with every
 * search and falls back only while nothing deviates.  So a load that never settles
 * costs ever fewer searches, whatever they find.
 */
#include <math.h>

#include "daemon/knee_int.h"

#define WINDOW         (2 * KNEE_HALF)
#define REF_WINDOWS    2
#define REF_FOLLOW     0.1
#define LEVEL          0.25 /* log: throughput that is another load's */
#define LEVEL_SIGMAS   4.0
#define SCATTER_DF_MAX 64.0
#define SIZE           0.7 /* log: request size, a factor of two */
#define PAUSE_FACTOR   2.0
#define PAUSE_MORE_US  30000.0
#define HOLDOFF_MIN_MS (2 * 60000ULL)
#define HOLDOFF_MAX_MS (4 * 3600000ULL)
#define CALM_MIN_MS    (10 * 60000ULL)

static void clear_window(struct knee *k)
{
	k->win_rate = (struct knee_sum){0};
	k->win_size = (struct knee_sum){0};
	k->win_pause = (struct knee_sum){0};
	k->win_limit = 0;
}

enum knee_why knee_why_found(const struct knee *k)
{
	if (k->limit_known)
		return KNEE_W_LIMIT;
	if (k->base == 1)
		return KNEE_W_FOUND_ONE;
	return k->base >= k->conf.cap ? KNEE_W_FOUND_CAP : KNEE_W_FOUND;
}

/* What the last trial saw with this number; what it did not see comes with the first
 * windows.  A load that changes just now must not become the reference. */
static void begin_reference(struct knee *k)
{
	const struct knee_sum *pause = &k->arm_pause[k->base == k->cand];

	k->ref_rate = k->rate_of[k->base];
	k->ref_n = k->ref_rate > 0 ? REF_WINDOWS : 0;
	k->ref_pause = pause->n ? pause->mean : -1;
	k->ref_size = -1;
}

void knee_hold_begin(struct knee *k, bool again)
{
	k->state = KNEE_HOLD;
	k->why = knee_why_found(k);
	k->hold_since = k->calm_since = k->clock;
	k->dev_run = 0;
	clear_window(k);
	begin_reference(k);
	if (!again || !k->holdoff)
		k->holdoff = HOLDOFF_MIN_MS;
	else if (k->holdoff < HOLDOFF_MAX_MS)
		k->holdoff *= 2;
	if (k->holdoff > HOLDOFF_MAX_MS)
		k->holdoff = HOLDOFF_MAX_MS;
}

uint64_t knee_holdoff_left(const struct knee *k)
{
	uint64_t held = k->clock - k->hold_since;

	return k->state == KNEE_HOLD && held < k->holdoff ? k->holdoff - held : 0;
}

static void follow(double *ref, const struct knee_sum *win, double part)
{
	if (win->n)
		*ref += (win->mean - *ref) * part;
}

/* How far a window's mean is from the reference without any change of the load: from
 * the noise of its samples, or, since they may follow each other's ups and downs, from
 * how far windows were. */
static double level_error(const struct knee *k)
{
	double one = knee_noise(k) * sqrt(1.0 / WINDOW + 1.0 / (REF_WINDOWS * WINDOW));
	double seen = sqrt((k->scatter_ss + one * one * 2) / (k->scatter_df + 2));

	return seen > one ? seen : one;
}

static void learn_scatter(struct knee *k)
{
	double d = knee_log_ratio(k->win_rate.mean, k->ref_rate);

	k->scatter_ss += d * d;
	k->scatter_df += 1;
	if (k->scatter_df > SCATTER_DF_MAX) {
		k->scatter_ss *= SCATTER_DF_MAX / k->scatter_df;
		k->scatter_df = SCATTER_DF_MAX;
	}
}

/* The reference takes in the window: as a mean at first, then slowly. */
static void learn_reference(struct knee *k)
{
	double part = k->ref_n < REF_WINDOWS ? 1.0 / (k->ref_n + 1) : REF_FOLLOW;

	if (k->ref_n)
		learn_scatter(k);
	if (k->win_size.n && k->ref_size < 0)
		k->ref_size = k->win_size.mean;
	if (k->win_pause.n && k->ref_pause < 0)
		k->ref_pause = k->win_pause.mean;
	follow(&k->ref_rate, &k->win_rate, part);
	follow(&k->ref_size, &k->win_size, part);
	follow(&k->ref_pause, &k->win_pause, part);
	if (k->ref_n < REF_WINDOWS)
		k->ref_n++;
	k->rate_of[k->base] = k->ref_rate;
}

/* How the window deviates; false: it does not. */
static bool deviates(const struct knee *k, enum knee_cause *ret)
{
	double level = knee_log_ratio(k->win_rate.mean, k->ref_rate);
	bool limit = k->win_limit >= WINDOW - 1;

	if (limit && k->base > 1 && !k->limit_known)
		*ret = KNEE_C_LIMIT;
	else if (k->base > 1 && k->win_pause.n && k->ref_pause >= 0 &&
		 k->win_pause.mean > k->ref_pause * PAUSE_FACTOR + PAUSE_MORE_US)
		*ret = KNEE_C_PAUSE;
	else if (k->win_size.n && k->ref_size >= 0 &&
		 fabs(k->win_size.mean - k->ref_size) > SIZE)
		*ret = KNEE_C_SIZE;
	else if (fabs(level) > LEVEL && fabs(level) > LEVEL_SIGMAS * level_error(k))
		*ret = level > 0 ? KNEE_C_FASTER : KNEE_C_SLOWER;
	else
		return false;
	/* One context on a device at its limit: there is nothing to search. */
	return k->base > 1 || !limit;
}

static void be_calm(struct knee *k)
{
	uint64_t calm = k->clock - k->calm_since;

	k->dev_run = 0;
	k->why = knee_why_found(k);
	learn_reference(k);
	if (calm >= CALM_MIN_MS && calm >= 2 * k->holdoff) {
		k->calm_since = k->clock;
		if (k->holdoff / 2 >= HOLDOFF_MIN_MS)
			k->holdoff /= 2;
	}
}

static bool end_window(struct knee *k)
{
	enum knee_cause c;

	if (!k->win_limit)
		k->limit_known = false;
	if (k->ref_n < REF_WINDOWS || !deviates(k, &c)) {
		be_calm(k);
		return false;
	}
	k->calm_since = k->clock;
	k->dev_run = k->dev_run && c == k->dev_cause ? k->dev_run + 1 : 1;
	k->dev_cause = c;
	if (k->dev_run < 2)
		return false;
	if (knee_holdoff_left(k)) {
		k->why = KNEE_W_HOLD_OFF;
		return false;
	}
	k->cause = c;
	return true;
}

bool knee_hold_sample(struct knee *k, const struct knee_sample *s)
{
	bool search;

	knee_sum_add(&k->win_rate, s->rate);
	if (s->size >= 0)
		knee_sum_add(&k->win_size, s->size);
	if (s->pause >= 0)
		knee_sum_add(&k->win_pause, s->pause);
	k->win_limit += s->limit;
	if (k->win_rate.n < WINDOW)
		return false;
	search = end_window(k);
	clear_window(k);
	return search;
}

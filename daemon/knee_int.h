/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for the knee from inside.
 *
 *   knee.c        states, the order of trials, what begins another search
 *   knee_trial.c  one comparison of two numbers: samples, crossings, verdict
 *   knee_hold.c   what is watched once a number is found
 *   knee_text.c   words
 */
#ifndef WB_KNEE_INT_H
#define WB_KNEE_INT_H

#include "daemon/knee.h"

#define KNEE_KEEP      0.04879   /* log(1.05): a step must gain so much */
#define KNEE_LIMIT_RUN KNEE_HALF /* samples at the device's limit that count */

/* A usable observation. */
struct knee_sample {
	double rate;  /* bytes per second */
	double size;  /* log of bytes per request; negative: unknown */
	double pause; /* us; negative: unknown */
	bool limit;   /* the device has as much as it can take */
};

static inline void knee_sum_add(struct knee_sum *s, double v)
{
	double d = v - s->mean;

	s->n++;
	s->mean += d / s->n;
	s->m2 += d * (v - s->mean);
}

/* ---- knee_trial.c ---- */
/* Standard deviation of one sample, relative to the mean. */
double knee_noise(const struct knee *k);
void knee_ring_add(struct knee *k, double rate);
void knee_ring_clear(struct knee *k);
void knee_set_now(struct knee *k, unsigned contexts);
/* log(a / b), bounded; both may be 0. */
double knee_log_ratio(double a, double b);
void knee_trial_begin(struct knee *k, unsigned cand);
/* KNEE_V_RUNNING until it is decided. */
enum knee_verdict knee_trial_sample(struct knee *k, const struct knee_sample *s);
/* Load has been away for long: what was half measured is begun anew. */
void knee_trial_gap(struct knee *k);
bool knee_trial_too_long(const struct knee *k);
/* Brings the trial's record up to date. */
void knee_trial_note(struct knee *k, enum knee_verdict v);

/* ---- knee_hold.c ---- */
void knee_hold_begin(struct knee *k, bool again);
/* True: begin a search for k->cause. */
bool knee_hold_sample(struct knee *k, const struct knee_sample *s);
enum knee_why knee_why_found(const struct knee *k);

#endif

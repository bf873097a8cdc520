/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated device and load for the search for the knee: deterministic noise. */
#ifndef WB_TEST_KNEE_SIM_H
#define WB_TEST_KNEE_SIM_H

#include "daemon/knee.h"

struct sim_curve {
	unsigned n;
	double v[16]; /* MiB/s of 1, 2, ... contexts; more: the last */
};

extern const struct sim_curve sim_peak;    /* published: 1 to 12, 4 groups */
extern const struct sim_curve sim_plateau; /* published: 1 to 8 */
extern const struct sim_curve sim_flat, sim_falling, sim_linear, sim_late;

struct sim {
	struct knee k;
	uint64_t rng;
	const struct sim_curve *curve;
	double scale; /* of the curve */
	double noise; /* standard deviation of a sample, relative */
	double rho;   /* correlation with the sample before */
	double last;
	bool loaded;    /* dirty data piles up */
	uint64_t pause; /* us; of sim_pause(), if that is NULL */
	uint64_t (*pause_of)(const struct sim *s, unsigned contexts);
	bool limit; /* the device is */
	uint64_t ios_size;
	/* What came of it. */
	uint64_t seconds;
	unsigned switches;        /* of the number in force */
	unsigned moves;           /* of the number that it settles on */
	unsigned found;           /* searches ended */
	double sum_log, sum_best; /* of the rate got under load, and of the best one */
	uint64_t sum_n;
};

void sim_init(struct sim *s, uint64_t seed, const struct sim_curve *c, unsigned cap);
double sim_uniform(struct sim *s);
/* One second. */
void sim_second(struct sim *s);
void sim_run(struct sim *s, uint64_t seconds);
/* Until a search has ended, @seconds at most: how many it took. */
uint64_t sim_search(struct sim *s, uint64_t seconds);
double sim_rate(const struct sim_curve *c, unsigned contexts);
double sim_best(const struct sim_curve *c, unsigned cap);

#endif

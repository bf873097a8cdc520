// SPDX-License-Identifier: GPL-2.0-or-later
/* See knee_sim.h. */
#include <math.h>
#include <string.h>

#include "tests/unit/knee_sim.h"

const struct sim_curve sim_peak = {
	12, {9.7, 18.1, 46.4, 135, 160, 163, 162, 154, 152, 145, 145, 138}};
const struct sim_curve sim_plateau = {8,
				      {16.4, 32.3, 39.0, 47.3, 45.7, 46.0, 42.7, 40.8}};
const struct sim_curve sim_flat = {1, {400}};
const struct sim_curve sim_falling = {8, {120, 105, 96, 90, 84, 80, 78, 75}};
const struct sim_curve sim_linear = {
	16,
	{50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 750, 800}};
const struct sim_curve sim_late = {8, {100, 125, 150, 170, 180, 182, 180, 178}};

static uint64_t next(struct sim *s)
{
	uint64_t z = s->rng += 0x9e3779b97f4a7c15ULL; /* splitmix64 */

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

double sim_uniform(struct sim *s)
{
	return (double)(next(s) >> 11) / 9007199254740992.0;
}

static double normal(struct sim *s)
{
	double u = sim_uniform(s);

	return sqrt(-2 * log(u > 0 ? u : 1e-300)) * cos(2 * M_PI * sim_uniform(s));
}

double sim_rate(const struct sim_curve *c, unsigned contexts)
{
	return c->v[(contexts < c->n ? contexts : c->n) - 1];
}

double sim_best(const struct sim_curve *c, unsigned cap)
{
	double best = 0;

	for (unsigned i = 1; i <= cap; i++)
		best = sim_rate(c, i) > best ? sim_rate(c, i) : best;
	return best;
}

void sim_init(struct sim *s, uint64_t seed, const struct sim_curve *c, unsigned cap)
{
	memset(s, 0, sizeof(*s));
	s->rng = seed * 7919 + 1;
	s->curve = c;
	s->scale = 1;
	s->loaded = true;
	s->ios_size = 65536;
	knee_init(&s->k, &(struct knee_conf){.cap = cap});
}

static double noise(struct sim *s)
{
	s->last = s->rho * s->last + sqrt(1 - s->rho * s->rho) * normal(s);
	return 1 + s->noise * s->last;
}

void sim_second(struct sim *s)
{
	unsigned n = knee_contexts(&s->k), ev;
	double rate = sim_rate(s->curve, n) * s->scale, got = rate * noise(s);
	struct knee_obs o = {
		.ms = 1000,
		.written = (uint64_t)((got > 0 ? got : 0) * (1 << 20)),
		.dirty = s->loaded ? 2u << 30 : 1u << 20,
		.mark = 1u << 30,
		.pause_us = s->pause_of ? s->pause_of(s, n) : s->pause,
		.busy = s->limit ? 1000 : 700,
		.depth = s->limit ? 60000 : 3000,
		.depth_max = 64,
	};

	if (!s->loaded)
		o.written = sim_uniform(s) < 0.5 ? 4096 : 0;
	o.ios = o.written / s->ios_size + 1;
	if (s->loaded) {
		s->sum_log += log(rate);
		s->sum_best += log(sim_best(s->curve, s->k.conf.cap) * s->scale);
		s->sum_n++;
	}
	ev = knee_step(&s->k, &o);
	s->switches += !!(ev & KNEE_EV_CONTEXTS);
	s->moves += !!(ev & KNEE_EV_SETTLED);
	s->found += !!(ev & KNEE_EV_FOUND);
	s->seconds++;
}

void sim_run(struct sim *s, uint64_t seconds)
{
	while (seconds--)
		sim_second(s);
}

uint64_t sim_search(struct sim *s, uint64_t seconds)
{
	uint64_t began = s->seconds;
	unsigned found = s->found;

	while (s->found == found && s->seconds - began < seconds)
		sim_second(s);
	return s->seconds - began;
}

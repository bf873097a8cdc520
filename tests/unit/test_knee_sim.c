// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The search for the knee against simulated devices: where it ends, how long and how
 * many changes that takes, and that it then stands still.  Seeds are fixed, so each
 * run is the same.
 *
 * What is promised, and checked here for every seed unless said otherwise:
 *   - it ends within 10 % of the best number, and at 1 on a flat or falling curve;
 *   - a search takes at most 30 minutes of load and 64 changes of the number in force;
 *   - under steady load nothing changes any more for three hours;
 *   - under a load that changes each minute the number that it has settled on moves at
 *     most 4 times an hour after the first two hours, and hardly ever.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/cleanup.h"
#include "tests/unit/knee_sim.h"

#define SEEDS       60
#define HOUR        3600
#define SEARCH_MAX  1800
#define CHANGES_MAX 64

static const struct {
	const char *name;
	const struct sim_curve *curve;
	unsigned cap;
} curves[] = {
	{"peak of 12", &sim_peak, 12},     {"peak of 8", &sim_peak, 8},
	{"peak of 4", &sim_peak, 4},       {"plateau", &sim_plateau, 8},
	{"plateau of 5", &sim_plateau, 5}, {"flat", &sim_flat, 8},
	{"flat of 64", &sim_flat, 64},     {"falling", &sim_falling, 8},
	{"linear", &sim_linear, 16},
};

static void check_search(struct sim *s, const char *name, unsigned cap)
{
	unsigned n;

	(void)sim_search(s, SEARCH_MAX);
	n = knee_settled(&s->k);
	if (!s->found || s->switches > CHANGES_MAX ||
	    sim_rate(s->curve, n) < 0.9 * sim_best(s->curve, cap))
		fail_msg("%s: %u contexts, %u changes, %u found", name, n, s->switches,
			 s->found);
	assert_int_equal(knee_contexts(&s->k), n);
	if (s->curve == &sim_flat || s->curve == &sim_falling)
		assert_int_equal(n, 1);
}

static void steady(double noise)
{
	for (unsigned i = 0; i < ARRAY_SIZE(curves); i++) {
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			unsigned changes;
			struct sim s;

			sim_init(&s, seed, curves[i].curve, curves[i].cap);
			s.noise = noise;
			check_search(&s, curves[i].name, curves[i].cap);
			changes = s.switches;
			sim_run(&s, 3 * HOUR);
			assert_int_equal(s.switches, changes);
			assert_int_equal(s.found, 1);
		}
	}
}

static void quiet_device(void **state)
{
	(void)state;
	steady(0);
	steady(0.03);
}

static void noisy_device(void **state)
{
	(void)state;
	steady(0.1);
	steady(0.2);
}

/* Samples that follow each other's ups and downs; 30 % noise.  No promise for every
 * seed, but for 29 of 30. */
static void nasty_noise(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(curves); i++) {
		unsigned bad = 0, restless = 0;

		for (unsigned seed = 0; seed < SEEDS; seed++) {
			unsigned changes;
			struct sim s;

			sim_init(&s, seed, curves[i].curve, curves[i].cap);
			s.noise = seed % 2 ? 0.3 : 0.2;
			s.rho = seed % 2 ? 0 : 0.5;
			(void)sim_search(&s, 2 * SEARCH_MAX);
			assert_int_equal(s.found, 1);
			bad += sim_rate(s.curve, knee_settled(&s.k)) <
			       0.9 * sim_best(s.curve, curves[i].cap);
			changes = s.switches;
			sim_run(&s, 3 * HOUR);
			restless += s.switches != changes;
		}
		if (bad > SEEDS / 30 || restless > SEEDS / 30)
			fail_msg("%s: %u bad, %u restless", curves[i].name, bad,
				 restless);
	}
}

/* Few trials: this is what doubling and halving are for. */
static void few_steps(void **state)
{
	static const struct {
		const struct sim_curve *curve;
		unsigned cap, trials, seconds;
	} v[] = {
		{&sim_peak, 12, 6, 240},   {&sim_plateau, 8, 6, 240},
		{&sim_flat, 64, 1, 60},    {&sim_falling, 8, 1, 60},
		{&sim_linear, 16, 5, 120},
	};
	struct sim s;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(v); i++) {
		sim_init(&s, i, v[i].curve, v[i].cap);
		assert_in_range(sim_search(&s, HOUR), 1, v[i].seconds);
		assert_in_range(s.k.n_trials, 1, v[i].trials);
	}
}

/* From a remembered number, right or wrong, it comes to the same. */
static void remembered_start(void **state)
{
	(void)state;
	for (unsigned start = 1; start <= 12; start++) {
		for (unsigned i = 0; i < ARRAY_SIZE(curves); i++) {
			struct sim s;

			sim_init(&s, start, curves[i].curve, curves[i].cap);
			knee_init(&s.k, &(struct knee_conf){.cap = curves[i].cap,
							    .start = start});
			s.noise = 0.05;
			(void)sim_search(&s, SEARCH_MAX);
			assert_int_equal(s.found, 1);
			/* Each step down may cost less than 5 %, and all of them. */
			if (sim_rate(s.curve, knee_settled(&s.k)) <
			    0.9 * sim_best(s.curve, curves[i].cap))
				fail_msg("%s from %u: %u", curves[i].name, start,
					 knee_settled(&s.k));
		}
	}
}

/* ---- Loads that change ----------------------------------------------------------- */

typedef void change_fn(struct sim *s, uint64_t t);

static void two_shapes(struct sim *s, uint64_t t)
{
	s->curve = t / 60 % 2 ? &sim_plateau : &sim_peak;
}

static void any_shape(struct sim *s, uint64_t t)
{
	static const struct sim_curve *const c[] = {&sim_peak, &sim_plateau, &sim_flat,
						    &sim_late};

	if (t % 60)
		return;
	s->curve = c[(unsigned)(sim_uniform(s) * 4)];
	s->scale = 0.3 + 3 * sim_uniform(s);
	s->ios_size = 4096ULL << (unsigned)(sim_uniform(s) * 8);
}

static void flat_or_falling(struct sim *s, uint64_t t)
{
	s->curve = t / 60 % 2 ? &sim_flat : &sim_falling;
}

static void three_times(struct sim *s, uint64_t t)
{
	s->scale = t / 60 % 2 ? 1 : 3;
}

static void bursts(struct sim *s, uint64_t t)
{
	s->loaded = t % 30 < 6;
}

static void random_bursts(struct sim *s, uint64_t t)
{
	(void)t;
	if (sim_uniform(s) < 0.1)
		s->loaded = !s->loaded;
}

static void idle_gaps(struct sim *s, uint64_t t)
{
	s->loaded = t % 600 < 120;
}

static void slow_drift(struct sim *s, uint64_t t)
{
	s->scale = 1 + 0.5 * sin((double)t / HOUR * 2 * M_PI);
}

static void fast_drift(struct sim *s, uint64_t t)
{
	s->scale = 1 + 0.3 * sin((double)t / 120 * 2 * M_PI);
}

/* Flash with a fast cache that is full after ten minutes. */
static void fast_cache(struct sim *s, uint64_t t)
{
	s->scale = t % 1800 < 600 ? 3 : 1;
}

struct changing {
	const char *name;
	change_fn *change;
	double lost_max, lost_mean; /* against the best number at each moment */
	unsigned moves_max;         /* an hour, after the first two */
	double moves_mean;
};

static const struct changing changing[] = {
	{"two shapes", two_shapes, 0.10, 0.07, 1, 0.01},
	{"any shape", any_shape, 0.20, 0.03, 4, 0.15},
	{"flat or falling", flat_or_falling, 0.01, 0.01, 0, 0},
	{"three times", three_times, 0.18, 0.02, 1, 0.01},
	{"bursts", bursts, 0.06, 0.01, 0, 0},
	{"random bursts", random_bursts, 0.06, 0.01, 0, 0},
	{"idle gaps", idle_gaps, 0.06, 0.01, 0, 0},
	{"slow drift", slow_drift, 0.06, 0.01, 0, 0},
	{"fast drift", fast_drift, 0.06, 0.01, 0, 0},
	{"fast cache", fast_cache, 0.06, 0.01, 1, 0.01},
};

static void change_for_hours(const struct changing *c, double noise)
{
	unsigned seeds = SEEDS / 3, hours = 8;
	double lost = 0, moves = 0;

	for (unsigned seed = 0; seed < seeds; seed++) {
		struct sim s;

		sim_init(&s, seed, &sim_peak, 8);
		s.noise = noise;
		for (unsigned h = 0; h < hours; h++) {
			unsigned before = s.moves;

			if (h == 2)
				s.sum_log = s.sum_best = (double)(s.sum_n = 0);
			for (unsigned t = 0; t < HOUR; t++) {
				c->change(&s, h * HOUR + t);
				sim_second(&s);
			}
			if (h >= 2 && s.moves - before > c->moves_max)
				fail_msg("%s, seed %u: %u moves", c->name, seed,
					 s.moves - before);
			if (h >= 2)
				moves += s.moves - before;
		}
		if (1 - exp((s.sum_log - s.sum_best) / (double)s.sum_n) > c->lost_max)
			fail_msg("%s, seed %u: ends at %u", c->name, seed,
				 knee_settled(&s.k));
		lost += 1 - exp((s.sum_log - s.sum_best) / (double)s.sum_n);
	}
	lost /= seeds;
	moves /= seeds * (hours - 2);
	if (lost > c->lost_mean || moves > c->moves_mean)
		fail_msg("%s: %.3f lost, %.3f moves an hour", c->name, lost, moves);
}

static void load_that_changes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(changing); i++) {
		change_for_hours(&changing[i], 0.05);
		change_for_hours(&changing[i], 0.2);
	}
}

/* Day and night: each time it finds the number that is right for the hours to come. */
static void load_of_the_day(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_flat, 8);
	s.noise = 0.05;
	for (unsigned i = 0; i < 6; i++) {
		s.curve = i % 2 ? &sim_peak : &sim_flat;
		sim_run(&s, 12 * HOUR);
		assert_true(sim_rate(s.curve, knee_settled(&s.k)) >=
			    0.9 * sim_best(s.curve, 8));
		if (i % 2 == 0)
			assert_int_equal(knee_settled(&s.k), 1);
	}
	assert_in_range(s.moves, 1, 6 * 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_device),     cmocka_unit_test(noisy_device),
		cmocka_unit_test(nasty_noise),      cmocka_unit_test(few_steps),
		cmocka_unit_test(remembered_start), cmocka_unit_test(load_that_changes),
		cmocka_unit_test(load_of_the_day),
	};

	return cmocka_run_group_tests_name("knee_sim", tests, NULL, NULL);
}

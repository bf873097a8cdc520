// SPDX-License-Identifier: GPL-2.0-or-later
/* The search for the knee: its states, its limits, and what it must not do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/cleanup.h"
#include "tests/unit/knee_sim.h"

static const struct knee_obs load = {
	.ms = 1000,
	.written = 100 << 20,
	.ios = 1000,
	.dirty = 2u << 30,
	.mark = 1u << 30,
	.pause_us = KNEE_UNKNOWN,
	.busy = KNEE_UNKNOWN,
	.depth = KNEE_UNKNOWN,
	.depth_max = KNEE_UNKNOWN,
};

static void stays_at_one(const struct knee_conf *c, enum knee_why why)
{
	struct knee k;

	knee_init(&k, c);
	assert_int_equal(k.state, KNEE_OFF);
	assert_int_equal(k.why, why);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(knee_step(&k, &load), 0);
	assert_int_equal(knee_contexts(&k), 1);
	assert_int_equal(k.n_trials, 0);
}

static void off_by_nature(void **state)
{
	(void)state;
	stays_at_one(&(struct knee_conf){.cap = 8, .rotational = 1, .start = 4},
		     KNEE_W_ROTATIONAL);
	stays_at_one(&(struct knee_conf){.cap = 8, .rotational = -1},
		     KNEE_W_ROTATION_UNKNOWN);
	stays_at_one(&(struct knee_conf){.cap = 1}, KNEE_W_CAP);
	stays_at_one(&(struct knee_conf){.cap = 0}, KNEE_W_CAP);
}

/* What is written is what is dirtied: that says nothing about contexts. */
static void no_search_without_load(void **state)
{
	struct knee_obs o = load;
	struct knee k;

	(void)state;
	knee_init(&k, &(struct knee_conf){.cap = 8});
	o.dirty = o.mark / 8;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(knee_step(&k, &o), 0);
	assert_int_equal(k.why, KNEE_W_NO_LOAD);
	/* Throttled writers are load, however little is dirty. */
	o.pause_us = 1000;
	for (unsigned i = 0; i < 100; i++)
		(void)knee_step(&k, &o);
	assert_in_range(k.n_trials, 1, 8);
}

static void no_raise_at_the_limit(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_peak, 8);
	s.limit = true;
	sim_run(&s, 2000);
	assert_int_equal(s.switches, 0);
	assert_int_equal(s.k.why, KNEE_W_LIMIT);
	/* The device is replaced by a better one. */
	s.limit = false;
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 6);
}

/* Once at its limit, fewer contexts are tried, and those that do no worse are kept. */
static void back_off_at_the_limit(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_linear, 8);
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 8);
	s.curve = &sim_flat;
	s.limit = true;
	sim_run(&s, 3600);
	assert_int_equal(knee_settled(&s.k), 1);
	assert_int_equal(s.k.why, KNEE_W_LIMIT);
}

static void slow_down(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 3, &sim_linear, 8);
	s.noise = 0.1;
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 8);
	s.curve = &sim_falling; /* throughput falls, and is better with fewer */
	sim_run(&s, 3600);
	assert_int_equal(knee_settled(&s.k), 1);
	assert_int_equal(knee_trial_get(&s.k, 0)->cause, KNEE_C_SLOWER);
}

static uint64_t long_pauses(const struct sim *s, unsigned contexts)
{
	(void)s;
	return contexts >= 4 ? 180000 : 20000;
}

static void pauses_veto(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_linear, 8);
	s.pause_of = long_pauses;
	s.noise = 0.1;
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 3);
	for (unsigned i = 0; knee_trial_get(&s.k, i); i++)
		if (knee_trial_get(&s.k, i)->hi >= 4)
			assert_int_equal(knee_trial_get(&s.k, i)->verdict, KNEE_V_PAUSE);
}

static uint64_t long_from_five(const struct sim *s, unsigned contexts)
{
	(void)s;
	return contexts >= 5 ? 180000 : 1000;
}

/* Pauses that grow later begin another search, downwards. */
static void pauses_back_off(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_linear, 8);
	s.pause = 1000;
	s.noise = 0.1;
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 8);
	s.pause_of = long_from_five;
	sim_run(&s, 3600);
	assert_int_equal(knee_settled(&s.k), 4);
}

static void until_trial_of(struct sim *s, unsigned contexts)
{
	for (unsigned i = 0; i < 1800 && knee_contexts(&s->k) != contexts; i++)
		sim_second(s);
	assert_int_equal(knee_contexts(&s->k), contexts);
}

static void refused(void **state)
{
	unsigned ev;
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_linear, 8);
	until_trial_of(&s, 4);
	ev = knee_refuse(&s.k, 4);
	assert_true(ev & KNEE_EV_CONTEXTS && ev & KNEE_EV_TRIAL);
	assert_int_equal(knee_contexts(&s.k), 2);
	assert_int_equal(knee_trial_get(&s.k, 1)->verdict, KNEE_V_REFUSED);
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 3);
	assert_int_equal(knee_refuse(&s.k, 9), 0);
	assert_int_equal(knee_refuse(&s.k, 1), 0);
	ev = knee_refuse(&s.k, 2);
	assert_int_equal(s.k.state, KNEE_OFF);
	assert_int_equal(s.k.why, KNEE_W_REFUSED);
	assert_int_equal(knee_contexts(&s.k), 1);
	assert_true(ev & KNEE_EV_CONTEXTS);
}

static void another_cap(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_linear, 4);
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 4);
	assert_int_equal(s.k.why, KNEE_W_FOUND_CAP);
	assert_int_equal(knee_set_cap(&s.k, 4, 0), 0);
	(void)knee_set_cap(&s.k, 8, 0); /* more groups: at once, there is room */
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 8);
	assert_true(knee_set_cap(&s.k, 2, 0) & KNEE_EV_CONTEXTS);
	assert_int_equal(knee_contexts(&s.k), 2);
	assert_true(knee_set_cap(&s.k, 2, 1) & KNEE_EV_SETTLED);
	assert_int_equal(s.k.why, KNEE_W_ROTATIONAL);
	(void)knee_set_cap(&s.k, 8, 0);
	until_trial_of(&s, 4);
	assert_true(knee_set_cap(&s.k, 3, 0) & KNEE_EV_TRIAL);
	assert_in_range(knee_contexts(&s.k), 1, 3);
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 3);
}

/* No load, no candidate in force; and the trial goes on where it was. */
static void idle_in_a_trial(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_peak, 8);
	until_trial_of(&s, 4);
	assert_true(knee_idle(&s.k) & KNEE_EV_CONTEXTS);
	assert_int_equal(knee_contexts(&s.k), 2);
	assert_int_equal(knee_idle(&s.k), 0);
	(void)sim_search(&s, 1800);
	assert_int_equal(knee_settled(&s.k), 6);
}

/* Whatever is seen: a number that may be set, and records that make sense. */
static void nonsense(void **state)
{
	static const uint64_t odd[] = {
		0, 1, 200, 1000, 5000, 1u << 30, UINT64_MAX - 1, UINT64_MAX};
	struct sim s;

	(void)state;
	sim_init(&s, 7, &sim_flat, 8);
	for (unsigned i = 0; i < 300000; i++) {
		uint64_t v[8];
		unsigned what = (unsigned)(sim_uniform(&s) * 2000);

		for (unsigned j = 0; j < 8; j++)
			v[j] = sim_uniform(&s) < 0.3
				       ? odd[(unsigned)(sim_uniform(&s) * 8)]
				       : (uint64_t)(sim_uniform(&s) * (2u << 30));
		if (sim_uniform(&s) < 0.8)
			v[0] = 1000;
		if (what == 0)
			(void)knee_set_cap(&s.k, (unsigned)(sim_uniform(&s) * 70), 0);
		else if (what == 1)
			(void)knee_refuse(&s.k, (unsigned)(sim_uniform(&s) * 70));
		else if (what < 10)
			(void)knee_idle(&s.k);
		else
			(void)knee_step(&s.k, &(struct knee_obs){v[0], v[1], v[2], v[3],
								 v[4] / 8, v[5], v[6],
								 v[7], 64, what > 1900});
		assert_in_range(knee_contexts(&s.k), 1, s.k.conf.cap);
		assert_in_range(knee_settled(&s.k), 1, s.k.conf.cap);
		for (unsigned j = 0; j < KNEE_TRIALS && knee_trial_get(&s.k, j); j++)
			assert_true(knee_trial_get(&s.k, j)->lo <
				    knee_trial_get(&s.k, j)->hi);
	}
	assert_in_range(s.k.n_trials, 10, 300000);
}

static void tells_what_it_did(void **state)
{
	struct sim s;

	(void)state;
	sim_init(&s, 1, &sim_peak, 8);
	assert_null(knee_trial_get(&s.k, 0));
	(void)sim_search(&s, 1800);
	assert_int_equal(s.k.why, KNEE_W_FOUND);
	assert_true(knee_found(&s.k));
	assert_in_range(knee_rate(&s.k, 4) >> 20, 130, 140);
	assert_int_equal(knee_rate(&s.k, 65), 0);
	assert_in_range(knee_holdoff_left(&s.k), 1, 120000);
	assert_null(knee_trial_get(&s.k, s.k.n_trials));
	for (unsigned i = 0; i < s.k.n_trials; i++) {
		const struct knee_trial *t = knee_trial_get(&s.k, i);

		assert_int_not_equal(t->verdict, KNEE_V_RUNNING);
		assert_true(strlen(knee_verdict_text(t->verdict)) > 5);
		assert_in_range(t->crossings, 2, KNEE_CROSSINGS);
	}
}

static void every_word_is_there(void **state)
{
	(void)state;
	for (int i = 0; i <= KNEE_HOLD; i++)
		assert_non_null(knee_state_name((enum knee_state)i));
	for (int i = 0; i <= KNEE_W_HOLD_OFF; i++)
		assert_true(knee_why_name((enum knee_why)i) &&
			    knee_why_text((enum knee_why)i));
	for (int i = 0; i <= KNEE_C_CAP; i++)
		assert_true(knee_cause_name((enum knee_cause)i) &&
			    knee_cause_text((enum knee_cause)i));
	for (int i = 0; i <= KNEE_V_CUT; i++)
		assert_true(knee_verdict_name((enum knee_verdict)i) &&
			    knee_verdict_text((enum knee_verdict)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_by_nature),
		cmocka_unit_test(no_search_without_load),
		cmocka_unit_test(no_raise_at_the_limit),
		cmocka_unit_test(back_off_at_the_limit),
		cmocka_unit_test(slow_down),
		cmocka_unit_test(pauses_veto),
		cmocka_unit_test(pauses_back_off),
		cmocka_unit_test(refused),
		cmocka_unit_test(another_cap),
		cmocka_unit_test(idle_in_a_trial),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(tells_what_it_did),
		cmocka_unit_test(every_word_is_there),
	};

	return cmocka_run_group_tests_name("knee", tests, NULL, NULL);
}

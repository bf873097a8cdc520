// SPDX-License-Identifier: GPL-2.0-or-later
/* Each rule at its boundary; what must hold for any input; whole loads on a virtual
 * clock, where what matters is how many bytes are written for how many dirtied. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/judge.h"

#define K 1024ULL
#define M (1024ULL * K)
#define G (1024ULL * M)

/* The configuration's defaults in kind. */
static const struct judge_conf conf = {
	.after = 16 * M,
	.age_ms = 10000,
	.cool_ms = 2000,
	.stride = 8 * M,
	.linger_ms = 35000,
};

static const struct judge_now calm = {
	.size = 64 * M, .dirty = 64 * M, .exact = true, .age_ms = 3000, .idle_ms = 500};
static const struct judge_past seen = {.looked = true, .size = 64 * M};

#define PAST(...) (&(struct judge_past){__VA_ARGS__})

static void is(struct judge_ret r, enum judge_verdict v, enum judge_reason why)
{
	assert_int_equal(r.reason, why);
	assert_int_equal(r.verdict, v);
}

static void test_clean(void **state)
{
	struct judge_past p = {.looked = true};
	struct judge_now n = {
		.size = 64 * M, .exact = true, .age_ms = 3000, .drain = true};
	struct judge_conf c = conf;
	uint64_t waited = 0;
	struct judge_ret r;
	unsigned looks = 0;

	(void)state;
	/* It lingers for about as long as told, over three looks, then it goes. */
	while ((r = judge(&conf, &p, &n)).verdict == JUDGE_WAIT) {
		is(r, JUDGE_WAIT, JUDGE_R_CLEAN);
		waited += r.wait_ms;
		p.lingering = true;
		p.patience = r.patience;
		assert_true(++looks <= 3);
	}
	is(r, JUDGE_DROP, JUDGE_R_CLEAN);
	assert_int_equal(looks, 3);
	assert_true(waited <= conf.linger_ms && waited > conf.linger_ms * 9 / 10);
	/* What patience is left of being hot does not count. */
	p = (struct judge_past){.looked = true, .patience = 16};
	assert_int_equal(judge(&conf, &p, &n).patience, 1);
	c.linger_ms = 0;
	is(judge(&c, &p, &n), JUDGE_DROP, JUDGE_R_CLEAN);
}

static void test_clean_without_cachestat(void **state)
{
	struct judge_past p = {
		.looked = true, .size = 64 * M, .lingering = true, .clean_ms = 5000};
	struct judge_now n = {
		.size = 64 * M, .dirty = 64 * M, .age_ms = 5000, .idle_ms = 8000};

	(void)state;
	is(judge(&conf, &p, &n), JUDGE_WAIT, JUDGE_R_CLEAN);
	n.idle_ms = p.clean_ms - JUDGE_CLOCK_MS; /* as good as at the same time */
	is(judge(&conf, &p, &n), JUDGE_WAIT, JUDGE_R_CLEAN);
	n.idle_ms--; /* changed since it was flushed */
	is(judge(&conf, &p, &n), JUDGE_FLUSH, JUDGE_R_LARGE);
	n.idle_ms = 8000;
	n.drain = true; /* a drain does not rely on it */
	is(judge(&conf, &p, &n), JUDGE_FLUSH, JUDGE_R_DRAIN);
	n.drain = false;
	p.lingering = false;
	is(judge(&conf, &p, &n), JUDGE_FLUSH, JUDGE_R_LARGE);
}

static void test_drain(void **state)
{
	struct judge_now n = calm;
	struct judge_ret r;

	(void)state;
	n.drain = true;
	n.age_ms = n.idle_ms = 0;
	n.dirty = 1;
	r = judge(&conf, PAST(0), &n);
	is(r, JUDGE_FLUSH, JUDGE_R_DRAIN);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.end, n.size);
	assert_int_equal(r.bytes, 1);
	/* Also the part of a stream that is on its way already. */
	r = judge(&conf, PAST(.looked = true, .size = M, .flushed = 32 * M), &n);
	assert_int_equal(r.off, 0);
}

static void test_young(void **state)
{
	struct judge_now n = calm;
	struct judge_ret r;

	(void)state;
	n.age_ms = JUDGE_YOUNG_MS - 1;
	r = judge(&conf, &seen, &n);
	is(r, JUDGE_WAIT, JUDGE_R_YOUNG);
	assert_int_equal(r.wait_ms, 1);
	n.pressure = true; /* memory cannot wait for it */
	assert_int_not_equal(judge(&conf, &seen, &n).reason, JUDGE_R_YOUNG);
	n.pressure = false;
	n.age_ms++;
	assert_int_not_equal(judge(&conf, &seen, &n).reason, JUDGE_R_YOUNG);
}

static void test_stream(void **state)
{
	struct judge_past p = {.looked = true, .size = 20 * M};
	struct judge_now n = calm;
	struct judge_ret r;

	(void)state;
	n.size = 24 * M - 1; /* two whole strides: as much as `after` */
	n.dirty = n.size;
	r = judge(&conf, &p, &n);
	is(r, JUDGE_FLUSH, JUDGE_R_STREAM);
	assert_int_equal(r.off, 0);
	assert_int_equal(r.end, 16 * M); /* never the stride being written */
	assert_int_equal(r.flushed, 16 * M);
	n.size = 16 * M - 1;
	p.size = 8 * M;
	is(judge(&conf, &p, &n), JUDGE_WAIT, JUDGE_R_STREAM);
	/* It goes on where it was. */
	p = (struct judge_past){.looked = true, .size = 32 * M, .flushed = 16 * M};
	n.size = 33 * M;
	r = judge(&conf, &p, &n);
	is(r, JUDGE_FLUSH, JUDGE_R_STREAM);
	assert_int_equal(r.off, 16 * M);
	assert_int_equal(r.end, 32 * M);
	/* Truncated and grown anew: what was flushed is not this. */
	p = (struct judge_past){.looked = true, .size = 8 * M, .flushed = 512 * M};
	assert_int_equal(judge(&conf, &p, &n).off, 0);
	/* Too large to be remembered: never a stream. */
	p.size = UINT64_MAX;
	assert_int_not_equal(judge(&conf, &p, &n).reason, JUDGE_R_STREAM);
}

static void test_stream_old(void **state)
{
	struct judge_past p = {.looked = true, .size = 8 * M};
	struct judge_now n = calm;

	(void)state;
	n.size = 9 * M;
	n.age_ms = conf.age_ms - 1;
	is(judge(&conf, &p, &n), JUDGE_WAIT, JUDGE_R_STREAM);
	n.age_ms++;
	is(judge(&conf, &p, &n), JUDGE_FLUSH, JUDGE_R_OLD);
	n.size = 100 * K; /* a log: no whole stride, left to the kernel */
	p.size = 90 * K;
	is(judge(&conf, &p, &n), JUDGE_WAIT, JUDGE_R_STREAM);
}

static void test_small(void **state)
{
	struct judge_now n = calm;
	struct judge_ret r;

	(void)state;
	n.dirty = conf.after / 4 - 1;
	for (n.idle_ms = 0; n.idle_ms <= conf.cool_ms; n.idle_ms += conf.cool_ms) {
		r = judge(&conf, &seen, &n);
		is(r, JUDGE_WAIT, JUDGE_R_SMALL);
		assert_int_equal(r.wait_ms, conf.age_ms - n.age_ms); /* no look before */
	}
	n.dirty++; /* it may be large soon */
	r = judge(&conf, &seen, &n);
	is(r, JUDGE_WAIT, JUDGE_R_SMALL);
	assert_true(r.wait_ms <= JUDGE_STREAM_MS);
}

static void test_cold(void **state)
{
	struct judge_now n = calm;
	struct judge_ret r;

	(void)state;
	n.idle_ms = conf.cool_ms;
	n.dirty = conf.after;
	r = judge(&conf, &seen, &n);
	is(r, JUDGE_FLUSH, JUDGE_R_LARGE);
	assert_int_equal(r.bytes, conf.after);
	assert_int_equal(r.end, n.size);
	n.dirty--;
	is(judge(&conf, &seen, &n), JUDGE_WAIT, JUDGE_R_SMALL);
	n.age_ms = conf.age_ms;
	is(judge(&conf, &seen, &n), JUDGE_FLUSH, JUDGE_R_OLD);
}

static void test_hot(void **state)
{
	struct judge_past p = seen;
	struct judge_now n = calm;
	uint64_t before = 0;

	(void)state;
	n.idle_ms = conf.cool_ms - 1;
	is(judge(&conf, &p, &n), JUDGE_WAIT, JUDGE_R_HOT);
	n.idle_ms = 0;
	n.age_ms = 100 * conf.age_ms; /* old, but it would be written twice */
	for (unsigned i = 0; i < 40; i++) {
		struct judge_ret r = judge(&conf, &p, &n);

		n.dirty = i % 2 ? 4096 : 64 * M;
		is(r, JUDGE_WAIT, JUDGE_R_HOT);
		assert_true(r.wait_ms >= before && r.wait_ms <= JUDGE_HOT_MAX_MS);
		before = r.wait_ms;
		p.patience = r.patience;
	}
	assert_int_equal(before, JUDGE_HOT_MAX_MS);
}

static void test_first_look_is_soon_followed(void **state)
{
	struct judge_ret r = judge(&conf, PAST(0), &calm);

	(void)state;
	is(r, JUDGE_WAIT, JUDGE_R_YOUNG);
	assert_true(r.wait_ms <= JUDGE_STREAM_MS);
	assert_int_equal(r.patience, 0);
}

static void test_pressure(void **state)
{
	struct judge_now n = calm;

	(void)state;
	n.pressure = true;
	n.idle_ms = 0;
	n.dirty = 8 * M; /* a quarter of `after`, but never less than a stride */
	is(judge(&conf, &seen, &n), JUDGE_FLUSH, JUDGE_R_PRESSURE);
	n.dirty--;
	is(judge(&conf, &seen, &n), JUDGE_WAIT, JUDGE_R_SMALL);
	n.age_ms = conf.age_ms; /* old, but hot */
	is(judge(&conf, &seen, &n), JUDGE_WAIT, JUDGE_R_HOT);
	/* `after` below a stride stays what it is. */
	n.dirty = M;
	is(judge(&(struct judge_conf){.after = M,
				      .cool_ms = 9,
				      .stride = 8 * M,
				      .age_ms = JUDGE_OFF},
		 &seen, &n),
	   JUDGE_FLUSH, JUDGE_R_PRESSURE);
}

static void test_off(void **state)
{
	struct judge_conf c = conf;
	struct judge_now n = calm;

	(void)state;
	c.after = c.age_ms = JUDGE_OFF;
	n.age_ms = UINT64_MAX / 2;
	for (int i = 0; i < 8; i++) {
		n.pressure = i & 1;
		n.idle_ms = i & 2 ? 1 << 30 : 0;
		assert_int_equal(
			judge(&c, i & 4 ? &seen : PAST(.looked = true, .size = 1), &n)
				.verdict,
			JUDGE_WAIT);
	}
	n.drain = true;
	is(judge(&c, &seen, &n), JUDGE_FLUSH, JUDGE_R_DRAIN);
	for (int r = 0; r <= JUDGE_R_PRESSURE; r++)
		assert_non_null(judge_reason_text((enum judge_reason)r));
}

/* ---- for any input -------------------------------------------------------------- */

static uint64_t any(void)
{
	static const uint64_t edge[] = {0,     1,      4095,       4096,       M,
					8 * M, 16 * M, 16 * M - 1, 1ULL << 44, INT64_MAX};
	uint64_t r = (uint64_t)random() << 31 | (uint64_t)random();

	return random() % 2 ? edge[r % 10] : r >> random() % 62;
}

static void test_properties(void **state)
{
	(void)state;
	srandom(7);
	for (unsigned n = 0; n < 2000000; n++) {
		struct judge_conf c = {
			.after = random() % 8 ? 4096 + any() % (1ULL << 40) : JUDGE_OFF,
			.age_ms = random() % 8 ? 10 + any() % 86400000 : JUDGE_OFF,
			.cool_ms = any() % 3600001,
			.stride = (64 * K) << random() % 11,
			.linger_ms = any() % 100000000,
		};
		struct judge_past p = {
			.looked = random() % 2,
			.size = any(),
			.flushed = any(),
			.patience = (uint8_t)random(),
			.lingering = random() % 2,
			.clean_ms = any(),
		};
		struct judge_now w = {
			.size = any(),
			.dirty = any(),
			.exact = random() % 2,
			.age_ms = any(),
			.idle_ms = any(),
			.pressure = random() % 2,
			.drain = random() % 4 == 0,
		};
		struct judge_ret r = judge(&c, &p, &w);

		switch (r.verdict) {
		case JUDGE_FLUSH:
			assert_true(r.off <= r.end && r.end <= w.size);
			assert_true(r.bytes <= r.end - r.off && r.bytes <= w.dirty);
			assert_true(r.off < r.end || !w.size);
			assert_int_equal(r.flushed, r.end);
			break;
		case JUDGE_WAIT:
			assert_true(r.wait_ms >= 1);
			assert_true(!w.drain || r.reason == JUDGE_R_CLEAN);
			break;
		case JUDGE_DROP:
			assert_int_equal(r.reason, JUDGE_R_CLEAN);
			break;
		}
	}
}

/* ---- loads on a virtual clock --------------------------------------------------- */

/* A file by pages of 1 MiB, and the engine's memory of it. */
#define SIM_PAGES 4096

struct sim {
	uint64_t now, size, changed, since, due;
	bool dirty[SIM_PAGES];
	bool tracked, pressure;
	struct judge_past past;
	uint64_t dirtied, written; /* pages */
	unsigned looks;
};

static uint64_t sim_dirty(const struct sim *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < SIM_PAGES; i++)
		n += s->dirty[i];
	return n * M;
}

static void sim_write(struct sim *s, uint64_t page)
{
	s->dirtied += !s->dirty[page];
	s->dirty[page] = true;
	s->changed = s->now;
	if ((page + 1) * M > s->size)
		s->size = (page + 1) * M;
	if (s->tracked)
		return;
	s->tracked = true;
	s->past = (struct judge_past){0};
	s->since = s->now;
	s->due = s->now + JUDGE_YOUNG_MS;
}

static void sim_flush(struct sim *s, const struct judge_ret *r)
{
	for (uint64_t p = r->off / M; p * M < r->end; p++) {
		s->written += s->dirty[p];
		s->dirty[p] = false;
	}
	s->past.flushed = r->flushed;
	s->past.patience = 0;
	s->past.lingering = r->reason != JUDGE_R_STREAM;
	s->since = s->now;
	s->due = s->now + (s->past.lingering ? conf.linger_ms / 7 : JUDGE_STREAM_MS);
}

/* As engine_track.c does, in few words. */
static void sim_look(struct sim *s)
{
	bool lingered = s->past.lingering;
	struct judge_now n = {
		.size = s->size,
		.dirty = sim_dirty(s),
		.exact = true,
		.age_ms = lingered ? 0 : s->now - s->since,
		.idle_ms = s->now - s->changed,
		.pressure = s->pressure,
	};
	struct judge_ret r = judge(&conf, &s->past, &n);

	s->looks++;
	s->past.looked = true;
	s->past.size = s->size;
	if (r.verdict == JUDGE_FLUSH) {
		sim_flush(s, &r);
		return;
	}
	s->tracked = r.verdict == JUDGE_WAIT;
	s->past.patience = r.patience;
	s->past.lingering = r.reason == JUDGE_R_CLEAN;
	if (s->past.lingering || lingered)
		s->since = s->now;
	s->due = s->now + r.wait_ms;
}

static void sim_tick(struct sim *s)
{
	s->now += 100;
	if (s->tracked && s->now >= s->due)
		sim_look(s);
}

/* Until it is forgotten, which must come to pass. */
static void sim_settle(struct sim *s)
{
	for (unsigned n = 0; s->tracked; n++) {
		assert_true(n < 10 * 3600);
		sim_tick(s);
	}
	assert_int_equal(sim_dirty(s), 0);
}

static void test_load_append(void **state)
{
	struct sim s = {0};

	(void)state;
	for (uint64_t p = 0; p < 2000; p++) { /* 100 MiB/s */
		sim_write(&s, p);
		if (p % 10 == 9)
			sim_tick(&s);
		assert_true(sim_dirty(&s) <= 256 * M); /* it keeps up */
	}
	assert_true(s.written > 1800);
	sim_settle(&s);
	assert_int_equal(s.written, s.dirtied);
	assert_int_equal(s.dirtied, 2000); /* nothing twice */
}

static void test_load_overwrite(void **state)
{
	struct sim s = {0};

	(void)state;
	srandom(3);
	for (uint64_t p = 0; p < 256; p++)
		sim_write(&s, p);
	for (unsigned t = 0; t < 300; t++) { /* 30 s */
		for (unsigned n = 0; n < 20; n++)
			sim_write(&s, (uint64_t)random() % 256);
		sim_tick(&s);
		assert_int_equal(s.written, 0);
	}
	assert_true(s.looks < 20);
	sim_settle(&s); /* it stops, and cools */
	assert_int_equal(s.written, 256);
}

static void test_load_overwrite_under_pressure(void **state)
{
	struct sim s = {.pressure = true};

	(void)state;
	for (unsigned t = 0; t < 100; t++) {
		for (unsigned n = 0; n < 20; n++)
			sim_write(&s, (uint64_t)random() % 256);
		sim_tick(&s);
	}
	assert_true(s.written > 0);
	s.pressure = false;
	sim_settle(&s);
}

static void test_load_temporary(void **state)
{
	(void)state;
	for (unsigned size = 1; size <= 512; size *= 2) {
		struct sim s = {0};

		for (unsigned p = 0; p < size; p++)
			sim_write(&s, p);
		for (unsigned t = 0; t < 9; t++)
			sim_tick(&s);
		assert_int_equal(s.looks, 0); /* deleted within a second: unseen */
	}
}

/* A line every 300 ms within the same page: the kernel writes it, we never do. */
static void test_load_log(void **state)
{
	struct sim s = {0};

	(void)state;
	for (unsigned t = 0; t < 600; t++) {
		if (t % 3 == 0)
			sim_write(&s, 0);
		sim_tick(&s);
	}
	assert_int_equal(s.written, 0);
	assert_true(s.looks < 60);
	sim_settle(&s);
	assert_int_equal(s.written, 1);
}

/* Written once and left alone: one flush, of everything. */
static void test_load_stop_and_cool(void **state)
{
	(void)state;
	for (unsigned size = 1; size <= 2048; size *= 2) {
		struct sim s = {0};

		for (unsigned p = 0; p < size; p++)
			sim_write(&s, p);
		sim_settle(&s);
		assert_int_equal(s.written, size);
		assert_in_range(s.looks, 1, 26); /* a medium one: each half a second */
	}
}

/* Dirtied again, unannounced, while it lingers: it is found. */
static void test_load_lingering(void **state)
{
	struct sim s = {0};

	(void)state;
	for (unsigned p = 0; p < 32; p++)
		sim_write(&s, p);
	while (!s.written)
		sim_tick(&s);
	for (unsigned n = 0; n < 20; n++)
		sim_tick(&s);
	assert_true(s.tracked);
	for (unsigned p = 0; p < 32; p++)
		sim_write(&s, p);
	sim_settle(&s);
	assert_int_equal(s.written, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_clean_without_cachestat),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_young),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_stream_old),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_cold),
		cmocka_unit_test(test_hot),
		cmocka_unit_test(test_first_look_is_soon_followed),
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_load_append),
		cmocka_unit_test(test_load_overwrite),
		cmocka_unit_test(test_load_overwrite_under_pressure),
		cmocka_unit_test(test_load_temporary),
		cmocka_unit_test(test_load_log),
		cmocka_unit_test(test_load_stop_and_cool),
		cmocka_unit_test(test_load_lingering),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

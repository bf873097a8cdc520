/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of judge.h, one function each. */
#include "daemon/judge.h"

#define PATIENCE_MAX    16
#define WAIT_FOREVER_MS (60ULL * 60 * 1000)

static uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct judge_ret wait_for(enum judge_reason why, uint64_t ms, uint8_t patience)
{
	return (struct judge_ret){
		.verdict = JUDGE_WAIT,
		.reason = why,
		.wait_ms = ms ? ms : 1,
		.patience = patience,
	};
}

static struct judge_ret flush(enum judge_reason why, uint64_t off, uint64_t end,
			      uint64_t bytes)
{
	return (struct judge_ret){
		.verdict = JUDGE_FLUSH,
		.reason = why,
		.off = off,
		.end = end,
		.bytes = min64(bytes, end - off),
		.flushed = end,
	};
}

static struct judge_ret clean(const struct judge_conf *c, const struct judge_past *past)
{
	/* 1/7, 2/7 and 4/7 of the time: three looks in all. */
	unsigned seen = past->lingering ? past->patience : 0;
	struct judge_ret r;

	if (!c->linger_ms || seen > 2) {
		r = wait_for(JUDGE_R_CLEAN, 1, 0);
		r.verdict = JUDGE_DROP;
		return r;
	}
	return wait_for(JUDGE_R_CLEAN, (c->linger_ms / 7) << seen, (uint8_t)(seen + 1));
}

/* Time left until the inode is old, or for ever. */
static uint64_t until_old(const struct judge_conf *c, const struct judge_now *now)
{
	if (c->age_ms == JUDGE_OFF)
		return WAIT_FOREVER_MS;
	return c->age_ms > now->age_ms ? c->age_ms - now->age_ms : 0;
}

/* Too little to be worth a flush before it is old; a file that may be on its way
 * to being large is asked again sooner. */
static bool is_small(const struct judge_now *now, uint64_t after)
{
	return after == JUDGE_OFF || now->dirty < after;
}

static struct judge_ret small(const struct judge_conf *c, const struct judge_now *now,
			      uint64_t after)
{
	uint64_t wait = until_old(c, now);

	if (after != JUDGE_OFF && now->dirty >= after / 4)
		wait = min64(wait, JUDGE_STREAM_MS);
	return wait_for(JUDGE_R_SMALL, wait, 0);
}

static bool is_old(const struct judge_conf *c, const struct judge_now *now)
{
	return c->age_ms != JUDGE_OFF && now->age_ms >= c->age_ms;
}

static struct judge_ret stream(const struct judge_conf *c, const struct judge_past *past,
			       const struct judge_now *now, uint64_t after)
{
	uint64_t end = now->size - now->size % c->stride;
	uint64_t off = past->flushed < now->size ? past->flushed : 0;
	uint64_t ready = end > off ? end - off : 0;

	if (ready && after != JUDGE_OFF && ready >= after)
		return flush(JUDGE_R_STREAM, off, end, now->dirty);
	if (ready && is_old(c, now))
		return flush(JUDGE_R_OLD, off, end, now->dirty);
	/* A slow stream (a log) has no whole stride yet: its last page would be
	 * written again and again; the kernel's own expiry writes it once. */
	return wait_for(JUDGE_R_STREAM, JUDGE_STREAM_MS, 0);
}

static struct judge_ret cold(const struct judge_now *now, uint64_t after)
{
	return flush(is_small(now, after) ? JUDGE_R_OLD : JUDGE_R_LARGE, 0, now->size,
		     now->dirty);
}

static struct judge_ret hot(const struct judge_conf *c, const struct judge_past *past,
			    const struct judge_now *now, uint64_t after)
{
	uint64_t wait = c->cool_ms - now->idle_ms;
	uint8_t patience = past->patience < PATIENCE_MAX ? past->patience : PATIENCE_MAX;

	if (now->pressure && !is_small(now, after))
		return flush(JUDGE_R_PRESSURE, 0, now->size, now->dirty);
	if (!past->looked) /* whether it grows shows at the second look */
		return wait_for(JUDGE_R_YOUNG, min64(wait, JUDGE_STREAM_MS / 2), 0);
	if (patience)
		wait = min64(wait << patience, JUDGE_HOT_MAX_MS);
	return wait_for(JUDGE_R_HOT, wait, (uint8_t)(patience + 1));
}

/* Without cachestat a flushed inode is clean if it was not changed since; else it
 * would be flushed, and kept, for ever. */
static bool is_clean(const struct judge_past *past, const struct judge_now *now)
{
	if (now->exact)
		return !now->dirty;
	return past->lingering && !now->drain &&
	       now->idle_ms + JUDGE_CLOCK_MS >= past->clean_ms;
}

struct judge_ret judge(const struct judge_conf *c, const struct judge_past *past,
		       const struct judge_now *now)
{
	uint64_t after = c->after;

	if (is_clean(past, now))
		return clean(c, past);
	if (now->drain)
		return flush(JUDGE_R_DRAIN, 0, now->size, now->dirty);
	if (now->age_ms < JUDGE_YOUNG_MS && !now->pressure)
		return wait_for(JUDGE_R_YOUNG, JUDGE_YOUNG_MS - now->age_ms, 0);
	if (now->pressure && after != JUDGE_OFF) {
		after = after / 4 > c->stride ? after / 4 : c->stride;
		after = min64(after, c->after);
	}
	if (past->looked && now->size > past->size)
		return stream(c, past, now, after);
	if (is_small(now, after) && !is_old(c, now))
		return small(c, now, after);
	if (now->idle_ms >= c->cool_ms)
		return cold(now, after);
	return hot(c, past, now, after);
}

const char *judge_reason_text(enum judge_reason r)
{
	static const char *const text[] = {
		[JUDGE_R_DRAIN] = "a drain waits for it",
		[JUDGE_R_CLEAN] = "nothing of it is dirty",
		[JUDGE_R_YOUNG] = "dirty for less than a second",
		[JUDGE_R_STREAM] = "append stream",
		[JUDGE_R_SMALL] = "little dirty data, not yet old",
		[JUDGE_R_LARGE] = "flush_after reached",
		[JUDGE_R_OLD] = "flush_age reached",
		[JUDGE_R_HOT] = "changed just now, left to cool",
		[JUDGE_R_PRESSURE] = "dirty memory above the background threshold",
	};

	return text[r];
}

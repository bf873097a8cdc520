/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inodes between their first dirty page and their flush.
 *
 * Lingering: the trace source announces an inode when it goes from clean to
 * dirty in the kernel's eyes.  sync_file_range() writes the pages out but leaves
 * the inode on the kernel's dirty list until the flusher has passed by, at the
 * latest after vm.dirty_expire_centisecs; in this time the inode may be dirtied
 * again without a word.  So a flushed inode that is worth it stays for that long
 * and is looked at three times more, at growing intervals.  Small files are not
 * worth it: the kernel's flusher takes care of them as it always did.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/engine_int.h"
#include "daemon/log.h"
#include "daemon/log_ids.h"

#define FAN_EVENTS_TO_SILENCE 3
#define PINNED_MAX            8192 /* ignore marks that keep their inode in memory */
#define RETRY_MS              5000 /* after an inode could not be reached */
#define RETRIES_MAX           3
#define PRESSURE_READ_S       0.5
#define PRESSURE_SCAN_S       1.0
#define IDLE_TICK_S           2.0 /* while inodes are tracked but nothing presses */

static uint32_t ms_to_ticks(uint64_t ms)
{
	uint64_t t = (ms + WHEEL_TICK_MS - 1) / WHEEL_TICK_MS;

	return t < WHEEL_SLOTS ? (uint32_t)t : WHEEL_SLOTS - 1;
}

static uint32_t to_units(uint64_t bytes)
{
	uint64_t u = (bytes + UNIT - 1) / UNIT;

	return u < UNITS_MAX ? (uint32_t)u : UNITS_MAX;
}

uint64_t track_age_ms(const struct engine *e, const struct ino *i)
{
	return (uint64_t)(engine_tick(e) - i->since) * WHEEL_TICK_MS;
}

/* ---- figures --------------------------------------------------------------- */

static struct ectx *ctx_of(const struct efs *f, const struct ino *i)
{
	return &f->bdi->ctx[i->ctx];
}

static void count_in(struct efs *f, const struct ino *i)
{
	struct ectx *c = ctx_of(f, i);

	c->inodes++;
	c->dirty += i->dirty;
	f->stat.inodes++;
	f->dirty += i->dirty;
	if (!(i->flags & INO_F_LINGER))
		f->e->active++;
	if (i->flags & INO_F_SILENCED)
		f->e->silenced++;
}

static void count_out(struct efs *f, const struct ino *i)
{
	struct ectx *c = ctx_of(f, i);

	c->inodes--;
	c->dirty -= i->dirty;
	f->stat.inodes--;
	f->dirty -= i->dirty;
	if (!(i->flags & INO_F_LINGER))
		f->e->active--;
	if (i->flags & INO_F_SILENCED)
		f->e->silenced--;
}

/* ---- records ---------------------------------------------------------------- */

static void schedule(struct engine *e, uint32_t idx, uint64_t ms)
{
	uint32_t ticks = ms_to_ticks(ms), now = engine_tick(e);

	itab_at(e->tab, idx)->state = INO_WAIT;
	wheel_sync(&e->wheel, now);
	wheel_add(&e->wheel, e->tab, idx, now + (ticks ? ticks : 1));
}

/* Off whatever list it waits on. */
static void unlist(struct engine *e, struct efs *f, uint32_t idx)
{
	struct ino *i = itab_at(e->tab, idx);

	if (i->state == INO_WAIT)
		wheel_remove(&e->wheel, e->tab, idx);
	else if (i->state == INO_READY)
		ilist_remove(e->tab, &ctx_of(f, i)->ready, idx);
}

static void drop(struct engine *e, struct efs *f, uint32_t idx, int error)
{
	struct ino *i = itab_at(e->tab, idx);

	if (i->flags & INO_F_DRAIN)
		f->drain_sum.bytes_all -= (uint64_t)i->dirty * UNIT;
	drain_one_done(f, i, error);
	count_out(f, i);
	itab_del(e->tab, idx);
}

/* A new cycle: the inode is dirty from now on, nothing is known of it. */
static void begin_cycle(struct engine *e, struct efs *f, struct ino *i)
{
	count_out(f, i);
	i->since = engine_tick(e);
	i->flags &= (uint8_t) ~(INO_F_LINGER | INO_F_HOT | INO_F_AGAIN);
	i->patience = 0;
	count_in(f, i);
}

bool track_only_watches(const struct efs *f)
{
	const struct judge_conf *c = &f->work->fs.judge;

	return c->after == JUDGE_OFF && c->age_ms == JUDGE_OFF;
}

/* When an inode is first looked at.  With everything off only a drain flushes,
 * and looking is for forgetting what the kernel has written meanwhile. */
static uint64_t first_look_ms(const struct efs *f)
{
	return track_only_watches(f) ? f->e->linger_ms : JUDGE_YOUNG_MS;
}

static void track_new(struct engine *e, struct efs *f, const struct source_event *ev)
{
	struct ino *i;
	uint32_t idx;
	int r = itab_add(e->tab, f->slot, ev->ino, ev->handle_type, ev->handle,
			 ev->handle_len, &idx);

	if (r < 0) {
		if (!e->refused++)
			log_warn("%s: more than %u inodes are dirty: the rest is left to "
				 "the "
				 "kernel's flusher (engine.max_inodes)",
				 f->work->target, e->conf->max_inodes);
		return;
	}
	i = itab_at(e->tab, idx);
	i->since = engine_tick(e);
	i->group = geom_group_of_ino(&f->work->fs.geom, ev->ino);
	i->ctx = (uint8_t)efs_ctx(f, i->group)->id;
	i->events = 1;
	hint_note_process(e, i, ev->pid);
	count_in(f, i);
	schedule(e, idx, first_look_ms(f));
	track_arm_timer(e);
}

bool track_wants_silence(const struct engine *e, const struct ino *i)
{
	if (i->events < FAN_EVENTS_TO_SILENCE || i->flags & INO_F_SILENCED)
		return false;
	return e->marks == FAN_MARKS_EVICTABLE ||
	       (e->marks == FAN_MARKS_PINNING && e->silenced < PINNED_MAX);
}

static void fan_again(struct engine *e, uint32_t idx)
{
	struct ino *i = itab_at(e->tab, idx);

	if (i->events < UINT8_MAX)
		i->events++;
	if (track_wants_silence(e, i) && i->state == INO_WAIT)
		track_ready(e, idx);
}

void track_dirty(const struct source_event *ev, void *arg)
{
	struct engine *e = arg;
	struct efs *f = e->fs[ev->fs];
	struct ino *i;
	uint32_t idx;

	if (!f || f->gone)
		return;
	f->stat.events++;
	if (f->watched && e->on_dirty)
		e->on_dirty(e->on_dirty_arg);
	idx = itab_find(e->tab, f->slot, ev->ino, ev->handle, ev->handle_len);
	if (idx == ITAB_NONE) {
		track_new(e, f, ev);
		return;
	}
	i = itab_at(e->tab, idx);
	hint_note_process(e, i, ev->pid);
	if (i->state == INO_LOOKING || i->state == INO_QUEUED) {
		i->flags |= INO_F_AGAIN;
	} else if (!ev->handle || i->flags & INO_F_LINGER) {
		/* Trace: it was clean in between, or the number has a new owner. */
		begin_cycle(e, f, i);
		if (i->state == INO_WAIT) {
			wheel_remove(&e->wheel, e->tab, idx);
			schedule(e, idx, first_look_ms(f));
			track_arm_timer(e); /* it was to be looked at later */
		}
	}
	if (ev->handle)
		fan_again(e, idx);
}

bool track_has_unknown(const struct efs *f)
{
	return f->lost && engine_now() - f->lost_when < (double)f->e->linger_ms / 1000;
}

static void lost_in(struct efs *f, uint64_t n)
{
	const struct log_field fields[] = {{"WB_MOUNT", f->work->target}, {NULL, NULL}};

	if (!track_has_unknown(f))
		log_decision(
			LOG_WARNING, LOG_ID_OVERFLOW, fields,
			"%s: %llu notifications were lost: unknown inodes are dirty; "
			"the kernel's flusher and syncfs have them",
			f->work->target, (unsigned long long)n);
	f->lost = true;
	f->lost_when = engine_now();
	engine_emit(f->e, ENGINE_OVERFLOW, f, NULL, n, 0, "notifications were lost");
}

void track_lost(uint16_t fs, uint64_t n, void *arg)
{
	struct engine *e = arg;

	e->overflows++;
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		struct efs *f = e->fs[i];

		if (f && !f->gone && (fs == UINT16_MAX ? !f->fan : fs == i))
			lost_in(f, n);
	}
}

void track_ready(struct engine *e, uint32_t idx)
{
	struct ino *i = itab_at(e->tab, idx);
	struct efs *f = e->fs[i->fs];
	struct ectx *c = ctx_of(f, i);

	if (i->state == INO_READY)
		return;
	if (i->state == INO_WAIT)
		wheel_remove(&e->wheel, e->tab, idx);
	i->state = INO_READY;
	ilist_add_tail(e->tab, &c->ready, idx);
	run_ctx(c);
}

/* ---- the worker's answer ----------------------------------------------------- */

/* Clean since now. */
static void linger_on(const struct efs *f, struct ino *i)
{
	i->flags |= INO_F_LINGER;
	i->since = engine_tick(f->e);
}

static void set_look(struct efs *f, struct ino *i, const struct work_item *it)
{
	bool was_lingering = i->flags & INO_F_LINGER;
	uint32_t dirty = to_units(it->dirty);

	if (i->flags & INO_F_DRAIN)
		f->drain_sum.bytes_all += ((uint64_t)dirty - i->dirty) * UNIT;
	count_out(f, i);
	i->dirty = it->flushed ? 0 : dirty;
	i->size = to_units(it->size);
	i->group = it->group;
	i->ctx = (uint8_t)efs_ctx(f, it->group)->id;
	i->patience = it->verdict.patience;
	i->rule = (uint16_t)(it->rule + 1);
	i->flags |= INO_F_LOOKED;
	i->flags &= (uint8_t) ~(INO_F_SILENCED | INO_F_LINGER | INO_F_HOT);
	if (it->silenced)
		i->flags |= INO_F_SILENCED;
	else
		i->events = 0;
	if (it->verdict.verdict == JUDGE_WAIT && it->verdict.reason == JUDGE_R_CLEAN)
		linger_on(f, i);
	else if (was_lingering) /* dirtied unseen, some time since the last look */
		i->since = engine_tick(f->e);
	if (it->verdict.reason == JUDGE_R_HOT)
		i->flags |= INO_F_HOT;
	count_in(f, i);
}

static void note_error(struct efs *f, const struct ino *i, int error)
{
	f->stat.errors++;
	f->stat.last_errno = -error;
	engine_emit(f->e, ENGINE_ERROR, f, i, 0, error, "write-back failed");
}

/* A drain has come after the worker had begun, which has judged by policy. */
static bool look_again_for_drain(struct engine *e, uint32_t idx, bool drained)
{
	if (drained || !(itab_at(e->tab, idx)->flags & INO_F_DRAIN))
		return false;
	track_ready(e, idx);
	return true;
}

static void note_flushed(struct efs *f, struct ectx *c, const struct ino *i,
			 uint64_t bytes)
{
	c->flushed += bytes;
	f->stat.flushed_bytes += bytes;
	if (i->flags & INO_F_DRAIN)
		f->drain_sum.bytes_done += bytes;
	rate_add(&c->rate, engine_now(), bytes);
	engine_emit(f->e, ENGINE_FLUSHED, f, i, bytes, 0, NULL);
}

static bool again(struct engine *e, struct efs *f, uint32_t idx)
{
	struct ino *i = itab_at(e->tab, idx);

	if (!(i->flags & INO_F_AGAIN))
		return false;
	begin_cycle(e, f, i);
	schedule(e, idx, first_look_ms(f));
	return true;
}

/* It could not be opened or looked at. */
static void settle_error(struct engine *e, struct efs *f, struct work_item *it)
{
	struct ino *i = itab_at(e->tab, it->idx);

	if (it->error == -ESTALE && !it->unreachable) {
		f->stat.skipped_gone++;
		engine_emit(e, ENGINE_GONE, f, i, 0, 0, "deleted before it was flushed");
		drop(e, f, it->idx, 0);
		return;
	}
	if (it->unreachable)
		f->stat.unreachable = true;
	else
		engine_emit(e, ENGINE_ERROR, f, i, 0, it->error, "cannot be opened");
	if (i->patience < UINT8_MAX)
		i->patience++;
	drain_one_done(f, i, it->error);
	/* A silenced inode that was forgotten would never be heard of again. */
	if (i->patience > RETRIES_MAX && !(i->flags & INO_F_SILENCED))
		drop(e, f, it->idx, 0);
	else if (!again(e, f, it->idx))
		schedule(e, it->idx, RETRY_MS * (uint64_t)i->patience);
}

/* Is it too small to be worth a look later? */
static bool may_drop(const struct ino *i, const struct work_item *it)
{
	return it->size < LINGER_MIN_BYTES && !(i->flags & INO_F_SILENCED);
}

/* Small, and written out by the worker. */
static void settle_small(struct engine *e, struct efs *f, struct work_item *it)
{
	struct ino *i = itab_at(e->tab, it->idx);

	note_flushed(f, ctx_of(f, i), i, it->verdict.bytes);
	if (it->flush_error)
		note_error(f, i, it->flush_error);
	else if (look_again_for_drain(e, it->idx, it->drain))
		return;
	drain_one_done(f, i, it->flush_error);
	if (again(e, f, it->idx))
		return;
	if (may_drop(i, it) ||
	    (!f->work->fs.judge.linger_ms && !(i->flags & INO_F_SILENCED))) {
		drop(e, f, it->idx, 0);
		return;
	}
	count_out(f, i);
	linger_on(f, i);
	count_in(f, i);
	schedule(e, it->idx, JUDGE_YOUNG_MS);
}

static void settle_large(struct engine *e, struct efs *f, struct work_item *it)
{
	struct ino *i = itab_at(e->tab, it->idx);
	int r;

	i->state = INO_QUEUED;
	engine_emit(e, ENGINE_FLUSH, f, i, it->verdict.bytes, 0,
		    judge_reason_text(it->verdict.reason));
	r = run_flush(f, ctx_of(f, i), it->idx, it->fd, &it->verdict);
	if (r < 0) {
		run_close(e, it->fd, -1);
		drain_one_done(f, i, r);
		schedule(e, it->idx, RETRY_MS);
	}
}

/* Looking again costs time that grows with the cached size: not too often. */
static uint64_t wait_ms(const struct work_item *it)
{
	uint64_t least = (uint64_t)it->cost_us / 20;

	return it->verdict.wait_ms > least ? it->verdict.wait_ms : least;
}

static void settle_wait(struct engine *e, struct efs *f, struct work_item *it)
{
	struct ino *i = itab_at(e->tab, it->idx);

	if (it->verdict.reason != JUDGE_R_CLEAN &&
	    look_again_for_drain(e, it->idx, it->drain))
		return;
	drain_one_done(f, i, 0); /* nothing of it was dirty */
	if (it->verdict.reason == JUDGE_R_HOT) {
		f->stat.left_hot++;
		engine_emit(e, ENGINE_HOT, f, i, it->dirty, 0,
			    judge_reason_text(JUDGE_R_HOT));
	}
	if (again(e, f, it->idx))
		return;
	/* Small and flushed just before its drain came: as in settle_small(). */
	if (it->drain && it->verdict.reason == JUDGE_R_CLEAN && may_drop(i, it))
		drop(e, f, it->idx, 0);
	else
		schedule(e, it->idx, wait_ms(it));
}

void track_settle(struct engine *e, struct efs *f, struct work_item *it)
{
	struct ino *i = itab_at(e->tab, it->idx);

	if (i->flags & INO_F_ORPHAN) {
		if (it->error == 0 && it->fd >= 0)
			run_close(e, it->fd, -1);
		drop(e, f, it->idx, 0);
		return;
	}
	if (it->error) {
		settle_error(e, f, it);
		return;
	}
	f->stat.unreachable = false;
	set_look(f, i, it);
	if (it->flushed)
		settle_small(e, f, it);
	else if (it->verdict.verdict == JUDGE_FLUSH)
		settle_large(e, f, it);
	else if (it->verdict.verdict == JUDGE_WAIT)
		settle_wait(e, f, it);
	else if (!again(e, f, it->idx))
		drop(e, f, it->idx, 0);
}

void track_flushed(struct engine *e, struct eflush *fl)
{
	struct efs *f = fl->fs;
	struct ino *i = itab_at(e->tab, fl->idx);
	uint64_t linger = f->work->fs.judge.linger_ms;
	bool goes_on = fl->reason == JUDGE_R_STREAM || fl->reason == JUDGE_R_PRESSURE;

	if (fl->error)
		note_error(f, i, fl->error);
	if (i->flags & INO_F_ORPHAN) {
		drop(e, f, fl->idx, 0);
		return;
	}
	if (!fl->error && look_again_for_drain(e, fl->idx, fl->drain))
		return;
	drain_one_done(f, i, fl->error);
	if (again(e, f, fl->idx))
		return;
	count_out(f, i);
	i->dirty = 0;
	i->since = engine_tick(e);
	i->flushed = (uint32_t)(fl->flushed_to < (uint64_t)UNITS_MAX * UNIT
					? fl->flushed_to / UNIT
					: UNITS_MAX);
	i->patience = 0;
	if (!goes_on)
		linger_on(f, i);
	count_in(f, i);
	if (fl->reason == JUDGE_R_PRESSURE)
		schedule(e, fl->idx, WHEEL_TICK_MS); /* its writers wait for us */
	else if (goes_on)
		schedule(e, fl->idx, JUDGE_STREAM_MS);
	else
		schedule(e, fl->idx, linger ? linger / 7 : JUDGE_YOUNG_MS);
}

/* ---- whole file systems and contexts ------------------------------------------ */

void track_forget_fs(struct engine *e, struct efs *f)
{
	uint32_t idx;

	for (idx = itab_next(e->tab, 0); idx != ITAB_NONE;
	     idx = itab_next(e->tab, idx + 1)) {
		struct ino *i = itab_at(e->tab, idx);

		if (i->fs != f->slot)
			continue;
		if (i->state == INO_WAIT || i->state == INO_READY) {
			unlist(e, f, idx);
			drop(e, f, idx, 0);
		} else {
			i->flags |= INO_F_ORPHAN;
		}
	}
}

void track_hurry(struct engine *e, struct efs *f)
{
	uint32_t idx;

	for (idx = itab_next(e->tab, 0); idx != ITAB_NONE;
	     idx = itab_next(e->tab, idx + 1)) {
		struct ino *i = itab_at(e->tab, idx);

		if (i->fs != f->slot || i->state != INO_WAIT || i->flags & INO_F_LINGER)
			continue;
		wheel_remove(&e->wheel, e->tab, idx);
		schedule(e, idx, JUDGE_YOUNG_MS);
	}
	track_arm_timer(e);
}

void track_remap(struct engine *e, struct ebdi *b)
{
	uint32_t idx;

	for (idx = itab_next(e->tab, 0); idx != ITAB_NONE;
	     idx = itab_next(e->tab, idx + 1)) {
		struct ino *i = itab_at(e->tab, idx);
		struct efs *f = e->fs[i->fs];
		bool ready = i->state == INO_READY;

		if (f->bdi != b)
			continue;
		if (ready)
			ilist_remove(e->tab, &ctx_of(f, i)->ready, idx);
		count_out(f, i);
		i->ctx = (uint8_t)efs_ctx(f, i->group)->id;
		count_in(f, i);
		if (ready)
			ilist_add_tail(e->tab, &ctx_of(f, i)->ready, idx);
	}
	for (unsigned n = 0; n < CONF_CONTEXTS_MAX; n++)
		run_ctx(&b->ctx[n]);
}

/* ---- time ---------------------------------------------------------------------- */

bool track_presses(const struct engine *e)
{
	return e->pressure.on && e->spare.enough;
}

static void read_pressure(struct engine *e)
{
	double now = engine_now();
	bool was = e->pressure.on;

	if (now - e->pressure_read < PRESSURE_READ_S)
		return;
	e->pressure_read = now;
	spare_sample("", &e->spare);
	if (pressure_read("", &e->pressure) < 0 || e->pressure.on == was)
		return;
	log_debug("dirty memory is %s the background threshold",
		  e->pressure.on ? "above" : "below");
	engine_emit(e, ENGINE_PRESSURE, NULL, NULL, e->pressure.dirty * UNIT, 0,
		    e->pressure.on ? "above the background threshold"
				   : "below the background threshold");
}

/* The kernel's flusher has begun: what is large, or not known yet, is looked at
 * now instead of when it would be due. */
static void scan_for_pressure(struct engine *e)
{
	double now = engine_now();
	uint32_t idx;

	if (!track_presses(e) || now - e->pressure_scan < PRESSURE_SCAN_S)
		return;
	e->pressure_scan = now;
	for (idx = itab_next(e->tab, 0); idx != ITAB_NONE;
	     idx = itab_next(e->tab, idx + 1)) {
		struct ino *i = itab_at(e->tab, idx);
		uint64_t after = e->fs[i->fs]->work->fs.judge.after;

		if (i->state != INO_WAIT || i->flags & INO_F_LINGER || after == JUDGE_OFF)
			continue;
		if (!(i->flags & INO_F_LOOKED) || (uint64_t)i->dirty * UNIT >= after / 4)
			track_ready(e, idx);
	}
}

/* Due, but perhaps not worth a look of its own: a flood of new files is looked at
 * once, when they are old. */
static void on_due(struct engine *e, uint32_t idx)
{
	struct ino *i = itab_at(e->tab, idx);
	const struct judge_conf *c = &e->fs[i->fs]->work->fs.judge;
	uint64_t age = track_age_ms(e, i);

	i->state = INO_QUEUED; /* on no list */
	if (!(i->flags & INO_F_LOOKED) && !track_presses(e) && c->age_ms != JUDGE_OFF &&
	    age < c->age_ms && e->first_looks++ >= LOOKS_PER_TICK) {
		schedule(e, idx, c->age_ms - age);
		return;
	}
	track_ready(e, idx);
}

void track_arm_timer(struct engine *e)
{
	uint32_t next = wheel_next(&e->wheel, engine_tick(e));
	double at = e->pressure.on || e->stalled ? PRESSURE_READ_S : IDLE_TICK_S;

	if (next == UINT32_MAX && !e->stalled) {
		ev_timer_stop(e->loop, &e->tick);
		return;
	}
	if ((!e->active && !e->stalled) || next * (WHEEL_TICK_MS / 1000.) < at)
		at = next * (WHEEL_TICK_MS / 1000.);
	if (at < WHEEL_TICK_MS / 1000.)
		at = WHEEL_TICK_MS / 1000.;
	if (ev_is_active(&e->tick) && ev_timer_remaining(e->loop, &e->tick) <= at)
		return;
	ev_timer_stop(e->loop, &e->tick);
	ev_timer_set(&e->tick, at, 0.);
	ev_timer_start(e->loop, &e->tick);
}

void track_on_tick(struct engine *e)
{
	uint32_t idx;

	e->first_looks = 0;
	if (e->active)
		read_pressure(e);
	while ((idx = wheel_take(&e->wheel, e->tab, engine_tick(e))) != ITAB_NONE)
		on_due(e, idx);
	scan_for_pressure(e);
	run_stalled(e);
	track_arm_timer(e);
}

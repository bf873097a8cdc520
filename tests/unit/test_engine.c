// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The engine on real file systems, by each source and each way of input and output.
 * After every turn of the loop all its counts and lists are held against its records.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "tests/unit/engine_world.h"

#define SMALL 200
#define LARGE 8
#define MIB   ((size_t)1 << 20)

struct way {
	const char *type;
	enum conf_source source;
	enum conf_io io;
};

static const struct way ways[] = {
	{"xfs", CONF_SOURCE_TRACE, CONF_IO_URING},
	{"xfs", CONF_SOURCE_TRACE, CONF_IO_THREADS},
	{"xfs", CONF_SOURCE_FANOTIFY, CONF_IO_URING},
	{"ext4", CONF_SOURCE_TRACE, CONF_IO_THREADS},
	{"btrfs", CONF_SOURCE_FANOTIFY, CONF_IO_URING},
	{"btrfs", CONF_SOURCE_FANOTIFY, CONF_IO_THREADS},
};

static bool finished(struct engine_world *w)
{
	return w->last.finished;
}

static bool in_flight(struct engine_world *w)
{
	const struct efs *f = efs_find(w->e, w->dev);

	for (unsigned n = 0; n < CONF_CONTEXTS_MAX; n++)
		if (f->bdi->ctx[n].in_flight)
			return true;
	return w->last.finished;
}

static bool all_gone(struct engine_world *w)
{
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		if (w->e->fs[i])
			return false;
	return true;
}

/* ---- the tests, each for any way ------------------------------------------------- */

static void drain_to_clean(struct engine_world *w)
{
	unsigned round;

	for (round = 0; round < 3; round++) {
		struct engine_fs_stat st;

		world_write(w, SMALL, 5000, round);
		world_write(w, LARGE, 3 * MIB, round); /* the first of them, larger */
		assert_true(world_dirty(w, SMALL) > 0);
		world_drain(w);
		world_until(w, finished);
		assert_int_equal(w->last.error, 0);
		assert_int_equal(w->last.inodes_done, w->last.inodes_all);
		assert_int_equal(w->last.bytes_done, w->last.bytes_all);
		/* Short of space, btrfs writes some out by itself. */
		if (strcmp(w->type, "btrfs") != 0)
			assert_true(w->last.bytes_done >= LARGE * 3 * MIB);
		if (w->e->cachestat)
			assert_int_equal(world_dirty(w, SMALL), 0);
		assert_int_equal(engine_get_fs_stat(w->e, w->dev, &st), 0);
		assert_true(st.events >= SMALL);
		assert_int_equal(st.errors, 0);
		/* In between, all that the kernel knows as dirty becomes clean. */
		world_sync(w);
	}
}

/* Two at once: the second waits for what the first has still to do. */
static void drains_join(struct engine_world *w)
{
	struct engine_drain *first;

	world_write(w, LARGE, 8 * MIB, 1);
	world_drain(w);
	world_until(w, in_flight);
	first = w->drain;
	w->drain = NULL;
	engine_drain_free(first); /* nobody listens to the first any more */
	world_drain(w);
	world_until(w, finished);
	assert_int_equal(w->last.error, 0);
	assert_int_equal(w->last.inodes_done, w->last.inodes_all);
	assert_int_equal(world_dirty(w, LARGE), 0);
	world_drain(w); /* nothing is left, and it ends all the same */
	world_until(w, finished);
}

static void release_in_the_middle(struct engine_world *w)
{
	world_write(w, SMALL, 5000, 1);
	world_write(w, LARGE, 16 * MIB, 1);
	world_drain(w);
	world_until(w, in_flight);
	w->contexts = 0;
	world_apply(w);
	assert_true(w->last.finished);
	assert_true(w->last.error == -ENODEV || !w->last.error);
	assert_null(efs_find(w->e, w->dev));
	world_until(w, all_gone);
	assert_int_equal(itab_count(w->e->tab), 0);
	assert_null(w->e->bdis);
	world_umount(w); /* nothing holds it */
	world_mount(w);
	w->contexts = 3;
	world_apply(w);
	world_write(w, SMALL, 6000, 2);
	world_drain(w);
	world_until(w, finished);
	assert_int_equal(world_dirty(w, SMALL), 0);
}

/* Released and taken up again while the old one still has work in flight. */
static void back_in_the_middle(struct engine_world *w)
{
	for (unsigned round = 0; round < 5; round++) {
		w->drain = engine_drain_free(w->drain);
		w->contexts = 4;
		world_apply(w);
		world_check(w);
		world_write(w, LARGE, 4 * MIB, round);
		world_drain(w);
		world_until(w, in_flight);
		w->contexts = 0;
		world_apply(w);
		world_check(w);
	}
	world_until(w, all_gone);
	assert_int_equal(itab_count(w->e->tab), 0);
}

static void free_in_the_middle(struct engine_world *w)
{
	world_write(w, SMALL, 5000, 1);
	world_write(w, LARGE, 16 * MIB, 1);
	world_drain(w);
	world_until(w, in_flight);
	w->e = engine_free(w->e);
	assert_true(w->last.finished);
	assert_int_equal(world_open_fds(), w->fds);
	world_umount(w);
}

static void fewer_contexts_in_the_middle(struct engine_world *w)
{
	static const unsigned n[] = {1, 7, 2, 64, 3};
	struct engine_ctx_stat st[CONF_CONTEXTS_MAX];

	for (size_t i = 0; i < sizeof(n) / sizeof(*n); i++) {
		/* What is under write-back still is left out of the next one. */
		world_sync(w);
		world_write(w, SMALL, 5000, (unsigned)i);
		world_write(w, LARGE, 8 * MIB, (unsigned)i);
		world_drain(w);
		world_until(w, in_flight);
		w->contexts = n[i];
		world_apply(w);
		world_check(w);
		assert_int_equal(engine_get_ctx_stat(w->e, w->dev, st, CONF_CONTEXTS_MAX),
				 n[i]);
		world_until(w, finished);
		assert_int_equal(w->last.error, 0);
		assert_int_equal(world_dirty(w, SMALL), 0);
	}
}

/* Files that go while they are looked at or flushed. */
static void delete_in_the_middle(struct engine_world *w)
{
	world_write(w, SMALL, 5000, 1);
	world_write(w, LARGE, 4 * MIB, 1);
	world_drain(w);
	for (unsigned i = 0; i < SMALL; i += 2) {
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/d%u/f%u", w->mnt, i % 8, i);
		assert_int_equal(unlink(path), 0);
		ev_run(w->loop, EVRUN_NOWAIT);
		world_check(w);
	}
	world_until(w, finished);
	assert_int_equal(w->last.inodes_done, w->last.inodes_all);
}

static bool flushed_by_policy(struct engine_world *w)
{
	return world_dirty(w, LARGE) == 0;
}

/* Without a drain: what is large and cold goes by itself. */
static void policy(struct engine_world *w)
{
	w->conf->flush.after = MIB;
	w->conf->flush.cool_ms = 0;
	world_apply(w);
	world_write(w, LARGE, 2 * MIB, 1);
	world_until(w, flushed_by_policy);
}

static bool saw_events(struct engine_world *w)
{
	struct engine_fs_stat st;

	assert_int_equal(engine_get_fs_stat(w->e, w->dev, &st), 0);
	return st.events > w->seen;
}

static bool all_tracked(struct engine_world *w)
{
	return itab_count(w->e->tab) >= LARGE;
}

static void count(void *arg)
{
	(*(unsigned *)arg)++;
}

/* The search has come to one context: it tells of dirty inodes and writes none; a drain
 * still does.  Once there are more, it does not wait for what it would have looked at. */
static void yields(struct engine_world *w)
{
	const struct efs *f = efs_find(w->e, w->dev);
	unsigned told = 0;

	engine_on_dirty(w->e, count, &told);
	w->conf->flush.after = MIB;
	w->conf->flush.cool_ms = 0;
	w->search = w->yields = true;
	w->contexts = 1;
	world_apply(w);
	assert_true(track_only_watches(f));
	assert_false(engine_is_active(w->e, f->bdi->name));
	world_write(w, LARGE, 2 * MIB, 1);
	world_until(w, all_tracked);
	assert_true(told >= LARGE);
	assert_true(engine_is_active(w->e, f->bdi->name));
	assert_false(engine_is_active(w->e, "none"));
	assert_true(wheel_next(&w->e->wheel, engine_tick(w->e)) * WHEEL_TICK_MS >
		    2 * JUDGE_YOUNG_MS);
	assert_int_equal(f->stat.flushed_bytes, 0);
	w->yields = false;
	w->contexts = 4;
	world_apply(w);
	assert_false(track_only_watches(f));
	assert_true(wheel_next(&w->e->wheel, engine_tick(w->e)) * WHEEL_TICK_MS <=
		    2 * JUDGE_YOUNG_MS);
	/* Nobody listens to a file system whose number is given. */
	w->search = false;
	world_apply(w);
	told = 0;
	w->seen = f->stat.events;
	world_write(w, LARGE + 1, 5000, 2); /* one of them is new */
	world_until(w, saw_events);
	assert_int_equal(told, 0);
	engine_on_dirty(w->e, NULL, NULL);
}

static bool is_quiet(struct engine_world *w)
{
	return w->turns++ > 100;
}

/* Unmounted and mounted again between two looks at the mount table: the same names
 * and numbers, another superblock. */
/* The source wakes the loop by itself, also after it was quiet for long. */
static void wake(struct engine_world *w)
{
	struct engine_fs_stat st;

	world_write(w, 1, 5000, 1);
	world_until(w, saw_events);
	for (unsigned n = 0; n < 100; n++)
		ev_run(w->loop, EVRUN_NOWAIT);
	world_until(w, is_quiet);
	assert_int_equal(engine_get_fs_stat(w->e, w->dev, &st), 0);
	w->seen = st.events;
	world_write(w, 2, 6000, 1);
	world_until(w, saw_events);
}

static void remount_unseen(struct engine_world *w)
{
	world_umount(w);
	world_mount(w);
	world_apply(w);
	world_write(w, SMALL, 5000, 1);
	world_until(w, saw_events);
}

/* The table is full: the rest is refused and nothing else happens. */
static void limit(struct engine_world *w)
{
	struct engine_stat st;

	w->conf->max_inodes = 50;
	world_apply(w);
	world_write(w, SMALL, 5000, 1);
	world_drain(w);
	world_until(w, finished);
	engine_get_stat(w->e, &st);
	assert_true(st.refused > 0);
	assert_true(st.inodes <= 50);
	world_sync(w);
}

/* ---- all ways ---------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*fn)(struct engine_world *w);
} what[] = {
	{"drain_to_clean", drain_to_clean},
	{"drains_join", drains_join},
	{"release_in_the_middle", release_in_the_middle},
	{"back_in_the_middle", back_in_the_middle},
	{"free_in_the_middle", free_in_the_middle},
	{"fewer_contexts_in_the_middle", fewer_contexts_in_the_middle},
	{"delete_in_the_middle", delete_in_the_middle},
	{"policy", policy},
	{"yields", yields},
	{"wake", wake},
	{"remount_unseen", remount_unseen},
	{"limit", limit},
};

/* One test in one way. */
struct one {
	char name[80];
	void (*fn)(struct engine_world *w);
	const struct way *way;
	struct engine_world w;
	const char *why_not;
};

static int set_up(void **state)
{
	struct one *o = *state;

	o->why_not = world_new(&o->w, o->way->type, o->way->source, o->way->io);
	return 0;
}

static int tear_down(void **state)
{
	world_free(&((struct one *)*state)->w);
	return 0;
}

static void run_one(void **state)
{
	struct one *o = *state;

	if (o->why_not) {
		print_message("%s: %s\n", o->way->type, o->why_not);
		skip();
	}
	world_check(&o->w);
	o->fn(&o->w);
}

#define N_WAYS ARRAY_SIZE(ways)
#define N      (N_WAYS * ARRAY_SIZE(what))

int main(int argc, char **argv)
{
	static struct one one[N];
	struct CMUnitTest tests[N];

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	for (size_t i = 0; i < N; i++) {
		const struct way *v = &ways[i % N_WAYS];
		struct one *o = &one[i];

		o->fn = what[i / N_WAYS].fn;
		o->way = v;
		(void)snprintf(o->name, sizeof(o->name), "%s/%s-%s-%s",
			       what[i / N_WAYS].name, v->type,
			       v->source == CONF_SOURCE_TRACE ? "trace" : "fanotify",
			       v->io == CONF_IO_URING ? "uring" : "threads");
		tests[i] = (struct CMUnitTest){o->name, run_one, set_up, tear_down, o};
	}
	return _cmocka_run_group_tests("engine", tests, N, NULL, NULL);
}

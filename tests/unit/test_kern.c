// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel engine below a fake /sys, from the scan to what is written and given back:
 * adopted, refused, vanishing, another device or file system in its place, set by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ev.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "daemon/kern_want.h"
#include "tests/unit/conf_text.h"
#include "tests/unit/fake_root.h"

#define BDI "sys/class/bdi/259:0/"
#define FS1 "sys/fs/writeback/259:1/"
#define FS2 "sys/fs/writeback/259:2/"

struct fixture {
	struct fake_root *root;
	struct ev_loop *loop;
	const char *path;
	char dir[80];
	struct knobs *k;
	struct conf *c;
	struct fsys_table *t;
	struct kern_state s;
	struct plan *p;
	unsigned news, moved;
};

static void set_conf(struct fixture *f, const char *text)
{
	struct conf *c = conf_of_text(text);

	/* The knobs keep the old one until the next step. */
	if (f->k)
		knobs_apply(f->k, c);
	conf_free(f->c);
	f->c = c;
}

static void put(struct fixture *f, const char *path, const char *text)
{
	fake_file(f->root, path, "%s\n", text);
}

static void make_fs(struct fixture *f, const char *dev, const char *groups)
{
	static const char *const files[][2] = {{"abi", "1"},
					       {"bdi", "259:0"},
					       {"group_map", "default"},
					       {"folio_order_max", "0"},
					       {"folio_order_min", "0"}};
	char path[80];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "sys/fs/writeback/%s/%s", dev, files[i][0]);
		put(f, path, files[i][1]);
	}
	snprintf(path, sizeof(path), "sys/fs/writeback/%s/groups", dev);
	put(f, path, groups);
}

static void make_disk(struct fixture *f, const char *diskseq)
{
	fake_disk(f->root, "nvme0n1", "259:0", 0);
	fake_partition(f->root, "nvme0n1", "nvme0n1p1", "259:1");
	fake_partition(f->root, "nvme0n1", "nvme0n1p2", "259:2");
	put(f, "sys/dev/block/259:0/diskseq", diskseq);
	put(f, BDI "writeback_contexts", "1");
	put(f, BDI "writeback_contexts_max", "64");
}

static void geometry(struct fixture *f, const char *dev, unsigned groups)
{
	char path[40];

	snprintf(path, sizeof(path), "geometry/%s", dev);
	fake_file(f->root, path,
		  "type=xfs\nblocksize=4096\ninodesize=512\nagblocks=65536\nagcount=%u\n",
		  groups);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_root_setup((void **)&f->root);
	make_disk(f, "7");
	make_fs(f, "259:1", "8");
	make_fs(f, "259:2", "4");
	geometry(f, "259:1", 8);
	geometry(f, "259:2", 4);
	fake_mount(f->root, "2 1 259:1 / /a rw - xfs /dev/nvme0n1p1 rw");
	fake_mount(f->root, "3 1 259:2 / /b rw - xfs /dev/nvme0n1p2 rw");
	put(f, "proc/sys/kernel/random/boot_id", "boot-1");
	f->path = fake_root_path(f->root);
	snprintf(f->dir, sizeof(f->dir), "%s/run", f->path);
	assert_int_equal(mkdir(f->dir, 0755), 0);
	f->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	set_conf(f, "[engine]\ncontexts = 4\n");
	*state = f;
	return 0;
}

static void forget(struct fixture *f)
{
	f->p = plan_free(f->p);
	kern_state_clear(&f->s);
	f->t = fsys_table_free(f->t);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->k = knobs_free(f->k);
	forget(f);
	conf_free(f->c);
	ev_loop_destroy(f->loop);
	fake_root_teardown((void **)&f->root);
	free(f);
	return 0;
}

static void on_news(const struct knob_news *n, void *arg)
{
	struct fixture *f = arg;

	assert_non_null(n->what);
	f->news++;
}

/* Observes and decides, as the daemon does. */
static void observe(struct fixture *f)
{
	struct plan_env env = {.cpus = 8, .user_engine = true};
	char why[256] = "";

	forget(f);
	assert_int_equal(fsys_scan(f->path, &f->t), 0);
	if (kern_probe(f->path, why, sizeof(why)) == 0) {
		assert_int_equal(kern_scan(f->path, f->t, &f->s), 0);
		if (f->k)
			kern_ask_knobs(f->k, f->t, &f->s);
		env.kern = &f->s;
	}
	assert_int_equal(plan_decide(f->t, f->c, &env, &f->p), 0);
}

static void act(struct fixture *f)
{
	struct knob_wants w;

	assert_int_equal(kern_wants(f->p, f->c, &w), 0);
	knobs_set_engine(f->k, &w);
	knobs_apply(f->k, f->c);
}

static void start(struct fixture *f)
{
	assert_int_equal(knobs_new(f->loop, f->path, f->dir, &f->k), 0);
	knobs_listen(f->k, on_news, f);
}

static void step(struct fixture *f)
{
	if (!f->k)
		start(f);
	observe(f);
	act(f);
}

static void stop(struct fixture *f)
{
	f->k = knobs_free(f->k);
}

static void crash(struct fixture *f)
{
	enum conf_restore r = f->c->restore;

	f->c->restore = CONF_RESTORE_NEVER;
	stop(f);
	f->c->restore = r;
}

static void is(struct fixture *f, const char *path, const char *want)
{
	char now[KNOB_VALUE], *p = now;

	assert_int_equal(knob_read(f->path, path, now), 0);
	/* The kernel takes the line that begins a whole map as the command that it is. */
	if (!strncmp(now, "default\n", 8))
		p = now + 8;
	assert_string_equal(p, want);
}

static enum knob_state state(struct fixture *f, enum knob_kind kind, const char *dev)
{
	const struct knob_entry *e = knobs_find(f->k, kind, dev);

	assert_non_null(e);
	return e->state;
}

static const struct plan_fs *planned(struct fixture *f, unsigned minor_no)
{
	for (size_t i = 0; i < f->p->n; i++)
		if (f->p->v[i].fs->dev == makedev(259, minor_no))
			return &f->p->v[i];
	fail_msg("259:%u is not planned", minor_no);
	return NULL;
}

#define MAP2 "0 1\n1 2\n2 3\n3 0"

/* ---- what is written ---------------------------------------------------------- */

static void written_and_given_back(void **st)
{
	struct fixture *f = *st;

	make_fs(f, "259:1", "9"); /* so that the second one begins elsewhere */
	geometry(f, "259:1", 9);
	step(f);
	assert_int_equal(planned(f, 1)->engine, PLAN_ENGINE_KERNEL);
	assert_int_equal(planned(f, 2)->engine, PLAN_ENGINE_KERNEL);
	is(f, BDI "writeback_contexts", "4");
	is(f, FS1 "group_map", "default");
	is(f, FS2 "group_map", MAP2);
	assert_int_equal(f->news, 2);
	for (uint32_t g = 0; g < 4; g++)
		assert_int_equal(plan_context(planned(f, 2), g), (g + 1) % 4);
	stop(f);
	is(f, BDI "writeback_contexts", "1");
	is(f, FS2 "group_map", "default");
}

static void nothing_changes_nothing(void **st)
{
	struct fixture *f = *st;

	step(f);
	f->news = 0;
	for (unsigned i = 0; i < 5; i++)
		step(f);
	assert_int_equal(f->news, 0);
}

static void what_was_found_is_adopted_and_given_back(void **st)
{
	struct fixture *f = *st;

	put(f, BDI "writeback_contexts", "8");
	put(f, FS1 "group_map", "0-7 7");
	step(f);
	is(f, BDI "writeback_contexts", "4");
	stop(f);
	/* The number first: the map names a context that there was not meanwhile. */
	is(f, BDI "writeback_contexts", "8");
	is(f, FS1 "group_map", "0-7 7");
}

static void a_crash_loses_nothing(void **st)
{
	struct fixture *f = *st;

	put(f, BDI "writeback_contexts", "2");
	step(f);
	is(f, BDI "writeback_contexts", "4");
	crash(f);
	f->news = 0;
	step(f);
	assert_int_equal(f->news, 0);
	stop(f);
	is(f, BDI "writeback_contexts", "2");
}

static void another_number_is_followed(void **st)
{
	struct fixture *f = *st;

	step(f);
	set_conf(f, "[engine]\ncontexts = 2\n");
	step(f);
	is(f, BDI "writeback_contexts", "2");
	set_conf(f, "[engine]\nmode = user\ncontexts = 2\n");
	step(f); /* no longer asked for: given back */
	assert_int_equal(planned(f, 1)->engine, PLAN_ENGINE_USER);
	is(f, BDI "writeback_contexts", "1");
}

/* ---- not ours ------------------------------------------------------------------ */

static void a_number_set_by_hand_is_left_alone(void **st)
{
	struct fixture *f = *st;

	step(f);
	put(f, BDI "writeback_contexts", "3");
	step(f);
	assert_int_equal(state(f, KNOB_CONTEXTS, "259:0"), KNOB_MANUAL);
	assert_int_equal(planned(f, 1)->contexts, 3);
	step(f);
	is(f, BDI "writeback_contexts", "3");
	/* One is no number for the kernel engine, but it is theirs all the same. */
	put(f, BDI "writeback_contexts", "1");
	step(f);
	step(f);
	is(f, BDI "writeback_contexts", "1");
	assert_true(planned(f, 1)->managed);
	stop(f);
	is(f, BDI "writeback_contexts", "1");
}

static void a_map_set_by_hand_is_left_alone(void **st)
{
	struct fixture *f = *st;

	step(f);
	put(f, FS1 "group_map", "0-7 2");
	/* What was never written by wb is not noted as theirs, but taken over. */
	put(f, FS2 "group_map", "0-3 2");
	step(f);
	put(f, FS2 "group_map", "1 1");
	step(f);
	assert_int_equal(state(f, KNOB_GROUP_MAP, "259:2"), KNOB_MANUAL);
	assert_int_equal(plan_context(planned(f, 2), 1), 1);
	stop(f);
	is(f, FS2 "group_map", "1 1");
}

/* ---- refused, gone --------------------------------------------------------------- */

static void refuse(struct fixture *f, const char *path)
{
	char full[200];

	snprintf(full, sizeof(full), "%s/%s", f->path, path);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink("/dev/full", full), 0);
}

static void a_refused_value_is_said_and_the_rest_is_done(void **st)
{
	struct fixture *f = *st;
	const struct knob_entry *e;

	step(f);
	stop(f);
	start(f);
	observe(f);
	refuse(f, BDI "writeback_contexts");
	put(f, FS2 "folio_order_max", "0");
	f->news = 0;
	act(f);
	e = knobs_find(f->k, KNOB_CONTEXTS, "259:0");
	assert_non_null(e);
	assert_int_not_equal(e->state, KNOB_OK);
	assert_true(f->news >= 1);
	assert_int_equal(state(f, KNOB_GROUP_MAP, "259:1"), KNOB_OK);
}

static void remove_fs(struct fixture *f, const char *dev)
{
	char cmd[200];

	snprintf(cmd, sizeof(cmd), "rm -rf %s/sys/fs/writeback/%s", f->path, dev);
	assert_int_equal(system(cmd), 0);
}

static void unmounted_between_look_and_write(void **st)
{
	struct fixture *f = *st;

	start(f);
	observe(f);
	remove_fs(f, "259:2");
	act(f);
	assert_null(knobs_find(f->k, KNOB_GROUP_MAP, "259:2"));
	is(f, BDI "writeback_contexts", "4");
	stop(f);
	is(f, BDI "writeback_contexts", "1");
}

/* The number of a folder may come back here at once, which the kernel's do not: hold
 * one in between. */
static void move_away(struct fixture *f, const char *folder)
{
	char from[120], to[120];

	snprintf(from, sizeof(from), "%s/%s", f->path, folder);
	snprintf(to, sizeof(to), "%s/old-%u", f->path, f->moved++);
	assert_int_equal(rename(from, to), 0);
}

static void another_in_its_place(struct fixture *f, const char *dev, const char *groups)
{
	char folder[80];

	snprintf(folder, sizeof(folder), "sys/fs/writeback/%s", dev);
	move_away(f, folder);
	make_fs(f, dev, groups);
}

static void another_file_system_with_its_number(void **st)
{
	struct fixture *f = *st;

	start(f);
	observe(f);
	another_in_its_place(f, "259:1", "9");
	put(f, FS1 "group_map", "0 0");
	act(f); /* what was decided was for the one before */
	is(f, FS1 "group_map", "0 0");
	assert_null(knobs_find(f->k, KNOB_GROUP_MAP, "259:1"));
	step(f);
	another_in_its_place(f, "259:1", "9");
	put(f, FS1 "group_map", "8 2");
	stop(f); /* what was found on the one before is not given to this one */
	is(f, FS1 "group_map", "8 2");
}

static void another_disk_with_its_number(void **st)
{
	struct fixture *f = *st;

	step(f);
	is(f, BDI "writeback_contexts", "4");
	move_away(f, "sys/class/bdi/259:0");
	put(f, BDI "writeback_contexts", "16");
	put(f, BDI "writeback_contexts_max", "64");
	crash(f);
	start(f);
	stop(f); /* nothing is owed to it */
	is(f, BDI "writeback_contexts", "16");
	step(f);
	is(f, BDI "writeback_contexts", "4");
	stop(f);
	is(f, BDI "writeback_contexts", "16");
}

static void another_disk_between_look_and_write(void **st)
{
	struct fixture *f = *st;

	start(f);
	observe(f);
	move_away(f, "sys/class/bdi/259:0");
	put(f, BDI "writeback_contexts", "1");
	put(f, BDI "writeback_contexts_max", "64");
	act(f);
	is(f, BDI "writeback_contexts", "1");
	assert_null(knobs_find(f->k, KNOB_CONTEXTS, "259:0"));
}

/* knob_put() itself: the identity is asked after the folder was opened. */
static void nothing_is_written_to_another_device(void **st)
{
	struct fixture *f = *st;
	char id[80];

	knob_identity(f->path, KNOB_GROUP_MAP, "259:1", id);
	assert_int_equal(knob_put(f->path, KNOB_GROUP_MAP, "259:1", id, FS1 "group_map",
				  "0 1\n1 0"),
			 0);
	is(f, FS1 "group_map", "0 1\n1 0");
	another_in_its_place(f, "259:1", "8");
	assert_int_equal(
		knob_put(f->path, KNOB_GROUP_MAP, "259:1", id, FS1 "group_map", "0 1"),
		-ENODEV);
	is(f, FS1 "group_map", "default");
	remove_fs(f, "259:1");
	assert_int_equal(
		knob_put(f->path, KNOB_GROUP_MAP, "259:1", id, FS1 "group_map", "0 1"),
		-ENOENT);
	assert_int_equal(knob_classify(f->path, KNOB_GROUP_MAP, "259:1", -ENOENT),
			 KNOB_GONE);
	assert_int_equal(knob_classify(f->path, KNOB_GROUP_MAP, "259:2", -ENOENT),
			 KNOB_UNSUPPORTED);
	assert_int_equal(knob_put(f->path, KNOB_CONTEXTS, "259:0", "inode 6",
				  BDI "writeback_contexts", "9"),
			 -ENODEV);
	is(f, BDI "writeback_contexts", "1");
}

/* ---- the ABI ------------------------------------------------------------------- */

static int probe(struct fixture *f)
{
	char why[256] = "";
	int r = kern_probe(f->path, why, sizeof(why));

	assert_true(r == -ENOENT || *why);
	return r;
}

static void the_abi_is_checked(void **st)
{
	struct fixture *f = *st;

	assert_int_equal(probe(f), 0);
	put(f, FS2 "abi", "2");
	assert_int_equal(probe(f), -EPROTO);
	put(f, FS2 "abi", "one");
	assert_int_equal(probe(f), -EPROTO);
	put(f, FS2 "abi", "1");
	put(f, "proc/cgroups", "memory\t0\t9\t1\nblkio\t0\t9\t1");
	assert_int_equal(probe(f), 0);
	put(f, "proc/cgroups", "memory\t0\t9\t1\nblkio\t3\t9\t1");
	assert_int_equal(probe(f), -EOPNOTSUPP);
	put(f, "proc/cgroups", "memory\t0\t9\t0\nblkio\t0\t9\t1");
	assert_int_equal(probe(f), -EOPNOTSUPP);
	/* A name that only begins alike, and one that is not listed any more. */
	put(f, "proc/cgroups", "memory_x\t3\t9\t1\nblkio\t0\t9\t1");
	assert_int_equal(probe(f), 0);
	remove_fs(f, "259:1");
	remove_fs(f, "259:2");
	assert_int_equal(probe(f), 0);
	remove_fs(f, "");
	assert_int_equal(probe(f), -ENOENT);
}

/* What is there may say anything. */
static void nonsense_in_sysfs_is_not_used(void **st)
{
	static const char *const files[] = {FS1 "bdi", BDI "writeback_contexts",
					    BDI "writeback_contexts_max"};
	struct fixture *f = *st;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char was[KNOB_VALUE];

		assert_int_equal(knob_read(f->path, files[i], was), 0);
		put(f, files[i], "../../../etc/passwd");
		observe(f);
		assert_int_equal(planned(f, 1)->engine, PLAN_ENGINE_USER);
		put(f, files[i], was);
	}
	put(f, FS1 "groups", "-1");
	observe(f);
	assert_int_equal(planned(f, 1)->engine, PLAN_ENGINE_KERNEL);
	assert_false(planned(f, 1)->kern.map_known);
	put(f, FS1 "groups", "8");
	put(f, FS1 "group_map", "what");
	observe(f);
	assert_false(planned(f, 1)->kern.map_known);
}

static void statistics_are_read(void **st)
{
	struct kern_ctx_stat s;
	struct fixture *f = *st;

	put(f, BDI "writeback_context/2/inodes", "10");
	put(f, BDI "writeback_context/2/dirty_kb", "20");
	put(f, BDI "writeback_context/2/writeback_kb", "30");
	put(f, BDI "writeback_context/2/written_kb", "18446744073709551615");
	assert_int_equal(kern_ctx_stat(f->path, "259:0", 2, &s), -ENOENT);
	put(f, BDI "writeback_context/2/bandwidth_kbps", "50");
	assert_int_equal(kern_ctx_stat(f->path, "259:0", 2, &s), 0);
	assert_int_equal(s.inodes, 10);
	assert_int_equal(s.dirty_bytes, 20 << 10);
	assert_int_equal(s.rate, 50 << 10);
	assert_true(s.written_bytes == UINT64_MAX);
	assert_int_equal(kern_ctx_stat(f->path, "259:0", 3, &s), -ENOENT);
	assert_int_equal(kern_ctx_stat(f->path, "../x", 0, &s), -ENOENT);
	assert_int_equal(kern_contexts(f->path, "259:0"), 1);
	put(f, BDI "writeback_contexts", "1000000");
	assert_int_equal(kern_contexts(f->path, "259:0"), GMAP_CONTEXTS);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(written_and_given_back),
		TEST(nothing_changes_nothing),
		TEST(what_was_found_is_adopted_and_given_back),
		TEST(a_crash_loses_nothing),
		TEST(another_number_is_followed),
		TEST(a_number_set_by_hand_is_left_alone),
		TEST(a_map_set_by_hand_is_left_alone),
		TEST(a_refused_value_is_said_and_the_rest_is_done),
		TEST(unmounted_between_look_and_write),
		TEST(another_file_system_with_its_number),
		TEST(another_disk_with_its_number),
		TEST(another_disk_between_look_and_write),
		TEST(nothing_is_written_to_another_device),
		TEST(the_abi_is_checked),
		TEST(nonsense_in_sysfs_is_not_used),
		TEST(statistics_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel settings below a fake /sys: written, noted, given back, or left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ev.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/knob.h"
#include "tests/unit/conf_text.h"
#include "tests/unit/fake_root.h"

#define BDI "sys/class/bdi/8:16/"

struct fixture {
	struct fake_root *root;
	struct ev_loop *loop;
	const char *path;
	char dir[80];
	struct knobs *k;
	struct conf *c;
};

static void set_conf(struct fixture *f, const char *text)
{
	struct conf *c = conf_of_text(text);

	if (f->k)
		knobs_apply(f->k, c);
	conf_free(f->c);
	f->c = c;
}

static void start(struct fixture *f)
{
	assert_int_equal(knobs_new(f->loop, f->path, f->dir, &f->k), 0);
	knobs_apply(f->k, f->c);
}

static void stop(struct fixture *f)
{
	f->k = knobs_free(f->k);
}

/* As after a crash: nothing is given back. */
static void crash(struct fixture *f)
{
	enum conf_restore r = f->c->restore;

	f->c->restore = CONF_RESTORE_NEVER;
	stop(f);
	f->c->restore = r;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct fake_root *r;

	fake_root_setup((void **)&f->root);
	r = f->root;
	fake_disk(r, "sdb", "8:16", 0);
	fake_file(r, "sys/dev/block/8:16/diskseq", "7\n");
	fake_file(r, BDI "read_ahead_kb", "128\n");
	fake_file(r, BDI "strict_limit", "0\n");
	fake_file(r, BDI "max_bytes", "4000000\n");
	fake_file(r, BDI "max_ratio_fine", "1000000\n");
	fake_file(r, "sys/devices/virtual/workqueue/writeback/cpumask",
		  "00000000,0000000f\n");
	fake_file(r, "proc/sys/kernel/random/boot_id", "boot-1\n");
	f->path = fake_root_path(r);
	snprintf(f->dir, sizeof(f->dir), "%s/run", f->path);
	assert_int_equal(mkdir(f->dir, 0755), 0);
	f->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	set_conf(f, "[knob \"k\"]\ndevice = 8:16\nread_ahead = 1M\nstrict_limit = yes\n");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->k)
		stop(f);
	conf_free(f->c);
	ev_loop_destroy(f->loop);
	fake_root_teardown((void **)&f->root);
	free(f);
	return 0;
}

static void is(struct fixture *f, const char *file, const char *want)
{
	char now[KNOB_VALUE], path[256];

	snprintf(path, sizeof(path), "%s%s", *file == '/' ? "" : BDI, file);
	assert_int_equal(knob_read(f->path, path, now), 0);
	assert_string_equal(now, want);
}

static void set(struct fixture *f, const char *file, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), BDI "%s", file);
	assert_int_equal(knob_write(f->path, path, value), 0);
}

static struct knob_entry entry(struct fixture *f, enum knob_kind kind, const char *dev)
{
	struct knob_journal j;
	struct knob_entry *e, ret = {0};

	assert_int_equal(knob_journal_load(f->path, f->dir, &j), 0);
	e = knob_journal_find(&j, kind, dev);
	if (e)
		ret = *e;
	knob_journal_clear(&j);
	return ret;
}

static void written_and_given_back(void **state)
{
	struct fixture *f = *state;
	struct knob_entry e;

	start(f);
	is(f, "read_ahead_kb", "1024");
	is(f, "strict_limit", "1");
	e = entry(f, KNOB_READ_AHEAD, "8:16");
	assert_string_equal(e.original, "128");
	assert_string_equal(e.ours, "1024");
	assert_string_equal(e.identity, "diskseq 7");
	assert_true(e.written && !e.pending && e.state == KNOB_OK);
	stop(f);
	is(f, "read_ahead_kb", "128");
	is(f, "strict_limit", "0");
	assert_false(entry(f, KNOB_READ_AHEAD, "8:16").written);
}

static void nothing_by_default(void **state)
{
	struct fixture *f = *state;

	set_conf(f, "");
	start(f);
	stop(f);
	is(f, "read_ahead_kb", "128");
	assert_int_equal(access(f->dir, F_OK), 0);
	assert_int_equal(rmdir(f->dir), 0); /* not even a file */
}

/* After a crash the original is still the one that was found first. */
static void adopted_after_a_crash(void **state)
{
	struct fixture *f = *state;

	start(f);
	crash(f);
	is(f, "read_ahead_kb", "1024");
	start(f);
	assert_string_equal(entry(f, KNOB_READ_AHEAD, "8:16").original, "128");
	set_conf(f, "[knob \"k\"]\ndevice = 8:16\nread_ahead = 2M\n");
	is(f, "read_ahead_kb", "2048");
	is(f, "strict_limit", "0"); /* not asked for any more */
	stop(f);
	is(f, "read_ahead_kb", "128");
}

/* Between the write and the note of it: what is there is ours. */
static void crash_in_a_write(void **state)
{
	struct fixture *f = *state;
	struct knob_journal j;

	start(f);
	crash(f);
	assert_int_equal(knob_journal_load(f->path, f->dir, &j), 0);
	for (size_t i = 0; i < j.n; i++) {
		j.v[i].pending = true;
		strcpy(j.v[i].ours, "");
	}
	assert_int_equal(knob_journal_save(f->path, f->dir, &j), 0);
	knob_journal_clear(&j);
	start(f);
	assert_int_equal(entry(f, KNOB_READ_AHEAD, "8:16").state, KNOB_OK);
	stop(f);
	is(f, "read_ahead_kb", "128");
}

static void hands_off(void **state)
{
	struct fixture *f = *state;

	start(f);
	set(f, "read_ahead_kb", "333\n");
	knobs_apply(f->k, f->c);
	is(f, "read_ahead_kb", "333");
	assert_int_equal(entry(f, KNOB_READ_AHEAD, "8:16").state, KNOB_MANUAL);
	set_conf(f, "[knob \"k\"]\ndevice = 8:16\nread_ahead = 4M\n");
	is(f, "read_ahead_kb", "333");
	stop(f);
	is(f, "read_ahead_kb", "333");
}

/* 8:16 is another disk now: its values are nothing of ours. */
static void recycled_number(void **state)
{
	struct fixture *f = *state;

	start(f);
	crash(f);
	fake_file(f->root, "sys/dev/block/8:16/diskseq", "8\n");
	set(f, "read_ahead_kb", "64\n");
	(void)fake_root_path(f->root);
	start(f);
	is(f, "read_ahead_kb", "1024");
	assert_string_equal(entry(f, KNOB_READ_AHEAD, "8:16").original, "64");
	stop(f);
	is(f, "read_ahead_kb", "64");
}

/* The same when nothing is asked for any more: the new disk is left alone. */
static void recycled_and_unasked(void **state)
{
	struct fixture *f = *state;

	start(f);
	crash(f);
	fake_file(f->root, "sys/dev/block/8:16/diskseq", "8\n");
	(void)fake_root_path(f->root);
	set_conf(f, "");
	start(f);
	is(f, "read_ahead_kb", "1024");
}

static void another_boot(void **state)
{
	struct fixture *f = *state;
	struct knob_journal j;

	start(f);
	crash(f);
	fake_file(f->root, "proc/sys/kernel/random/boot_id", "boot-2\n");
	(void)fake_root_path(f->root);
	assert_int_equal(knob_journal_load(f->path, f->dir, &j), 0);
	assert_int_equal(j.n, 0);
	knob_journal_clear(&j);
}

static void restore_policy(void **state)
{
	struct fixture *f = *state;

	set_conf(f, "[knobs]\nrestore = on-disable\n"
		    "[knob \"k\"]\ndevice = 8:16\nread_ahead = 1M\n");
	start(f);
	stop(f);
	is(f, "read_ahead_kb", "1024");
	start(f);
	set_conf(f, "[knobs]\nrestore = on-disable\n");
	is(f, "read_ahead_kb", "128");
	set_conf(f, "[knobs]\nrestore = never\n"
		    "[knob \"k\"]\ndevice = 8:16\nread_ahead = 1M\n");
	set_conf(f, "[knobs]\nrestore = never\n");
	is(f, "read_ahead_kb", "1024");
	assert_true(entry(f, KNOB_READ_AHEAD, "8:16").written); /* for rollback */
}

static void excluded(void **state)
{
	struct fixture *f = *state;

	set_conf(f, "[knobs]\nexclude = read_ahead_kb, max_bytes\n"
		    "[knob \"k\"]\ndevice = 8:16\nread_ahead = 1M\nstrict_limit = yes\n");
	start(f);
	is(f, "read_ahead_kb", "128");
	is(f, "strict_limit", "1");
}

/* Whether somebody has changed max_bytes shows in the ratio behind it. */
static void by_ratio(void **state)
{
	struct fixture *f = *state;
	struct knob_entry e;

	set_conf(f, "[knob \"k\"]\ndevice = 8:16\nmax_bytes = 64M\n");
	start(f);
	is(f, "max_bytes", "67108864");
	e = entry(f, KNOB_MAX_BYTES, "8:16");
	assert_string_equal(e.original, "1000000");
	set(f, "max_bytes", "65000000\n"); /* computed anew from other memory */
	knobs_apply(f->k, f->c);
	assert_int_equal(entry(f, KNOB_MAX_BYTES, "8:16").state, KNOB_OK);
	is(f, "max_bytes", "65000000");
	set(f, "max_ratio_fine", "5\n");
	knobs_apply(f->k, f->c);
	assert_int_equal(entry(f, KNOB_MAX_BYTES, "8:16").state, KNOB_MANUAL);
}

static void errors(void **state)
{
	struct fixture *f = *state;
	char path[256];

	/* A folder in its place is as good as a refusal. */
	snprintf(path, sizeof(path), "%s/" BDI "read_ahead_kb", f->path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	set_conf(f, "[knob \"k\"]\ndevice = 8:16\nread_ahead = 1M\nmin_bytes = 1M\n"
		    "[knob \"gone\"]\ndevice = 8:99\nread_ahead = 1M\n");
	start(f);
	assert_int_equal(entry(f, KNOB_READ_AHEAD, "8:16").state, KNOB_REFUSED);
	assert_int_equal(entry(f, KNOB_MIN_BYTES, "8:16").state, KNOB_UNSUPPORTED);
	assert_false(entry(f, KNOB_MIN_BYTES, "8:16").written);
	assert_int_equal(knob_classify(f->path, KNOB_READ_AHEAD, "8:99", -ENOENT),
			 KNOB_GONE);
	assert_int_equal(knob_classify(f->path, KNOB_READ_AHEAD, "8:16", -ENODEV),
			 KNOB_GONE);
	assert_int_equal(knob_classify(f->path, KNOB_READ_AHEAD, "8:16", -EBUSY),
			 KNOB_TRANSIENT);
	assert_int_equal(knob_classify(f->path, KNOB_READ_AHEAD, "8:16", -EINVAL),
			 KNOB_REFUSED);
}

static void cpumask(void **state)
{
	struct fixture *f = *state;
	static const char at[] = "sys/devices/virtual/workqueue/writeback/cpumask";
	char now[KNOB_VALUE];

	set_conf(f, "[knobs]\nwriteback_cpumask = F\n");
	start(f); /* that is what it is */
	assert_false(entry(f, KNOB_CPUMASK, "").written);
	set_conf(f, "[knobs]\nwriteback_cpumask = 3\n");
	assert_int_equal(knob_read(f->path, at, now), 0);
	assert_string_equal(now, "3");
	stop(f);
	assert_int_equal(knob_read(f->path, at, now), 0);
	assert_string_equal(now, "00000000,0000000f");
	assert_true(knob_same(KNOB_CPUMASK, "0,0000000A", "a"));
	assert_false(knob_same(KNOB_CPUMASK, "a0", "a"));
}

static void put_journal(struct fixture *f, const char *text)
{
	fake_file(f->root, "run/knobs", "%s", text);
	(void)fake_root_path(f->root);
}

/* Without its file the daemon would take its own values for originals. */
static void damaged_file(void **state)
{
	struct fixture *f = *state;
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{\"version\":1}",
		"{\"version\":2,\"boot\":\"boot-1\",\"knobs\":[]}",
		"{\"version\":1,\"boot\":\"boot-1\",\"knobs\":[1]}",
		"{\"version\":1,\"boot\":\"boot-1\",\"knobs\":[{\"knob\":\"read_ahead_"
		"kb\","
		"\"device\":\"../../"
		"x\",\"identity\":\"\",\"wanted\":\"1\",\"where\":\"\","
		"\"original\":\"1\",\"ours\":\"1\",\"state\":\"ok\"}]}",
		"{\"version\":1,\"boot\":\"boot-1\",\"knobs\":[{\"knob\":\"rm\","
		"\"device\":\"8:16\",\"identity\":\"\",\"wanted\":\"1\",\"where\":\"\","
		"\"original\":\"1\",\"ours\":\"1\",\"state\":\"ok\"}]}",
	};
	struct knob_journal j;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put_journal(f, bad[i]);
		assert_int_equal(knob_journal_load(f->path, f->dir, &j), -EBADMSG);
		assert_int_equal(knobs_new(f->loop, f->path, f->dir, &f->k), -EBADMSG);
	}
	put_journal(f, "{\"version\":1,\"boot\":\"boot-1\",\"knobs\":[]}");
	start(f);
}

/* What cannot be noted is not written. */
static void no_room_for_the_file(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rmdir(f->dir), 0);
	start(f);
	is(f, "read_ahead_kb", "128");
}

static void speed(void **state)
{
	struct knob_speed s = {0};

	(void)state;
	assert_false(knob_speed_add(&s, &(struct knob_stat){1 << 20, 0}));
	assert_false(knob_speed_add(&s, &(struct knob_stat){2 << 20, 1500}));
	assert_int_equal(s.rate, 0); /* the window was too short */
	assert_true(knob_speed_add(&s, &(struct knob_stat){21 << 20, 2000}));
	assert_int_equal(s.rate, 10 << 20);
	assert_true(knob_speed_add(&s, &(struct knob_stat){61 << 20, 4000}));
	assert_true(s.rate > 10 << 20 && s.rate < 20 << 20);
	assert_false(knob_speed_add(&s, &(struct knob_stat){0, 0})); /* another disk */

	assert_int_equal(knob_bytes_for(100 << 20, 5000, 0), 500 << 20);
	assert_int_equal(knob_bytes_for(1000, 5000, 0), 16 << 20);
	assert_int_equal(knob_bytes_for(UINT64_MAX, UINT64_MAX, 0), 1ULL << 40);
	assert_int_equal(knob_bytes_for(110 << 20, 5000, 500 << 20), 500 << 20);
	assert_int_equal(knob_bytes_for(200 << 20, 5000, 500 << 20), 1000 << 20);
}

static void vm(void **state)
{
	struct fixture *f = *state;
	struct knob_proposal p[2];
	struct knob_vm v;

	fake_file(f->root, "proc/meminfo", "MemTotal: 1 kB\nMemAvailable: %u kB\n",
		  64 << 20);
	fake_file(f->root, "proc/sys/vm/dirty_bytes", "0\n");
	fake_file(f->root, "proc/sys/vm/dirty_background_bytes", "0\n");
	fake_file(f->root, "proc/sys/vm/dirty_ratio", "20\n");
	fake_file(f->root, "proc/sys/vm/dirty_background_ratio", "10\n");
	(void)fake_root_path(f->root);
	assert_int_equal(knob_vm_read(f->path, &v), 0);
	assert_int_equal(knob_vm_propose(&v, p), 2);
	assert_string_equal(p[0].name, "vm.dirty_background_bytes");
	assert_true(p[0].proposed < p[0].now && p[1].proposed < p[1].now);
	assert_true(p[0].proposed < p[1].proposed);
	/* Somebody has thought about it already; a small machine needs nothing. */
	fake_file(f->root, "proc/sys/vm/dirty_bytes", "9000000000\n");
	(void)fake_root_path(f->root);
	assert_int_equal(knob_vm_read(f->path, &v), 0);
	assert_int_equal(knob_vm_propose(&v, p), 0);
	v = (struct knob_vm){1 << 30, 100 << 20, 200 << 20, true};
	assert_int_equal(knob_vm_propose(&v, p), 0);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(written_and_given_back),
		T(nothing_by_default),
		T(adopted_after_a_crash),
		T(crash_in_a_write),
		T(hands_off),
		T(recycled_number),
		T(recycled_and_unasked),
		T(another_boot),
		T(restore_policy),
		T(excluded),
		T(by_ratio),
		T(errors),
		T(cpumask),
		T(damaged_file),
		T(no_room_for_the_file),
		cmocka_unit_test(speed),
		T(vm),
	};

	return cmocka_run_group_tests_name("knob", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The searches below a fake root, with a simulated device: from what sysfs and debugfs
 * say, over decide, to the number in force, the state file and the next start.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ev.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/search_int.h"
#include "tests/unit/conf_text.h"
#include "tests/unit/fake_root.h"
#include "tests/unit/knee_sim.h"

#define DISK   "sys/devices/block/nvme0n1/"
#define BDI    "sys/class/bdi/259:0/"
#define STATS  "sys/kernel/debug/bdi/259:0/stats"
#define SECTOR 512
#define LONG   10000 /* seconds in which any search ends */

struct fixture {
	struct fake_root *root;
	struct ev_loop *loop;
	const char *path;
	char dir[80];
	struct searches *s;
	struct conf *c;
	struct fsys_table *t;
	struct kern_state kern;
	struct plan *p;
	bool kernel; /* the series' kernel */
	/* The device. */
	const struct sim_curve *curve;
	uint64_t now, sectors, ios, busy;
	bool load, tracked, refuses;
	unsigned refuse_from; /* contexts that the kernel does not take */
	unsigned plans, looks;
	double next; /* what the last look said */
};

static void set_conf(struct fixture *f, const char *text)
{
	struct conf *c = conf_of_text(text);

	conf_free(f->c);
	f->c = c;
}

/* ---- the daemon's part ------------------------------------------------------------ */

static void forget_plan(struct fixture *f)
{
	f->p = plan_free(f->p);
	kern_state_clear(&f->kern);
	f->t = fsys_table_free(f->t);
}

static void decide(struct fixture *f)
{
	struct plan_env env = {.cpus = 2, .user_engine = true};
	struct plan_search *search;

	forget_plan(f);
	f->path = fake_root_path(f->root);
	assert_int_equal(fsys_scan(f->path, &f->t), 0);
	if (f->kernel) {
		assert_int_equal(kern_scan(f->path, f->t, &f->kern), 0);
		env.kern = &f->kern;
	}
	assert_int_equal(searches_numbers(f->s, f->c, f->t, &search), 0);
	env.search = search;
	assert_int_equal(plan_decide(f->t, f->c, &env, &f->p), 0);
	free(search);
}

static const struct plan_fs *planned(const struct fixture *f)
{
	for (size_t i = 0; i < f->p->n; i++)
		if (!strcmp(f->p->v[i].fs->target, "/a"))
			return &f->p->v[i];
	return NULL;
}

/* As wbd.c and the knobs do it. */
static void apply(struct fixture *f)
{
	decide(f);
	if (searches_follow(f->s, f->p)) {
		decide(f);
		assert_false(searches_follow(f->s, f->p));
	}
	f->plans++;
	if (!f->kernel || !planned(f))
		return;
	f->refuses = f->refuse_from && planned(f)->contexts >= f->refuse_from;
	if (!f->refuses)
		fake_file(f->root, BDI "writeback_contexts", "%u\n",
			  planned(f)->contexts);
}

static bool active(void *arg, const char *bdi)
{
	assert_string_equal(bdi, "259:0");
	return ((struct fixture *)arg)->tracked;
}

static bool refused(void *arg, const char *bdi)
{
	assert_string_equal(bdi, "259:0");
	return ((struct fixture *)arg)->refuses;
}

static void changed(void *arg)
{
	apply(arg);
}

static void begin(struct fixture *f)
{
	const struct search_ops ops = {active, refused, changed, f};

	assert_int_equal(searches_new(f->loop, f->path, f->dir, 0, &ops, &f->s), 0);
	f->s->throttle_tried = true; /* this machine's writers are none of ours */
}

static void start(struct fixture *f)
{
	begin(f);
	apply(f);
}

static void stop(struct fixture *f)
{
	f->s = searches_free(f->s);
}

/* ---- the device -------------------------------------------------------------------- */

static void write_counters(struct fixture *f)
{
	fake_file(f->root, DISK "stat", "1 0 8 1 %llu 0 %llu 9 0 %llu %llu\n",
		  (unsigned long long)f->ios, (unsigned long long)f->sectors,
		  (unsigned long long)f->busy, (unsigned long long)f->busy * 2);
}

static void write_dirty(struct fixture *f, unsigned long long kib)
{
	fake_file(f->root, "proc/vmstat",
		  "nr_dirty %llu\nnr_writeback 0\nnr_dirty_threshold 200000\n"
		  "nr_dirty_background_threshold 100000\n",
		  kib / 4);
	if (f->kernel)
		fake_file(f->root, BDI "writeback_context/0/dirty_kb", "%llu\n", kib);
}

static void put(struct fixture *f, const char *path, const char *text)
{
	fake_file(f->root, path, "%s\n", text);
}

static void second(struct fixture *f)
{
	const struct plan_fs *p = planned(f);

	f->now += 1000;
	if (f->load) {
		double mib = sim_rate(f->curve, p ? p->contexts : 1);

		f->sectors += (uint64_t)(mib * (1 << 20)) / SECTOR;
		f->ios += 100;
		f->busy += 500;
	}
	write_counters(f);
	write_dirty(f, f->load ? 600000 : 40);
	f->next = searches_look(f->s, f->now);
	f->looks++;
}

static void seconds(struct fixture *f, unsigned n)
{
	while (n--)
		second(f);
}

static const struct search *it(const struct fixture *f)
{
	return searches_find(f->s, "259:0");
}

/* Until a search has ended. */
static void find(struct fixture *f)
{
	unsigned n = 0;

	f->load = true;
	f->tracked = !f->kernel; /* nobody tracks for the kernel's contexts */
	while (!knee_found(&it(f)->k)) {
		second(f);
		assert_true(n++ < LONG);
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_root_setup((void **)&f->root);
	fake_disk(f->root, "nvme0n1", "259:0", 0);
	fake_partition(f->root, "nvme0n1", "nvme0n1p1", "259:1");
	fake_link(f->root, "sys/block/nvme0n1", "../devices/block/nvme0n1");
	put(f, DISK "wwid", "eui.0123456789abcdef");
	put(f, DISK "size", "1000000");
	put(f, BDI "max_ratio", "100");
	fake_file(f->root, "geometry/259:1",
		  "type=xfs\nblocksize=4096\ninodesize=512\nagblocks=65536\n"
		  "agcount=12\n");
	fake_mount(f->root, "2 1 259:1 / /a rw - xfs /dev/nvme0n1p1 rw");
	f->path = fake_root_path(f->root);
	snprintf(f->dir, sizeof(f->dir), "%s/state", f->path);
	f->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	f->curve = &sim_peak;
	f->now = 1000000;
	set_conf(f, "[engine]\ncontexts = search\n");
	write_counters(f);
	write_dirty(f, 40);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stop(f);
	forget_plan(f);
	conf_free(f->c);
	ev_loop_destroy(f->loop);
	fake_root_teardown((void **)&f->root);
	free(f);
	return 0;
}

/* The kernel of the series, from the next start on. */
static void patch_kernel(struct fixture *f)
{
	static const char *const files[][2] = {
		{"abi", "1"},
		{"bdi", "259:0"},
		{"groups", "12"},
		{"group_map", "default"},
		{"folio_order_max", "0"},
	};
	static const char *const stats[][2] = {
		{"inodes", "3"},     {"dirty_kb", "0"},       {"writeback_kb", "0"},
		{"written_kb", "0"}, {"bandwidth_kbps", "0"},
	};
	char path[96];

	f->kernel = true;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "sys/fs/writeback/259:1/%s", files[i][0]);
		put(f, path, files[i][1]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(stats); i++)
		for (unsigned n = 0; n < 12; n++) {
			snprintf(path, sizeof(path), BDI "writeback_context/%u/%s", n,
				 stats[i][0]);
			put(f, path, stats[i][1]);
		}
	put(f, BDI "writeback_contexts", "1");
	put(f, BDI "writeback_contexts_max", "64");
}

/* ---- tests
 * ------------------------------------------------------------------------------ */

static void begins_with_one_and_watches(void **state)
{
	struct fixture *f = *state;

	start(f);
	assert_true(planned(f)->managed);
	assert_int_equal(planned(f)->contexts, 1);
	assert_true(planned(f)->yields);
	assert_int_equal(planned(f)->search_cap, 12);
	assert_int_equal(it(f)->k.state, KNEE_WAIT);
	assert_string_equal(it(f)->id, "wwid:eui.0123456789abcdef size:2^29");
}

static void finds_the_knee(void **state)
{
	struct fixture *f = *state;
	double best = sim_best(f->curve, 12);

	start(f);
	find(f);
	assert_true(sim_rate(f->curve, knee_settled(&it(f)->k)) > best * 0.9);
	assert_int_equal(it(f)->k.state, KNEE_HOLD);
	/* What is in force is what was found, and so it stays. */
	assert_int_equal(planned(f)->contexts, knee_settled(&it(f)->k));
	assert_false(planned(f)->yields);
	f->plans = 0;
	seconds(f, 1000);
	assert_int_equal(f->plans, 0);
	assert_int_equal(planned(f)->contexts, knee_settled(&it(f)->k));
}

static void flat_stays_at_one(void **state)
{
	struct fixture *f = *state;

	f->curve = &sim_flat;
	start(f);
	find(f);
	assert_int_equal(planned(f)->contexts, 1);
	assert_true(planned(f)->managed);
	assert_int_equal(it(f)->k.why, KNEE_W_FOUND_ONE);
}

static void nothing_dirty_is_not_looked_at(void **state)
{
	struct fixture *f = *state;

	start(f);
	assert_true(ev_is_active(&f->s->timer)); /* something might be dirty already */
	seconds(f, 2);
	assert_true(f->next > 0);
	second(f);
	assert_true(f->next == 0);
	assert_int_equal(it(f)->samples, 0);
	/* Inodes are tracked, but next to nothing of them is dirty, as debugfs says. */
	f->tracked = true;
	put(f, STATS,
	    "BdiWriteback: 0 kB\nBdiReclaimable: 40 kB\nBdiDirtyThresh: 800000 kB");
	seconds(f, 5);
	assert_true(f->next == 0);
	assert_int_equal(it(f)->samples, 0);
	/* A little is dirty: a look in a while.  Much: each second. */
	put(f, STATS,
	    "BdiWriteback: 0 kB\nBdiReclaimable: 40000 kB\nBdiDirtyThresh: 800000 kB");
	second(f);
	assert_true(f->next > 1);
	put(f, STATS,
	    "BdiWriteback: 9 kB\nBdiReclaimable: 600000 kB\nBdiDirtyThresh: 800000 kB");
	second(f);
	assert_true(f->next == 1);
	assert_int_equal(it(f)->samples, 1);
}

static void notifications_wake_it(void **state)
{
	struct fixture *f = *state;

	searches_wake(NULL);
	start(f);
	ev_timer_stop(f->loop, &f->s->timer);
	searches_wake(f->s);
	assert_true(ev_is_active(&f->s->timer));
	/* Nothing is there to be looked at. */
	set_conf(f, "[engine]\ncontexts = 4\n");
	apply(f);
	ev_timer_stop(f->loop, &f->s->timer);
	searches_wake(f->s);
	assert_false(ev_is_active(&f->s->timer));
}

static void remembers(void **state)
{
	struct fixture *f = *state;
	unsigned found;

	start(f);
	find(f);
	found = knee_settled(&it(f)->k);
	assert_true(found > 1);
	stop(f);
	start(f);
	assert_int_equal(it(f)->remembered, found);
	assert_int_equal(planned(f)->contexts, found);
	assert_null(searches_trouble(f->s));
	stop(f);
	/* The kernel's knee is not the user engine's. */
	patch_kernel(f);
	start(f);
	assert_int_equal(planned(f)->engine, PLAN_ENGINE_KERNEL);
	assert_int_equal(it(f)->remembered, 0);
	assert_int_equal(planned(f)->contexts, 1);
	stop(f);
	/* Another disk in its place. */
	f->kernel = false;
	put(f, DISK "wwid", "eui.ffff");
	start(f);
	assert_int_equal(it(f)->remembered, 0);
	stop(f);
	/* Fewer groups than it had. */
	put(f, DISK "wwid", "eui.0123456789abcdef");
	fake_file(f->root, "geometry/259:1",
		  "type=xfs\nblocksize=4096\ninodesize=512\nagblocks=65536\n"
		  "agcount=2\n");
	start(f);
	assert_int_equal(planned(f)->contexts, 2);
	assert_int_equal(knee_contexts(&it(f)->k), 2);
}

static void bad_files_are_used_in_no_part(void **state)
{
	static const char half_good[] =
		"{\"version\":1,\"devices\":[{\"device\":\"wwid:eui.0123456789abcdef "
		"size:2^29\",\"engine\":\"user\",\"contexts\":4,\"rate\":1,\"found\":1},"
		"{\"device\":\"x\"}]}";
	static const char *const bad[] = {
		"", "{", "[]", "{\"version\":2,\"devices\":[]}", half_good,
	};
	struct fixture *f = *state;
	struct stat st;
	char path[120];

	snprintf(path, sizeof(path), "%s/knee.json.refused", f->dir);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fake_file(f->root, "state/knee.json", "%s", bad[i]);
		start(f);
		assert_int_equal(planned(f)->contexts, 1);
		assert_non_null(strstr(searches_trouble(f->s), "cannot be used"));
		/* It is kept when there is something to write. */
		assert_int_equal(stat(path, &st), -1);
		find(f);
		assert_null(searches_trouble(f->s));
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(remove(path), 0);
		stop(f);
	}
}

static void a_folder_that_cannot_be_written(void **state)
{
	struct fixture *f = *state;

	fake_file(f->root, "state", "a file in its place");
	start(f);
	find(f);
	assert_non_null(strstr(searches_trouble(f->s), "cannot be written"));
	assert_true(planned(f)->contexts > 1);
}

static void devices_come_and_go(void **state)
{
	struct fixture *f = *state;
	char path[120], other[120];
	uint64_t seen;

	start(f);
	find(f);
	/* Its counters are gone before the mount table tells. */
	snprintf(path, sizeof(path), "%s/" DISK "stat", f->path);
	seen = it(f)->samples;
	assert_int_equal(remove(path), 0);
	f->now += 1000;
	(void)searches_look(f->s, f->now);
	assert_false(it(f)->sampled);
	assert_int_equal(it(f)->samples, seen);
	/* Counters that run backwards are another device's. */
	f->sectors = f->ios = f->busy = 0;
	second(f);
	assert_int_equal(it(f)->samples, seen);
	second(f);
	assert_int_equal(it(f)->samples, seen + 1);
	/* Another bdi of the same name: nothing of the first is its. */
	snprintf(path, sizeof(path), "%s/sys/class/bdi/259:0", f->path);
	snprintf(other, sizeof(other), "%s/sys/class/bdi/old", f->path);
	assert_int_equal(rename(path, other), 0);
	put(f, BDI "max_ratio", "100");
	put(f, DISK "wwid", "eui.ffff");
	apply(f);
	assert_int_equal(it(f)->samples, 0);
	assert_int_equal(planned(f)->contexts, 1);
	/* Not to be managed any more. */
	set_conf(f,
		 "[engine]\ncontexts = search\n[mount \"a\"]\npath = /a\nmanage = no\n");
	apply(f);
	assert_null(it(f));
}

static void groups_change(void **state)
{
	struct fixture *f = *state;

	start(f);
	find(f);
	assert_true(planned(f)->contexts > 2);
	fake_file(f->root, "geometry/259:1",
		  "type=xfs\nblocksize=4096\ninodesize=512\nagblocks=65536\n"
		  "agcount=2\n");
	apply(f);
	assert_int_equal(planned(f)->contexts, 2);
	assert_int_equal(knee_contexts(&it(f)->k), 2);
}

static void rotating_is_never_looked_at(void **state)
{
	static const char named[] = "[engine]\ncontexts = search\n"
				    "[mount \"a\"]\npath = /a\nmanage = yes\n";
	struct fixture *f = *state;

	put(f, DISK "queue/rotational", "1");
	start(f);
	assert_false(planned(f)->managed);
	assert_null(it(f));
	set_conf(f, named);
	apply(f);
	assert_true(planned(f)->managed);
	assert_int_equal(planned(f)->contexts, 1);
	assert_int_equal(it(f)->k.state, KNEE_OFF);
	f->load = f->tracked = true;
	seconds(f, 5);
	assert_true(f->next == 0);
	assert_int_equal(it(f)->samples, 0);
}

static void kernel_engine(void **state)
{
	struct fixture *f = *state;
	uint64_t n;

	patch_kernel(f);
	start(f);
	assert_false(planned(f)->yields);
	find(f);
	assert_true(sim_rate(f->curve, knee_settled(&it(f)->k)) >
		    sim_best(f->curve, 12) * 0.9);
	assert_int_equal(kern_contexts(f->path, "259:0"), knee_settled(&it(f)->k));
	assert_string_equal(f->s->store.v[0].engine, "kernel");
	/* Without the bell somebody must look now and then. */
	f->load = false;
	seconds(f, 4);
	assert_true(f->next >= 10);
	/* Not the number that was set: such samples do not count. */
	f->load = true;
	seconds(f, 2);
	put(f, BDI "writeback_contexts", "7");
	n = it(f)->samples;
	second(f);
	assert_true(it(f)->obs.unusable);
	assert_int_equal(it(f)->samples, n + 1);
}

static void kernel_refuses(void **state)
{
	struct fixture *f = *state;

	patch_kernel(f);
	f->refuse_from = 4;
	start(f);
	find(f);
	assert_int_equal(it(f)->k.conf.cap, 3);
	assert_true(planned(f)->contexts < 4);
	assert_int_equal(kern_contexts(f->path, "259:0"), planned(f)->contexts);
	/* The next plan does not ask for them again. */
	apply(f);
	assert_true(planned(f)->contexts < 4);
}

/* Only where it is asked for. */
static void configuration(void **state)
{
	struct fixture *f = *state;

	set_conf(f, "[engine]\ncontexts = auto\n");
	start(f);
	assert_false(planned(f)->search);
	assert_false(planned(f)->fixed);
	assert_int_equal(planned(f)->contexts, 2);
	set_conf(f, "[device \"d\"]\nmatch = nvme0n1\ncontexts = search\n");
	apply(f);
	assert_true(planned(f)->search);
	assert_int_equal(planned(f)->contexts, 1);
	set_conf(f, "[engine]\ncontexts = search\n"
		    "[device \"d\"]\nmatch = nvme0n1\ncontexts = 5\n");
	apply(f);
	assert_false(planned(f)->search);
	assert_true(planned(f)->fixed);
	assert_int_equal(planned(f)->contexts, 5);
	assert_null(it(f));
	/* One group: the kernel has that already. */
	fake_file(f->root, "geometry/259:1",
		  "type=xfs\nblocksize=4096\ninodesize=512\nagblocks=65536\n"
		  "agcount=1\n");
	set_conf(f, "[engine]\ncontexts = search\n");
	apply(f);
	assert_false(planned(f)->managed);
	assert_int_equal(planned(f)->rule, PLAN_ONE_CONTEXT);
	assert_null(it(f));
	/* A setting that is excluded is nobody's to search. */
	patch_kernel(f);
	set_conf(f,
		 "[engine]\ncontexts = search\n[knobs]\nexclude = writeback_contexts\n");
	apply(f);
	assert_false(planned(f)->search);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(begins_with_one_and_watches),
		TEST(finds_the_knee),
		TEST(flat_stays_at_one),
		TEST(nothing_dirty_is_not_looked_at),
		TEST(notifications_wake_it),
		TEST(remembers),
		TEST(bad_files_are_used_in_no_part),
		TEST(a_folder_that_cannot_be_written),
		TEST(devices_come_and_go),
		TEST(groups_change),
		TEST(rotating_is_never_looked_at),
		TEST(kernel_engine),
		TEST(kernel_refuses),
		TEST(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

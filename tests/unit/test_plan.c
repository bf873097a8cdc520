// SPDX-License-Identifier: GPL-2.0-or-later
/* decide: each rule, their precedence, contexts per backing device, and the words. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "daemon/plan.h"

#define MAX 24

/* A world of a few file systems; strings are literals, so nothing is freed but the
 * plan. */
struct world {
	struct fsys fs[MAX], *v[MAX];
	struct fsys_table t;
	struct conf c;
	struct conf_device device[4];
	struct conf_mount mount[4];
	struct conf_exclude exclude[4];
	struct plan_env env;
	struct plan *p;
};

static char nowhere[] = "/nonexistent";

/* A local, writable file system on a fast disk of its own; @groups of them. */
static struct fsys *add(struct world *w, const char *target, unsigned groups)
{
	struct fsys *f = &w->fs[w->t.n];
	unsigned n = (unsigned)w->t.n;

	assert_true(n < MAX);
	*f = (struct fsys){.dev = makedev(259, n),
			   .type = (char *)"xfs",
			   .source = (char *)"/dev/disk",
			   .target = (char *)target,
			   .class = FSYS_LOCAL};
	geom_hash(&f->geom);
	f->geom.groups = groups;
	snprintf(f->device, sizeof(f->device), "disk%up1", n);
	snprintf(f->bdev.name, sizeof(f->bdev.name), "disk%u", n);
	snprintf(f->bdev.bdi, sizeof(f->bdev.bdi), "259:%u", n);
	w->v[w->t.n++] = f;
	return f;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	w->t.v = w->v;
	w->t.root = nowhere; /* no device of this machine is asked */
	w->c.device = w->device;
	w->c.mount = w->mount;
	w->c.exclude = w->exclude;
	w->c.flush.after = 1000;
	w->env = (struct plan_env){.cpus = 4, .user_engine = true};
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	plan_free(w->p);
	free(w);
	return 0;
}

static const struct plan_fs *decide(struct world *w)
{
	w->p = plan_free(w->p);
	assert_int_equal(plan_decide(&w->t, &w->c, &w->env, &w->p), 0);
	assert_int_equal(w->p->n, w->t.n);
	return w->p->v;
}

static void expect(struct world *w, enum plan_rule rule)
{
	const struct plan_fs *f = decide(w);

	assert_string_equal(plan_rule_name(f->rule), plan_rule_name(rule));
	assert_int_equal(f->managed, rule == PLAN_AUTO || rule == PLAN_NAMED);
	if (!f->managed)
		assert_int_equal(f->contexts, 1);
}

static struct conf_mount *mount_section(struct world *w, const char *path,
					enum conf_manage manage)
{
	struct conf_mount *m = &w->mount[w->c.n_mount++];

	*m = (struct conf_mount){.label = (char *)"data",
				 .path = (char *)path,
				 .manage = manage,
				 .flush = {.after = 4711},
				 .where = (char *)"/etc/wb/wb.conf:7"};
	return m;
}

static struct conf_device *device_section(struct world *w, const char *match,
					  enum conf_manage manage, unsigned contexts)
{
	struct conf_device *d = &w->device[w->c.n_device++];

	*d = (struct conf_device){.label = (char *)"fast",
				  .match = (char *)match,
				  .manage = manage,
				  .contexts = contexts,
				  .where = (char *)"/etc/wb/wb.conf:9"};
	return d;
}

static struct conf_exclude *exclude_section(struct world *w, const char *path,
					    const char *device, const char *type)
{
	struct conf_exclude *x = &w->exclude[w->c.n_exclude++];

	*x = (struct conf_exclude){.label = (char *)"not-this",
				   .path = (char *)path,
				   .device = (char *)device,
				   .type = (char *)type,
				   .where = (char *)"/etc/wb/wb.conf:12"};
	return x;
}

static void test_auto(void **state)
{
	struct world *w = *state;

	add(w, "/a", 8);
	expect(w, PLAN_AUTO);
	assert_int_equal(w->p->v[0].contexts, 4);
	assert_int_equal(w->p->v[0].flush.after, 1000);
	assert_string_equal(w->p->v[0].where, "");
}

static void test_nature(void **state)
{
	struct world *w = *state;
	struct fsys *f = add(w, "/a", 8);

	f->class = FSYS_NETWORK;
	expect(w, PLAN_NETWORK);
	f->class = FSYS_FUSE;
	expect(w, PLAN_FUSE);
	f->class = FSYS_STACKED;
	expect(w, PLAN_STACKED);
	f->class = FSYS_MEMORY;
	expect(w, PLAN_MEMORY);
	f->class = FSYS_PSEUDO;
	expect(w, PLAN_NO_BDI);
	f->class = FSYS_OTHER;
	expect(w, PLAN_AUTO);
	f->class = FSYS_LOCAL;
	f->type = (char *)"vfat";
	expect(w, PLAN_TYPE);
	f->type = (char *)"ext4";
	f->bdev.rotational = 1;
	expect(w, PLAN_ROTATIONAL);
	f->bdev.rotational = -1;
	expect(w, PLAN_ROTATION_UNKNOWN);
	f->bdev = (struct bdev){.rotational = 0};
	expect(w, PLAN_NO_BDI);
	f->snapshot = true;
	expect(w, PLAN_SNAPSHOT);
	f->readonly = true;
	expect(w, PLAN_READONLY);
}

/* manage = yes overrules what a file system is, but not that it cannot be written,
 * nor that nothing can be learned of it. */
static void test_named(void **state)
{
	struct world *w = *state;
	struct fsys *f = add(w, "/a", 8);

	mount_section(w, "/a", CONF_MANAGE_YES);
	expect(w, PLAN_NAMED);
	assert_string_equal(w->p->v[0].where, "/etc/wb/wb.conf:7");
	assert_string_equal(w->p->v[0].label, "data");
	assert_int_equal(w->p->v[0].flush.after, 4711);
	f->snapshot = true;
	f->class = FSYS_FUSE;
	f->bdev = (struct bdev){.rotational = 1};
	expect(w, PLAN_NAMED);
	assert_int_equal(w->p->v[0].contexts, 4);
	w->c.contexts = 1;
	expect(w, PLAN_NAMED);
	assert_int_equal(w->p->v[0].contexts, 1);
	w->env.user_engine = false;
	expect(w, PLAN_NO_ENGINE);
	assert_string_equal(w->p->v[0].where, "");
	f->readonly = true;
	expect(w, PLAN_READONLY);
}

static void test_named_by_device(void **state)
{
	static const char *const match[] = {"disk0", "disk0p1", "259:0", "/dev/disk"};
	struct world *w = *state;

	add(w, "/a", 8)->bdev.rotational = 1;
	for (size_t i = 0; i < ARRAY_SIZE(match); i++) {
		w->c.n_device = 0;
		device_section(w, match[i], CONF_MANAGE_YES, 0);
		expect(w, PLAN_NAMED);
		assert_string_equal(w->p->v[0].label, "fast");
	}
	w->device[0].match = (char *)"disk";
	expect(w, PLAN_ROTATIONAL);
	w->device[0].match = (char *)"disk01";
	expect(w, PLAN_ROTATIONAL);
}

static void test_members(void **state)
{
	struct world *w = *state;
	struct fsys *f = add(w, "/a", 8);

	strcpy(f->bdev.members, "sda sdb12 sdc");
	exclude_section(w, NULL, "sdb12", NULL);
	expect(w, PLAN_EXCLUDED);
	w->exclude[0].device = (char *)"sdb1";
	expect(w, PLAN_AUTO);
	w->exclude[0].device = (char *)"db12";
	expect(w, PLAN_AUTO);
	w->exclude[0].device = (char *)"sdc";
	expect(w, PLAN_EXCLUDED);
	w->exclude[0].device = (char *)"sda sdb12";
	expect(w, PLAN_AUTO);
}

/* Any "no" beats any "yes", on whichever section it stands. */
static void test_forbidden(void **state)
{
	struct world *w = *state;

	add(w, "/a", 8);
	mount_section(w, "/a", CONF_MANAGE_YES);
	device_section(w, "disk0", CONF_MANAGE_NO, 0);
	expect(w, PLAN_FORBIDDEN);
	assert_string_equal(w->p->v[0].label, "fast");
	w->mount[0].manage = CONF_MANAGE_NO;
	w->device[0].manage = CONF_MANAGE_YES;
	expect(w, PLAN_FORBIDDEN);
	assert_string_equal(w->p->v[0].label, "data");
	/* A section for another one says nothing. */
	w->mount[0].path = (char *)"/ab";
	expect(w, PLAN_NAMED);
}

static void test_excluded(void **state)
{
	struct world *w = *state;
	struct conf_exclude *x;

	add(w, "/srv/a", 8);
	mount_section(w, "/srv/a", CONF_MANAGE_YES);
	x = exclude_section(w, "/srv/*", NULL, NULL);
	expect(w, PLAN_EXCLUDED);
	assert_string_equal(w->p->v[0].where, "/etc/wb/wb.conf:12");
	x->type = (char *)"ext4"; /* all that is given must match */
	expect(w, PLAN_NAMED);
	x->type = (char *)"xfs";
	expect(w, PLAN_EXCLUDED);
	x->device = (char *)"disk1";
	expect(w, PLAN_NAMED);
	x->device = (char *)"disk0";
	expect(w, PLAN_EXCLUDED);
	*x = (struct conf_exclude){.label = x->label, .where = x->where};
	expect(w, PLAN_NAMED); /* an empty one matches nothing */
}

/* One property after the other is put on top; the one that decides changes in the
 * documented order. */
/* A section may name any mount point of a file system, and "no" wins. */
static void test_other_mount_point(void **state)
{
	char *targets[] = {(char *)"/data", (char *)"/export/data"};
	struct world *w = *state;
	struct fsys *f = add(w, "/data", 4);

	f->targets = targets;
	f->n_targets = ARRAY_SIZE(targets);
	mount_section(w, "/export/data", CONF_MANAGE_YES);
	expect(w, PLAN_NAMED);
	assert_int_equal(w->p->v[0].flush.after, 4711);
	mount_section(w, "/data", CONF_MANAGE_NO);
	expect(w, PLAN_FORBIDDEN);
	w->c.n_mount = 0;
	exclude_section(w, "/export/*", NULL, NULL);
	expect(w, PLAN_EXCLUDED);
}

static void test_precedence(void **state)
{
	struct world *w = *state;
	struct fsys *f = add(w, "/a", 8);

	w->c.contexts = 1;
	expect(w, PLAN_ONE_CONTEXT);
	w->env.user_engine = false;
	expect(w, PLAN_NO_ENGINE);
	f->bdev.rotational = -1;
	expect(w, PLAN_ROTATION_UNKNOWN);
	f->bdev.rotational = 1;
	expect(w, PLAN_ROTATIONAL);
	f->bdev.bdi[0] = f->bdev.name[0] = '\0';
	expect(w, PLAN_NO_BDI);
	f->class = FSYS_MEMORY;
	expect(w, PLAN_MEMORY);
	f->snapshot = true;
	expect(w, PLAN_SNAPSHOT);
	w->env.user_engine = true;
	mount_section(w, "/a", CONF_MANAGE_YES);
	expect(w, PLAN_NAMED);
	w->env.user_engine = false;
	expect(w, PLAN_NO_ENGINE);
	f->readonly = true;
	expect(w, PLAN_READONLY);
	exclude_section(w, NULL, NULL, "xfs");
	expect(w, PLAN_EXCLUDED);
	device_section(w, "disk0p1", CONF_MANAGE_NO, 0);
	expect(w, PLAN_FORBIDDEN);
	w->c.engine = CONF_ENGINE_NONE;
	expect(w, PLAN_OFF);
}

static void test_auto_contexts(void **state)
{
	static const struct {
		unsigned groups, cpus, contexts;
	} t[] = {{8, 4, 4},  {3, 4, 3},  {64, 64, PLAN_AUTO_CAP},
		 {2, 64, 2}, {64, 0, 1}, {1, 64, 1},
		 {9, 9, 8},  {8, 8, 8}};
	struct world *w = *state;
	struct fsys *f = add(w, "/a", 1);

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		f->geom.groups = t[i].groups;
		w->env.cpus = t[i].cpus;
		expect(w, t[i].contexts > 1 ? PLAN_AUTO : PLAN_ONE_CONTEXT);
		assert_int_equal(w->p->v[0].contexts, t[i].contexts);
	}
}

static void test_contexts_asked(void **state)
{
	struct world *w = *state;

	add(w, "/a", 8);
	w->c.contexts = 6; /* beats auto, and its cap by CPUs */
	expect(w, PLAN_AUTO);
	assert_int_equal(w->p->v[0].contexts, 6);
	device_section(w, "disk0", CONF_MANAGE_AUTO, 3); /* beats [engine] */
	expect(w, PLAN_AUTO);
	assert_int_equal(w->p->v[0].contexts, 3);
	w->device[0].contexts = 0;
	expect(w, PLAN_AUTO);
	assert_int_equal(w->p->v[0].contexts, 6);
	w->c.contexts = 4000000000U;
	expect(w, PLAN_AUTO);
	assert_int_equal(w->p->v[0].contexts, CONF_CONTEXTS_MAX);
}

/* Several file systems on one disk: groups add up, all get the same number, and each
 * begins where the one before ended. */
static void test_shared_bdi(void **state)
{
	struct world *w = *state;
	const struct plan_fs *v;

	add(w, "/a", 1);
	add(w, "/other", 8);
	add(w, "/b", 2);
	add(w, "/ro", 100)->readonly = true;
	add(w, "/c", 1);
	for (size_t i = 2; i < 5; i++)
		strcpy(w->fs[i].bdev.bdi, w->fs[0].bdev.bdi);
	w->env.cpus = 8;
	v = decide(w);
	assert_int_equal(v[0].contexts, 4); /* 1 + 2 + 1; the read-only one not */
	assert_int_equal(v[2].contexts, 4);
	assert_int_equal(v[4].contexts, 4);
	assert_int_equal(v[1].contexts, 8);
	assert_int_equal(v[3].contexts, 1);
	assert_int_equal(plan_context(&v[0], 0), 0);
	assert_int_equal(plan_context(&v[2], 0), 1);
	assert_int_equal(plan_context(&v[2], 1), 2);
	assert_int_equal(plan_context(&v[4], 0), 3);
	/* A section for the partition of one is for the disk they share. */
	device_section(w, "disk4p1", CONF_MANAGE_AUTO, 5);
	v = decide(w);
	assert_int_equal(v[0].contexts, 5);
	assert_int_equal(v[2].contexts, 5);
	assert_int_equal(v[1].contexts, 8);
}

/* Without a bdi's name, file systems do not share one. */
static void test_unnamed_bdi(void **state)
{
	struct world *w = *state;
	const struct plan_fs *v;

	add(w, "/a", 2)->bdev.bdi[0] = '\0';
	add(w, "/b", 3)->bdev.bdi[0] = '\0';
	v = decide(w);
	assert_int_equal(v[0].contexts, 2);
	assert_int_equal(v[1].contexts, 3);
}

/* Whatever the numbers: a context of every group exists, and the groups of a bdi are
 * spread as evenly as whole groups can be. */
static void test_property_even(void **state)
{
	struct world *w = *state;
	uint32_t x = 2463534242U;

	for (int i = 0; i < 3; i++)
		strcpy(add(w, "/a", 1)->bdev.bdi, "259:0");
	for (int round = 0; round < 2000; round++) {
		unsigned count[CONF_CONTEXTS_MAX] = {0}, least = ~0U, most = 0;
		const struct plan_fs *v;

		for (int i = 0; i < 3; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			w->fs[i].geom.groups = 1 + x % 200;
		}
		w->env.cpus = 1 + x / 1000 % 100;
		w->c.contexts = x / 7 % 3 ? 0 : x / 100 % 70;
		v = decide(w);
		for (int i = 0; i < 3; i++)
			for (uint32_t g = 0; g < w->fs[i].geom.groups; g++) {
				assert_true(plan_context(&v[i], g) < v[i].contexts);
				count[plan_context(&v[i], g)]++;
			}
		assert_in_range(v[0].contexts, 1, CONF_CONTEXTS_MAX);
		if (!v[0].managed)
			continue;
		for (unsigned k = 0; k < v[0].contexts; k++) {
			least = count[k] < least ? count[k] : least;
			most = count[k] > most ? count[k] : most;
		}
		assert_true(most - least <= 1);
	}
}

static void test_empty(void **state)
{
	struct world *w = *state;

	decide(w);
	assert_int_equal(w->p->n, 0);
}

static void test_words(void **state)
{
	(void)state;
	for (int r = 0; r <= PLAN_NO_ENGINE; r++) {
		assert_true(strlen(plan_rule_text((enum plan_rule)r)) > 10);
		for (int q = 0; q < r; q++)
			assert_string_not_equal(plan_rule_name((enum plan_rule)r),
						plan_rule_name((enum plan_rule)q));
	}
	assert_string_equal(plan_rule_name(PLAN_ROTATIONAL), "rotational");
	assert_string_equal(plan_rule_name((enum plan_rule)999), "unknown");
}

static char *print(struct world *w)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	decide(w);
	plan_print(w->p, f);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void test_print(void **state)
{
	struct world *w = *state;
	char *text;

	add(w, "/srv/bilder", 8);
	add(w, "/b", 1000)->bdev.rotational = 1;
	add(w, "/c", 2)->bdev.bdi[0] = '\0';
	mount_section(w, "/c", CONF_MANAGE_NO);
	text = print(w);
	assert_string_equal(text, "MOUNT        TYPE  BDI    GROUPS  CONTEXTS  DECISION\n"
				  "/srv/bilder  xfs   259:0       8         4  Managed: "
				  "it is local, writable "
				  "and not rotational.\n"
				  "/b           xfs   259:1    1000         -  Not "
				  "managed: its disk rotates, "
				  "so parallel writes would make it seek.\n"
				  "/c           xfs   -           2         -  Not "
				  "managed: the configuration "
				  "says manage = no (/etc/wb/wb.conf:7).\n");
	free(text);
}

/* Nothing a mount point is called reaches the terminal as a command. */
static void test_print_escapes(void **state)
{
	struct world *w = *state;
	char *text;

	add(w, "/a\n/b\x1b[31m\x7f \xff\xc3\xa4\xc2\x9b\xed\xa0\x80\\", 8);
	text = print(w);
	assert_non_null(strstr(text,
			       "/a\\x0a/b\\x1b[31m\\x7f \\xff\xc3\xa4\\xc2\\x9b\\xed"
			       "\\xa0\\x80\\x5c  xfs"));
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
	free(text);
}

/* A monster of a name stays on its own line and does not widen the others. */
static void test_print_long(void **state)
{
	static char name[4097];
	struct world *w = *state;
	char *text;

	memset(name, 'x', sizeof(name) - 1);
	name[0] = '/';
	add(w, name, 8);
	add(w, "/b", 8);
	text = print(w);
	assert_non_null(strstr(text, "\n/b     xfs   259:1"));
	free(text);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_auto),
		T(test_nature),
		T(test_named),
		T(test_named_by_device),
		T(test_members),
		T(test_forbidden),
		T(test_other_mount_point),
		T(test_excluded),
		T(test_precedence),
		T(test_auto_contexts),
		T(test_contexts_asked),
		T(test_shared_bdi),
		T(test_unnamed_bdi),
		T(test_property_even),
		T(test_empty),
		T(test_words),
		T(test_print),
		T(test_print_escapes),
		T(test_print_long),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}

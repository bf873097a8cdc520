// SPDX-License-Identifier: GPL-2.0-or-later
/* Hints: patterns, which rule counts, processes, and what follows for a flush. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "daemon/conf_table.h"
#include "daemon/hint_fd.h"
#include "daemon/hint_rule.h"
#include "tests/unit/conf_text.h"
#include "tests/unit/fake_root.h"

static void globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} c[] = {
		{"/srv/a", "/srv/a", true},
		{"/srv/a", "/srv/ab", false},
		{"/srv/a", "/srv", false},
		{"/srv/*", "/srv/a", true},
		{"/srv/*", "/srv/a/b", false},
		{"/srv/**", "/srv/a/b", true},
		{"/srv/**", "/srv/", true},
		{"/srv/**", "/srvx/a", false},
		{"/srv/**/x", "/srv/a/b/x", true},
		{"/srv/**/x", "/srv/x", false},
		{"/srv/**x", "/srv/x", true},
		{"/**/log/*.gz", "/a/b/log/c.gz", true},
		{"/**/log/*.gz", "/a/log/b/log/c.gz", true},
		{"/**/log/*.gz", "/a/log/b/c.gz", false},
		{"/**/a*b/*c", "/x/ab/y/aab/zc", true},
		{"/?/b", "/a/b", true},
		{"/?b", "//b", false},
		{"*", "", true},
		{"**", "", true},
		{"", "", true},
		{"", "a", false},
		{"*a*", "bab", true},
		{"/a/***/b", "/a/x/y/b", true},
		{"post*", "postgres", true},
		{"post*", "ghost", false},
	};
	char evil[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++)
		if (hint_glob(c[i].pattern, c[i].text) != c[i].fits)
			fail_msg("%s and %s", c[i].pattern, c[i].text);
	/* A name of the worst kind ends too. */
	memset(evil, 'a', sizeof(evil) - 1);
	evil[sizeof(evil) - 1] = '\0';
	assert_false(hint_glob("**a*a*a*a*a*a*a*a*a**a*a*a*a*a*ab", evil));
}

static const char *pick(const struct hint_rules *r, const char *path, uint64_t mask)
{
	int i = hint_rules_pick(r, path, mask);

	return i < 0 ? "" : r->v[i].label;
}

static void longest_counts(void **state)
{
	struct conf *c =
		conf_of_text("[hint \"all\"]\npath = /srv/**\nwrite_size = 1M\n"
			     "[hint \"backup\"]\npath = /srv/backup/**\nwrite_size = 2M\n"
			     "[hint \"tar\"]\nprogram = tar\nfile_size = 4M\n"
			     "[hint \"both\"]\npath = /srv/**\nprogram = tar\n"
			     "write_size = 8M\n"
			     "[hint \"group\"]\ncgroup = /system.slice/**\n"
			     "write_size = 16M\n");
	struct hint_rules *r;
	uint16_t tar, in_group, other;

	(void)state;
	assert_int_equal(hint_rules_new(c, &r), 0);
	assert_int_equal(r->n, 5);
	assert_true(r->by_path);
	assert_int_equal(r->n_process, 3);
	tar = hint_rules_class(r, "tar", "/user.slice");
	in_group = hint_rules_class(r, "cp", "/system.slice/x.service");
	other = hint_rules_class(r, "cp", "/user.slice");
	assert_int_equal(other, 0);
	assert_int_not_equal(tar, in_group);
	assert_int_equal(hint_rules_class(r, "tar", "/"), tar);

	assert_string_equal(pick(r, "/srv/a", 0), "all");
	assert_string_equal(pick(r, "/srv/backup/a", 0), "backup");
	assert_string_equal(pick(r, "/home/a", 0), "");
	assert_string_equal(pick(r, NULL, 0), "");
	assert_string_equal(pick(r, "/home/a", hint_rules_mask(r, tar)), "tar");
	assert_string_equal(pick(r, "/srv/a", hint_rules_mask(r, tar)), "both");
	assert_string_equal(pick(r, "/srv/backup/a", hint_rules_mask(r, tar)), "backup");
	assert_string_equal(pick(r, NULL, hint_rules_mask(r, in_group)), "group");
	assert_int_equal(r->v[2].hint.file_size, 4 << 20);
	assert_int_equal(r->v[2].hint.write_size, 0);
	hint_rules_put(r);
	conf_free(c);
}

/* A section that says nothing, or to nobody, is reported and has no effect. */
static void empty_sections(void **state)
{
	static const char text[] =
		"[hint \"a\"]\npath = /srv\n"
		"[hint \"b\"]\nwrite_size = 1M\n"
		"[hint \"c\"]\npath = /srv\nwrite_size = 1M\npth = /x\n";
	struct conf_diags d = {0};
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct hint_rules *r;
	struct conf *c;

	(void)state;
	assert_int_equal(conf_load_stream(f, "t", &c, &d), 0);
	fclose(f);
	assert_int_equal(d.n, 4); /* and one for the key */
	assert_int_equal(c->n_hint, 0);
	assert_int_equal(hint_rules_new(c, &r), 0);
	assert_null(r);
	assert_null(hint_rules_get(NULL));
	hint_rules_put(NULL);
	conf_diags_clear(&d);
	conf_free(c);
}

static void too_many_classes(void **state)
{
	struct conf *c = conf_of_text("[hint \"a\"]\nprogram = a*\nwrite_size = 1M\n");
	struct hint_rules *r;

	(void)state;
	assert_int_equal(hint_rules_new(c, &r), 0);
	r->n_class = HINT_CLASSES;
	assert_int_equal(hint_rules_class(r, "ab", ""), 0);
	assert_int_equal(hint_rules_mask(r, UINT16_MAX), 0);
	hint_rules_put(r);
	conf_free(c);
}

static void processes(void **state)
{
	struct fake_root *root = *state;
	struct hint_proc_cache *cache = hint_proc_cache_new();
	struct conf *c = conf_of_text("[hint \"a\"]\nprogram = tar\nwrite_size = 1M\n");
	struct hint_rules *r;
	struct hint_proc p;
	const char *path;
	uint16_t class;

	fake_file(root, "proc/10/comm", "tar\n");
	fake_file(root, "proc/10/cgroup", "0::/system.slice/b.service\n");
	fake_file(root, "proc/11/comm", "very-long-name-(\n");
	fake_file(root, "proc/11/cgroup",
		  "12:cpuset:/\n1:name=systemd:/user.slice\n0::/\n");
	fake_file(root, "proc/12/comm", "x\n");
	fake_file(root, "proc/14/comm", "x\n");
	fake_file(root, "proc/14/cgroup", "0::/\n");
	fake_file(root, "proc/15/comm", "x\n");
	fake_file(root, "proc/15/cgroup", "1:name=systemd:/a.slice\n0::/b.slice\n");
	path = fake_root_path(root);
	assert_int_equal(hint_proc_read(path, 10, &p), 0);
	assert_string_equal(p.comm, "tar");
	assert_string_equal(p.cgroup, "/system.slice/b.service");
	assert_int_equal(hint_proc_read(path, 11, &p), 0);
	assert_string_equal(p.comm, "very-long-name-");
	assert_string_equal(p.cgroup, "/user.slice");
	assert_int_equal(hint_proc_read(path, 14, &p), 0);
	assert_string_equal(p.cgroup, "/");
	assert_int_equal(hint_proc_read(path, 15, &p), 0);
	assert_string_equal(p.cgroup, "/b.slice");
	assert_int_equal(hint_proc_read(path, 12, &p), 0);
	assert_string_equal(p.cgroup, "");
	assert_true(hint_proc_read(path, 13, &p) < 0);
	assert_true(hint_proc_read(path, 0, &p) < 0);

	assert_int_equal(hint_rules_new(c, &r), 0);
	class = hint_proc_class(cache, r, path, 10, 1.0);
	assert_int_not_equal(class, 0);
	assert_int_equal(hint_proc_class(cache, r, path, 12, 1.0), 0);
	assert_int_equal(hint_proc_class(cache, r, path, 13, 1.0), 0);
	/* Remembered for a moment, then read again. */
	fake_file(root, "proc/10/comm", "cp\n");
	(void)fake_root_path(root);
	assert_int_equal(hint_proc_class(cache, r, path, 10, 1.5), class);
	assert_int_equal(hint_proc_class(cache, r, path, 10, 2.5), 0);
	hint_proc_cache_free(cache);
	hint_rules_put(r);
	conf_free(c);
}

static struct judge_conf flush_for(const struct judge_conf *c, uint64_t write,
				   uint64_t file, bool *ret_in_force)
{
	const struct hint h = {write, file};
	struct judge_conf r = *c;

	*ret_in_force = hint_flush(c, &h, &r) == NULL;
	/* Whatever a client says, these hold. */
	assert_true(r.stride >= 4096 && r.stride <= HINT_STRIDE_MAX);
	assert_true(r.after >= r.stride);
	assert_int_equal(r.age_ms, c->age_ms);
	return r;
}

static void flushes(void **state)
{
	const struct judge_conf c = {16 << 20, 5000, 2000, 4 << 20, 0};
	struct judge_conf off = c, r;
	bool yes;

	(void)state;
	r = flush_for(&c, 1 << 20, 0, &yes);
	assert_true(yes);
	assert_int_equal(r.stride, 1 << 20);
	assert_int_equal(r.after, 4 << 20);
	r = flush_for(&c, 24 << 10, 0, &yes); /* whole writes, not below 64K */
	assert_true(yes);
	assert_int_equal(r.stride % (24 << 10), 0);
	assert_true(r.stride >= HINT_STRIDE_MIN);
	r = flush_for(&c, 32 << 20, 0, &yes); /* one run is more than `after` */
	assert_int_equal(r.stride, 32 << 20);
	assert_int_equal(r.after, 32 << 20);
	for (unsigned i = 0; i < 5; i++) {
		static const uint64_t odd[] = {1, 3, INT64_MAX, UINT64_MAX, 4097};

		(void)flush_for(&c, odd[i], odd[4 - i], &yes);
		(void)flush_for(&c, 0, odd[i], &yes);
	}
	(void)flush_for(&c, 0, 4 << 20, &yes);
	assert_false(yes);
	(void)flush_for(&c, 4 << 20, 0, &yes);
	assert_false(yes); /* that is how it is anyway */
	off.after = JUDGE_OFF;
	(void)flush_for(&off, 1 << 20, 0, &yes);
	assert_false(yes);
}

static void extsizes(void **state)
{
	struct hint_file f = {.block = 4096};

	(void)state;
	assert_non_null(hint_extsize(&f));
	f.xfs = true;
	assert_non_null(hint_extsize(&f));
	f.extsize = 1 << 20;
	assert_null(hint_extsize(&f));
	f.extents = 3; /* it was set before them */
	assert_null(hint_extsize(&f));
	f.extsize = 4096;
	assert_non_null(hint_extsize(&f));
	f.realtime = true;
	f.extsize = 1 << 20;
	assert_non_null(hint_extsize(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs),
		cmocka_unit_test(longest_counts),
		cmocka_unit_test(empty_sections),
		cmocka_unit_test(too_many_classes),
		cmocka_unit_test_setup_teardown(processes, fake_root_setup,
						fake_root_teardown),
		cmocka_unit_test(flushes),
		cmocka_unit_test(extsizes),
	};

	return cmocka_run_group_tests_name("hint_rule", tests, NULL, NULL);
}

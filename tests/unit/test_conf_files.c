// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files are read, in which order, and files that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/conf_table.h"

#define GOLDEN "tests/golden/conf/"

/* ---- Golden files: run from the top of the tree; UPDATE=1 writes them -------- */

static char *slurp(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *f = fopen(path, "r");

	assert_non_null(text);
	if (f) {
		size_t n = fread(text, 1, (1 << 16) - 1, f);

		assert_true(n < (1 << 16) - 1);
		fclose(f);
	}
	return text;
}

static void is_golden(const char *name, const char *got)
{
	char path[128], *want;

	snprintf(path, sizeof(path), GOLDEN "%s", name);
	if (getenv("UPDATE")) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(got, f);
		fclose(f);
	}
	want = slurp(path);
	assert_string_equal(got, want);
	free(want);
}

static int print_row(const struct conf_row *r, void *arg)
{
	fprintf(arg, "[%s] %s = %s  # %s\n", r->section, r->key, r->value, r->where);
	return 0;
}

/* Findings, then rows, as one text; *@ret_r is the result of the load. */
static char *load(const char *root, const char *path, int *ret_r)
{
	struct conf_diags d = {0};
	struct conf *c = NULL;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	*ret_r = conf_load(root, path, &c, &d);
	for (size_t i = 0; i < d.n; i++)
		fprintf(f, "%s: %s\n", d.v[i].error ? "error" : "warning", d.v[i].text);
	if (c)
		assert_int_equal(conf_rows(c, print_row, f), 0);
	fclose(f);
	conf_diags_clear(&d);
	conf_free(c);
	return text;
}

static void golden(const char *root, const char *path, int want, const char *name)
{
	int r;
	char *text = load(root, path, &r);

	is_golden(name, text);
	assert_int_equal(r, want);
	free(text);
}

static void test_rows(void **state)
{
	(void)state;
	golden(GOLDEN "tree", NULL, 0, "tree.expect");
	golden("/nonexistent", NULL, 0, "default.expect");
}

static void test_findings(void **state)
{
	(void)state;
	golden("", GOLDEN "bad.conf", -EINVAL, "bad.expect");
	golden("", GOLDEN "odd.conf", 0, "odd.expect");
}

static int stop_at_third(const struct conf_row *r, void *arg)
{
	(void)r;
	return ++*(int *)arg == 3 ? 42 : 0;
}

static void test_rows_stop(void **state)
{
	struct conf *c;
	int calls = 0;

	(void)state;
	assert_int_equal(conf_default(&c), 0);
	assert_int_equal(conf_rows(c, stop_at_third, &calls), 42);
	assert_int_equal(calls, 3);
	conf_free(c);
}

/* ---- A tree of our own --------------------------------------------------------- */

static int setup(void **state)
{
	static const char *const below[] = {"/etc", "/etc/wb", "/etc/wb/wb.conf.d"};
	char *dir = strdup("/tmp/wb-test-conf.XXXXXX");
	char path[128];

	if (!dir || !mkdtemp(dir) || chmod(dir, 0755) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, below[i]);
		if (mkdir(path, 0755) < 0)
			return -1;
	}
	*state = dir;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	int r = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return r;
}

static const char *in(const char *dir, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/etc/wb/%s", dir, name);
	return path;
}

static void put(const char *dir, const char *name, const char *text)
{
	FILE *f = fopen(in(dir, name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* The default search is refused, with one finding: "error: FILE" @why. */
static void refused(const char *dir, const char *name, const char *why)
{
	char want[512];
	int r;
	char *text = load(dir, NULL, &r);

	snprintf(want, sizeof(want), "error: %s%s\n", in(dir, name), why);
	assert_string_equal(text, want);
	assert_int_equal(r, -EINVAL);
	free(text);
}

static void test_not_regular(void **state)
{
	static const char *const names[] = {"wb.conf", "wb.conf.d/x.conf"};
	const char *dir = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(mkfifo(in(dir, names[i]), 0644), 0);
		refused(dir, names[i], ": this is not a regular file");
		assert_int_equal(unlink(in(dir, names[i])), 0);
		assert_int_equal(mkdir(in(dir, names[i]), 0755), 0);
		refused(dir, names[i], ": this is not a regular file");
		assert_int_equal(rmdir(in(dir, names[i])), 0);
		assert_int_equal(symlink("/dev/zero", in(dir, names[i])), 0);
		refused(dir, names[i], ": this is not a regular file");
		assert_int_equal(unlink(in(dir, names[i])), 0);
		assert_int_equal(symlink("wb.conf", in(dir, "wb.conf")), 0);
		refused(dir, "wb.conf",
			": cannot be read: Too many levels of symbolic links");
		assert_int_equal(unlink(in(dir, "wb.conf")), 0);
	}
}

/* Root reads everything, so this one is not root for a moment. */
static void test_unreadable(void **state)
{
	const char *dir = *state;

	if (geteuid() != 0)
		skip();
	put(dir, "wb.conf", "[engine]\n");
	assert_int_equal(chmod(in(dir, "wb.conf"), 0), 0);
	assert_int_equal(seteuid(65534), 0);
	refused(dir, "wb.conf", ": cannot be read: Permission denied");
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(unlink(in(dir, "wb.conf")), 0);
	assert_int_equal(chmod(in(dir, "wb.conf.d"), 0), 0);
	assert_int_equal(seteuid(65534), 0);
	refused(dir, "wb.conf.d", ": cannot be read: Permission denied");
	assert_int_equal(seteuid(0), 0);
}

static void test_too_large(void **state)
{
	const char *dir = *state;

	put(dir, "wb.conf", "");
	assert_int_equal(truncate(in(dir, "wb.conf"), CONF_FILE_MAX + 1), 0);
	refused(dir, "wb.conf", ": the file is larger than 1M");
}

static void test_dangling_dropin(void **state)
{
	const char *dir = *state;

	assert_int_equal(symlink("nothing", in(dir, "wb.conf.d/x.conf")), 0);
	refused(dir, "wb.conf.d/x.conf", ": cannot be read: No such file or directory");
}

static void test_named_file(void **state)
{
	const char *dir = *state;
	char want[512], path[256];
	char *text;
	int r;

	put(dir, "wb.conf.d/x.conf", "[engine]\nin_flight = 99\n");
	snprintf(path, sizeof(path), "%s", in(dir, "my.conf"));
	text = load(dir, path, &r);
	snprintf(want, sizeof(want),
		 "error: %s: cannot be read: No such file or directory\n", path);
	assert_string_equal(text, want);
	assert_int_equal(r, -EINVAL);
	free(text);

	/* Only that file: the drop-in, which is wrong, is not looked at. */
	put(dir, "my.conf", "[engine]\nin_flight = 9\n");
	text = load(dir, path, &r);
	assert_int_equal(r, 0);
	assert_non_null(strstr(text, "[engine] in_flight = 9  # "));
	free(text);
}

/* A bad value is refused even where a later file overrides it; a file with an
 * odd name cannot put control characters into a finding. */
static void test_overridden_and_odd_name(void **state)
{
	const char *dir = *state;
	char want[512];
	char *text;
	int r;

	put(dir, "wb.conf.d/a\033[31m\n.conf", "[engine]\nin_flight = 99\n");
	put(dir, "wb.conf.d/b.conf", "[engine]\nin_flight = 9\n");
	text = load(dir, NULL, &r);
	snprintf(want, sizeof(want),
		 "error: %s/etc/wb/wb.conf.d/a\\x1b[31m\\x0a.conf:2: in_flight: '99' is "
		 "out of range: write 1 to 16\n",
		 dir);
	assert_string_equal(text, want);
	assert_int_equal(r, -EINVAL);
	free(text);
}

/* Sections of all files count together. */
static void test_many_sections(void **state)
{
	const char *dir = *state;

	for (unsigned i = 0; i < 11; i++) {
		char name[64];
		FILE *f;

		snprintf(name, sizeof(name), "wb.conf.d/%02u.conf", i);
		f = fopen(in(dir, name), "w");
		assert_non_null(f);
		for (unsigned k = 0; k < 100; k++)
			fprintf(f, "[exclude \"%u-%u\"]\ntype = x\n", i, k);
		fclose(f);
	}
	refused(dir, "wb.conf.d/10.conf",
		":1: this is one section with a label too many: there may be 1000 in all "
		"files together");
}

static void test_many_dropins(void **state)
{
	const char *dir = *state;

	for (unsigned i = 0; i <= CONF_DROPIN_MAX; i++) {
		char name[64];

		snprintf(name, sizeof(name), "wb.conf.d/%04u.conf", i);
		put(dir, name, "");
	}
	refused(dir, "wb.conf.d", ": there are more than 1000 drop-ins");
}

#define IN_TREE(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_rows_stop),
		IN_TREE(test_not_regular),
		IN_TREE(test_unreadable),
		IN_TREE(test_too_large),
		IN_TREE(test_dangling_dropin),
		IN_TREE(test_named_file),
		IN_TREE(test_overridden_and_odd_name),
		IN_TREE(test_many_sections),
		IN_TREE(test_many_dropins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

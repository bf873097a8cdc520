// SPDX-License-Identifier: GPL-2.0-or-later
/* conf/wb.conf says what the table says; files written for version 1 stay good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "daemon/conf_table.h"

#define SHIPPED "conf/wb.conf"
#define V1      "tests/golden/conf/keys-v1.conf"

static int print_row(const struct conf_row *r, void *arg)
{
	fprintf(arg, "[%s] %s = %s\n", r->section, r->key, r->value);
	return 0;
}

static char *rows_of(const struct conf *c)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(conf_rows(c, print_row, f), 0);
	fclose(f);
	return text;
}

static struct conf *load_clean(FILE *f, const char *name)
{
	struct conf_diags d = {0};
	struct conf *c = NULL;
	int r;

	assert_non_null(f);
	r = conf_load_stream(f, name, &c, &d);
	fclose(f);
	for (size_t i = 0; i < d.n; i++)
		print_error("%s\n", d.v[i].text);
	assert_int_equal(d.n, 0);
	assert_int_equal(r, 0);
	conf_diags_clear(&d);
	return c;
}

static void test_is_default(void **state)
{
	struct conf *shipped = load_clean(fopen(SHIPPED, "r"), SHIPPED), *plain;
	char *a, *b;

	(void)state;
	assert_int_equal(conf_default(&plain), 0);
	a = rows_of(shipped);
	b = rows_of(plain);
	assert_string_equal(a, b);
	free(a);
	free(b);
	conf_free(shipped);
	conf_free(plain);
}

/* "#key = value" and "#[section]" are settings; "# text" is a comment. */
static FILE *uncommented(char **ret_text)
{
	char line[256];
	size_t len;
	FILE *in = fopen(SHIPPED, "r");
	FILE *out = open_memstream(ret_text, &len);

	assert_non_null(in);
	assert_non_null(out);
	while (fgets(line, sizeof(line), in))
		fputs(line[0] == '#' && !strchr(" \n", line[1]) ? line + 1 : line, out);
	fclose(in);
	fclose(out);
	return fmemopen(*ret_text, strlen(*ret_text), "r");
}

static bool is_set(const struct conf *c, const struct conf_key *k)
{
	for (size_t n = 0; n < c->origin->n_item; n++) {
		const struct conf_item *it = &c->origin->item[n];

		if (it->sect == k->sect && it->text[conf_key_index(k)])
			return true;
	}
	return false;
}

/* With every key in force: all are there, and each says its default. */
static void test_every_key(void **state)
{
	char *text;
	struct conf *c = load_clean(uncommented(&text), "uncommented"), *plain;

	(void)state;
	for (size_t i = 0; i < conf_n_keys; i++) {
		const struct conf_key *k = &conf_keys[i];

		if (!is_set(c, k))
			fail_msg("%s does not mention %s", SHIPPED, k->key);
	}
	assert_int_equal(conf_default(&plain), 0);
	assert_int_equal(c->n_mount, 1);
	assert_memory_equal(&c->mount[0].flush, &plain->flush, sizeof(plain->flush));
	assert_memory_equal(&c->flush, &plain->flush, sizeof(plain->flush));
	assert_int_equal(c->max_inodes, plain->max_inodes);
	assert_int_equal(c->in_flight, plain->in_flight);
	assert_int_equal(c->n_device, 1);
	assert_int_equal(c->device[0].manage, CONF_MANAGE_AUTO);
	conf_free(c);
	conf_free(plain);
	free(text);
}

/*
 * A file that was good once stays good: keys-v1.conf has every section and key of
 * version 1, with the bounds of their values.  It is only ever added to.
 */
static void test_version_1(void **state)
{
	(void)state;
	conf_free(load_clean(fopen(V1, "r"), V1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_default),
		cmocka_unit_test(test_every_key),
		cmocka_unit_test(test_version_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

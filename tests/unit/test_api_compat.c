// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Version 1 of io.writeback is a promise: tests/golden/api/io.writeback.1 has every
 * type, method, field and error of it, and nothing there may go or change its type.
 * What is new is added to that file with UPDATE=1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/unit/idl.h"

static const char text[] =
#include "io.writeback.inc"
	;

#define GOLDEN "tests/golden/api/io.writeback.1"

static FILE *open_golden(const char *mode)
{
	const char *top = getenv("WB_TOP");
	char path[512];

	snprintf(path, sizeof(path), "%s/" GOLDEN, top ? top : ".");
	return fopen(path, mode);
}

static void update(const struct idl *i)
{
	FILE *f = open_golden("w");

	assert_non_null(f);
	for (size_t k = 0; k < i->n; k++)
		fprintf(f, "%s|%s|%s\n", i->v[k].owner, i->v[k].name, i->v[k].type);
	fclose(f);
}

static void nothing_went_or_changed(void **state)
{
	static struct idl i;
	char owner[64], line[256];
	size_t n = 0;
	FILE *f;

	(void)state;
	idl_parse(&i, text);
	if (getenv("UPDATE"))
		update(&i);
	f = open_golden("r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *name = strchr(line, '|'),
		     *type = name ? strchr(name + 1, '|') : NULL;
		const struct idl_member *m;

		if (!type) {
			fail_msg("a line without two bars: %s", line);
			break;
		}
		*name++ = *type++ = '\0';
		type[strcspn(type, "\n")] = '\0';
		snprintf(owner, sizeof(owner), "%.63s", line);
		m = idl_find(&i, owner, name);
		if (!m) {
			fail_msg("%s: %s has gone", owner, name);
			break;
		}
		if (strcmp(m->type, type))
			print_error("%s: %s was %s\n", owner, name, type);
		assert_string_equal(m->type, type);
		n++;
	}
	fclose(f);
	assert_true(n > 100);
}

/* A new parameter of an old method must be optional; all that is new is recorded. */
static void what_is_new_is_recorded(void **state)
{
	static struct idl i;
	char line[256], want[256];

	(void)state;
	idl_parse(&i, text);
	for (size_t k = 0; k < i.n; k++) {
		FILE *f = open_golden("r");
		bool found = false;

		assert_non_null(f);
		snprintf(want, sizeof(want), "%s|%s|%s\n", i.v[k].owner, i.v[k].name,
			 i.v[k].type);
		while (!found && fgets(line, sizeof(line), f))
			found = !strcmp(line, want);
		fclose(f);
		if (!found)
			print_error("not recorded: %s", want);
		assert_true(found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_went_or_changed),
		cmocka_unit_test(what_is_new_is_recorded),
	};

	return cmocka_run_group_tests_name("api_compat", tests, NULL, NULL);
}

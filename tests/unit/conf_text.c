// SPDX-License-Identifier: GPL-2.0-or-later
/* See conf_text.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "daemon/conf_table.h"
#include "tests/unit/conf_text.h"

struct conf *conf_of_text(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct conf_diags d = {0};
	struct conf *c = NULL;

	assert_non_null(f);
	if (conf_load_stream(f, "t", &c, &d) < 0)
		fail_msg("%s", d.n ? d.v[0].text : "?");
	fclose(f);
	conf_diags_clear(&d);
	return c;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The configuration file as hostile bytes: read, print what came of it, free. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "daemon/conf_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool what)
{
	if (!what)
		abort();
}

/* What is printed is fit for a terminal and for JSON, and is never empty. */
static int check_row(const struct conf_row *r, void *arg)
{
	must(*r->section && *r->key && *r->value && *r->where);
	must(escape_is_clean(r->section, strlen(r->section)));
	must(escape_is_clean(r->value, strlen(r->value)));
	++*(size_t *)arg;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf_diags d = {0};
	struct conf *c = NULL;
	size_t rows = 0;
	FILE *f;
	int r;

	if (!size)
		return 0;
	f = fmemopen((void *)data, size, "r");
	if (!f)
		return 0;
	r = conf_load_stream(f, "fuzz", &c, &d);
	(void)fclose(f);
	must((r == 0) == (c != NULL));
	must((r == 0) == !conf_diags_failed(&d));
	for (size_t i = 0; i < d.n; i++)
		must(escape_is_clean(d.v[i].text, strlen(d.v[i].text)));
	if (c) {
		must(c->in_flight >= 1 && c->in_flight <= 16);
		must(c->contexts <= CONF_CONTEXTS_MAX);
		must(c->flush.stride >= 64 << 10 && c->flush.stride <= 64 << 20);
		must(conf_rows(c, check_row, &rows) == 0 && rows >= 13);
	}
	conf_free(c);
	conf_diags_clear(&d);
	return 0;
}

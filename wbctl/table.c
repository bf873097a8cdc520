// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables: columns chosen with -o, rows printed as a table, a tree or JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/vl_msg.h"
#include "common/units.h"
#include "wbctl/wbctl.h"

static int find_column(const struct column *cols, unsigned n, const char *name,
		       size_t len)
{
	for (unsigned i = 0; i < n; i++)
		if (strlen(cols[i].name) == len && !strncasecmp(cols[i].name, name, len))
			return (int)i;
	complain("There is no column \"%.*s\": --help lists them.",
		 (int)(len > 64 ? 64 : len), name);
	return -1;
}

int table_check_columns(const char *list, const struct column *cols, unsigned n)
{
	if (!*list) {
		complain("-o needs the name of a column: --help lists them.");
		return WBCTL_USAGE;
	}
	list += *list == '+';
	while (*list) {
		size_t len = strcspn(list, ",");

		if (find_column(cols, n, list, len) < 0)
			return WBCTL_USAGE;
		list += len;
		list += *list == ',';
	}
	return WBCTL_OK;
}

static int add_column(struct table *t, unsigned i)
{
	const struct column *c = &t->cols[i];

	if (t->col[i])
		return WBCTL_OK;
	t->col[i] = scols_table_new_column(t->t, c->name, 0, c->flags);
	if (!t->col[i])
		return WBCTL_FAILED;
	scols_column_set_json_type(t->col[i], c->json);
	return WBCTL_OK;
}

static int add_named_columns(struct table *t, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		int i = find_column(t->cols, t->n_cols, list, len);

		if (i < 0)
			return WBCTL_USAGE;
		if (add_column(t, (unsigned)i) != WBCTL_OK)
			return WBCTL_FAILED;
		list += len;
		if (*list)
			list++;
	}
	return WBCTL_OK;
}

static int add_columns(struct table *t)
{
	const char *list = t->o->columns;
	int r = WBCTL_OK;

	if (!list || *list == '+')
		for (unsigned i = 0; i < t->n_cols && r == WBCTL_OK; i++)
			if (t->cols[i].shown || (t->o->json && !list))
				r = add_column(t, i);
	if (list && r == WBCTL_OK)
		r = add_named_columns(t, *list == '+' ? list + 1 : list);
	return r;
}

int table_init(struct table *t, const struct opts *o, const char *name,
	       const struct column *cols, unsigned n_cols)
{
	int r;

	*t = (struct table){.o = o, .cols = cols, .n_cols = n_cols};
	t->t = scols_new_table();
	if (!t->t || n_cols > TABLE_COLS_MAX)
		return WBCTL_FAILED;
	scols_table_set_name(t->t, name);
	scols_table_enable_json(t->t, o->json);
	/* escaped() has done it; done twice, a backslash is written out too. */
	scols_table_enable_noencoding(t->t, 1);
	scols_table_enable_noheadings(t->t, o->noheadings);
	scols_table_enable_colors(t->t, o->color);
	r = add_columns(t);
	if (r != WBCTL_OK)
		table_clear(t);
	return r;
}

void table_clear(struct table *t)
{
	scols_unref_table(t->t);
	t->t = NULL;
}

struct libscols_line *table_row(struct table *t, struct libscols_line *parent)
{
	return scols_table_new_line(t->t, parent);
}

void table_text(struct table *t, struct libscols_line *l, unsigned col, const char *s)
{
	if (!l || !t->col[col] || !s)
		return;
	if (t->o->json) { /* libsmartcols quotes it, but does not look at UTF-8 */
		json_t *j = vl_string(s);

		(void)scols_line_set_column_data(l, t->col[col], json_string_value(j));
		json_decref(j);
	} else {
		(void)scols_line_refer_column_data(l, t->col[col], escaped(s));
	}
}

static void set_data(struct table *t, struct libscols_line *l, unsigned col,
		     const char *s)
{
	if (l && t->col[col])
		(void)scols_line_set_column_data(l, t->col[col], s);
}

void table_number(struct table *t, struct libscols_line *l, unsigned col, uint64_t v)
{
	char s[24];

	snprintf(s, sizeof(s), "%" PRIu64, v);
	set_data(t, l, col, s);
}

void table_bytes(struct table *t, struct libscols_line *l, unsigned col, uint64_t v)
{
	char s[UNITS_LEN];

	if (t->o->json || t->o->bytes) {
		table_number(t, l, col, v);
		return;
	}
	units_human_size(v, s);
	set_data(t, l, col, s);
}

void table_bool(struct table *t, struct libscols_line *l, unsigned col, bool v)
{
	/* libsmartcols makes true and false of these in JSON. */
	set_data(t, l, col, t->o->json ? (v ? "1" : "0") : (v ? "yes" : "no"));
}

void table_color(struct table *t, struct libscols_line *l, unsigned col, const char *c)
{
	struct libscols_cell *cell;

	if (!l || !t->col[col] || !t->o->color)
		return;
	cell = scols_line_get_column_cell(l, t->col[col]);
	if (cell)
		(void)scols_cell_set_color(cell, c);
}

static int print_as_json(struct table *t, json_t *more)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	json_t *j = NULL;

	if (scols_print_table_to_string(t->t, &text) == 0 && text)
		j = *text ? json_loads(text, 0, NULL) : json_object();
	if (!j) {
		json_decref(more);
		return WBCTL_FAILED;
	}
	json_object_update_missing(j, more);
	json_decref(more);
	/* libsmartcols prints nothing at all for a table without rows. */
	if (!json_object_get(j, scols_table_get_name(t->t)))
		json_object_set_new(j, scols_table_get_name(t->t), json_array());
	return print_json(j);
}

int table_print(struct table *t, json_t *more)
{
	if (t->o->json)
		return print_as_json(t, more);
	json_decref(more);
	return scols_print_table(t->t) == 0 ? WBCTL_OK : WBCTL_FAILED;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for people and JSON for programs from the same rows (libsmartcols). */
#ifndef WBCTL_TABLE_H
#define WBCTL_TABLE_H

#include <jansson.h>
#include <libsmartcols.h>
#include <stdbool.h>
#include <stdint.h>

#define TABLE_COLS_MAX 40

struct column {
	const char *name;
	int flags;  /* SCOLS_FL_* */
	int json;   /* SCOLS_JSON_* */
	bool shown; /* in a table without -o; JSON has all */
	const char *help;
};

struct opts;
struct table {
	struct libscols_table *t;
	const struct opts *o;
	const struct column *cols;
	unsigned n_cols;
	struct libscols_column *col[TABLE_COLS_MAX]; /* NULL: not chosen */
};

/* Whether -o @list can be had, before any work: 0, or WBCTL_USAGE having said why. */
int table_check_columns(const char *list, const struct column *cols, unsigned n);
/* @name is the JSON array's.  0, or the exit code having said why. */
int table_init(struct table *t, const struct opts *o, const char *name,
	       const struct column *cols, unsigned n_cols);
void table_clear(struct table *t);
/* NULL without memory, which the setters below accept. */
struct libscols_line *table_row(struct table *t, struct libscols_line *parent);
/* A value that is NULL stays empty (null in JSON). */
void table_text(struct table *t, struct libscols_line *l, unsigned col, const char *s);
void table_number(struct table *t, struct libscols_line *l, unsigned col, uint64_t v);
void table_bytes(struct table *t, struct libscols_line *l, unsigned col, uint64_t v);
void table_bool(struct table *t, struct libscols_line *l, unsigned col, bool v);
/* Only where colours are wanted: "red", "green". */
void table_color(struct table *t, struct libscols_line *l, unsigned col, const char *c);
/* Prints it; JSON gets the members of @more (stolen, may be NULL) beside the array.
 * Returns the exit code. */
int table_print(struct table *t, json_t *more);

#endif

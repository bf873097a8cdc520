// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan in words: rules, and one line per file system for `wbd --dry-run`. */
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/plan.h"

static const struct {
	const char *name, *text;
} rules[] = {
	[PLAN_AUTO] = {"auto", "it is local, writable and not rotational"},
	[PLAN_NAMED] = {"named", "the configuration names it"},
	[PLAN_OFF] = {"off", "the configuration says mode = none"},
	[PLAN_FORBIDDEN] = {"forbidden", "the configuration says manage = no"},
	[PLAN_EXCLUDED] = {"excluded", "an exclude section matches it"},
	[PLAN_ROTATIONAL] = {"rotational",
			     "its disk rotates, so parallel writes would make it seek"},
	[PLAN_ROTATION_UNKNOWN] = {"rotation-unknown",
				   "nothing says whether its disk rotates"},
	[PLAN_NETWORK] = {"network", "a server does its writeback"},
	[PLAN_FUSE] = {"fuse", "a FUSE server does its writeback"},
	[PLAN_STACKED] = {"stacked", "its data belongs to the file system below it"},
	[PLAN_TYPE] = {"type", "wb has not been tried on file systems of its type"},
	[PLAN_MEMORY] = {"memory", "it lives in memory and has no writeback"},
	[PLAN_READONLY] = {"read-only", "it is read-only"},
	[PLAN_SNAPSHOT] = {"snapshot", "it is a snapshot"},
	[PLAN_NO_BDI] = {"no-bdi", "no block device of this machine holds it"},
	[PLAN_ONE_CONTEXT] = {"one-context",
			      "one context is what the kernel has already"},
	[PLAN_NO_ENGINE] = {"no-engine",
			    "this kernel or these privileges give wbd no way to learn "
			    "of dirty inodes"},
	[PLAN_NO_KERNEL] = {"no-kernel",
			    "the configuration says mode = kernel, and the kernel has no "
			    "contexts for it"},
};

const char *plan_engine_name(enum plan_engine e)
{
	switch (e) {
	case PLAN_ENGINE_USER:
		return "user";
	case PLAN_ENGINE_KERNEL:
		return "kernel";
	case PLAN_ENGINE_NONE:
		break;
	}
	return NULL;
}

const char *plan_rule_text(enum plan_rule r)
{
	return (unsigned)r < ARRAY_SIZE(rules) ? rules[r].text : "unknown rule";
}

const char *plan_rule_name(enum plan_rule r)
{
	return (unsigned)r < ARRAY_SIZE(rules) ? rules[r].name : "unknown";
}

/* Length of the UTF-8 character at @s, or 0: not one, or a control character. */
static unsigned char_len(const unsigned char *s)
{
	unsigned n = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	if (n == 1)
		return s[0] >= 0x20 && s[0] != 0x7f && s[0] != '\\';
	for (unsigned i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong, surrogates, beyond Unicode, and the C1 controls. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
	    (s[0] == 0xc2 && s[1] < 0xa0))
		return 0;
	return n;
}

/* Writes @s to @f (NULL: nowhere), what could confuse a terminal as \xNN.
 * Returns the width in characters. */
static int put_name(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	int width = 0;

	while (*p) {
		unsigned n = char_len(p);

		if (f && n)
			fprintf(f, "%.*s", (int)n, (const char *)p);
		else if (f)
			fprintf(f, "\\x%02x", *p);
		width += n ? 1 : 4;
		p += n ? n : 1;
	}
	return width;
}

#define COLUMNS 5

struct row {
	const char *cell[COLUMNS];
	char groups[16], contexts[16];
};

static void make_row(const struct plan_fs *p, struct row *r)
{
	*r = (struct row){.cell = {p->fs->target, p->fs->type, p->fs->bdev.bdi}};
	/* Only what is on a disk of this machine has groups that mean anything. */
	if (p->fs->class == FSYS_LOCAL)
		snprintf(r->groups, sizeof(r->groups), "%u", p->fs->geom.groups);
	if (p->managed)
		snprintf(r->contexts, sizeof(r->contexts), "%u", p->contexts);
	r->cell[3] = r->groups;
	r->cell[4] = r->contexts;
	for (int i = 0; i < COLUMNS; i++)
		if (!r->cell[i][0])
			r->cell[i] = "-";
}

static const char *const header[COLUMNS] = {"MOUNT", "TYPE", "BDI", "GROUPS", "CONTEXTS"};

/* The widest cell of each column; one monstrous name must not push all others off
 * the screen. */
static void measure(const struct plan *p, int width[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++)
		width[c] = (int)strlen(header[c]);
	for (size_t i = 0; i < p->n; i++) {
		struct row r;

		make_row(&p->v[i], &r);
		for (int c = 0; c < COLUMNS; c++) {
			int w = put_name(NULL, r.cell[c]);

			if (w > width[c] && w <= 60)
				width[c] = w;
		}
	}
}

static void put_cells(FILE *f, const char *const cell[COLUMNS], const int width[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++) {
		int pad = width[c] - put_name(NULL, cell[c]);
		bool number = c >= 3;

		if (number && pad > 0)
			fprintf(f, "%*s", pad, "");
		(void)put_name(f, cell[c]);
		fprintf(f, "%*s", 2 + (!number && pad > 0 ? pad : 0), "");
	}
}

static void put_reason(FILE *f, const struct plan_fs *p)
{
	fprintf(f, "%s: %s",
		!p->managed                       ? "Not managed"
		: p->engine == PLAN_ENGINE_KERNEL ? "Managed by the kernel's contexts"
						  : "Managed",
		plan_rule_text(p->rule));
	if (p->where[0]) {
		fputs(" (", f);
		(void)put_name(f, p->where);
		fputc(')', f);
	}
	fputs(".\n", f);
}

void plan_print(const struct plan *p, FILE *f)
{
	int width[COLUMNS];

	measure(p, width);
	put_cells(f, header, width);
	fputs("DECISION\n", f);
	for (size_t i = 0; i < p->n; i++) {
		struct row r;

		make_row(&p->v[i], &r);
		put_cells(f, r.cell, width);
		put_reason(f, &p->v[i]);
		if (p->v[i].managed && p->v[i].fs->geom_error)
			fprintf(f, "  Note: %s.\n", p->v[i].fs->geom_error);
	}
}

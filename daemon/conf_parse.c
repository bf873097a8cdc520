// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One configuration file into items.
 *
 * inih splits "key = value"; everything it would let pass in silence is caught
 * before it sees the line: lines longer than its buffer (it would take the tail
 * for a setting), indented lines (it would continue the value above), ':' in
 * place of '=', comments behind a value, cut section names, NUL bytes.  Section
 * lines are ours alone, because inih does not tell of a section without keys.
 */
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/escape.h"
#include "daemon/conf_table.h"

struct parser {
	struct conf *c;
	struct conf_diags *d;
	const char *file;
	FILE *f;
	char *buf; /* getline(3)'s */
	size_t cap;
	size_t bytes;
	unsigned line;
	bool in_section;
	size_t item; /* SIZE_MAX: a section that is skipped */
	int r;       /* -ENOMEM ends the parsing */
	bool stop;
};

#define FOUND(p, error, fmt, ...) \
	conf_diag_add((p)->d, error, "%s:%u: " fmt, (p)->file, (p)->line, ##__VA_ARGS__)

static const char blanks[] = " \t\r\f\v";

static bool is_blank(char c)
{
	return c && strchr(blanks, c);
}

/* ---- Sections ------------------------------------------------------------ */

void conf_item_name(const struct conf_item *it, char buf[64])
{
	const char *name = conf_sects[it->sect].name;

	if (it->label)
		(void)snprintf(buf, 64, "%s \"%s\"", name, it->label);
	else
		(void)snprintf(buf, 64, "%s", name);
}

static size_t find_item(const struct conf_origin *o, enum conf_sect sect,
			const char *label)
{
	for (size_t i = 0; i < o->n_item; i++)
		if (o->item[i].sect == sect &&
		    (!label || !strcmp(o->item[i].label, label)))
			return i;
	return SIZE_MAX;
}

/* Grows by doubling: the sizes at which it does are the powers of two. */
static struct conf_item *append_item(struct conf_origin *o)
{
	size_t n = o->n_item;

	if ((n & (n - 1)) == 0) {
		struct conf_item *v = reallocarray(o->item, n ? 2 * n : 1, sizeof(*v));

		if (!v)
			return NULL;
		o->item = v;
	}
	o->n_item++;
	return memset(&o->item[n], 0, sizeof(o->item[n]));
}

static void new_item(struct parser *p, enum conf_sect sect, const char *label)
{
	struct conf_origin *o = p->c->origin;
	struct conf_item *it;
	char *copy;

	if (o->n_labelled == CONF_LABELLED_MAX) {
		FOUND(p, true,
		      "this is one section with a label too many: there may be %d in all "
		      "files together",
		      CONF_LABELLED_MAX);
		o->full = p->stop = true;
		return;
	}
	copy = strdup(label);
	it = copy ? append_item(o) : NULL;
	if (!it) {
		free(copy);
		p->r = -ENOMEM;
		return;
	}
	it->sect = sect;
	it->label = copy;
	it->where = (struct conf_place){p->file, p->line};
	o->n_labelled++;
	p->item = o->n_item - 1;
}

/* Takes `"LABEL"` apart in place; NULL: it is not one. */
static char *unquote(char *s)
{
	size_t len = strlen(s);

	if (len < 3 || s[0] != '"' || s[len - 1] != '"')
		return NULL;
	s[len - 1] = '\0';
	return strpbrk(s + 1, "\"\\[]") ? NULL : s + 1;
}

/* @s is what stands between the brackets. */
static void enter_section(struct parser *p, char *s)
{
	char *rest = s + strcspn(s, blanks);
	char *label = NULL;
	enum conf_sect sect;

	if (*rest) {
		*rest++ = '\0';
		rest += strspn(rest, blanks);
		label = unquote(rest);
		if (!label) {
			FOUND(p, true,
			      "section [%s ...] has no label that can be read: "
			      "write [%s \"LABEL\"]",
			      s, s);
			return;
		}
	}
	sect = conf_sect_find(s);
	if (sect == CONF_SECT_N) {
		FOUND(p, false, "there is no section [%s]: it is ignored", s);
		return;
	}
	if (label && !conf_sects[sect].labelled) {
		FOUND(p, true, "section [%s] has no label: write [%s]", s, s);
		return;
	}
	if (!label && conf_sects[sect].labelled) {
		FOUND(p, true, "section [%s] needs a label: write [%s \"LABEL\"]", s, s);
		return;
	}
	p->item = find_item(p->c->origin, sect, label);
	if (p->item == SIZE_MAX)
		new_item(p, sect, label);
}

static void section_line(struct parser *p, char *s)
{
	char *end = strrchr(s, ']');

	if (!end || end[1]) {
		FOUND(p, true,
		      "a section line must end with ]: a comment needs a line of "
		      "its own");
		return;
	}
	if (end - s - 1 > CONF_SECT_NAME_MAX) {
		FOUND(p, true,
		      "the name of the section is longer than %d bytes: shorten "
		      "the label",
		      CONF_SECT_NAME_MAX);
		return;
	}
	*end = '\0';
	enter_section(p, s + 1);
}

/* ---- Keys ---------------------------------------------------------------- */

static void set_value(struct parser *p, struct conf_item *it, const struct conf_key *k,
		      const char *value)
{
	unsigned i = conf_key_index(k);
	char *copy;

	if (it->place[i].file == p->file) {
		FOUND(p, true, "%s was set in line %u already: remove one of the two",
		      k->key, it->place[i].line);
		return;
	}
	copy = strdup(value);
	if (!copy) {
		p->r = -ENOMEM;
		return;
	}
	free(it->text[i]);
	it->text[i] = copy;
	it->place[i] = (struct conf_place){p->file, p->line};
}

/* True if @value may be given to @k; else it has been reported. */
static bool check_value(struct parser *p, const struct conf_key *k, const char *value)
{
	union {
		uint64_t number;
		char *string;
	} scratch = {.number = 0};
	char err[UNITS_ERR_LEN];
	int r;

	if (!*value) {
		FOUND(p, true, "%s has no value: write %s", k->key, k->values);
		return false;
	}
	r = k->type->parse(k, value, &scratch, err);
	if (r == 0 && k->type->string)
		free(scratch.string);
	if (r == -ENOMEM)
		p->r = r;
	else if (r < 0)
		FOUND(p, true, "%s: %s", k->key, err);
	return r == 0;
}

/* inih's handler; the section it names is empty, ours counts. */
static int on_key(void *user, const char *section, const char *name, const char *value)
{
	struct parser *p = user;
	const struct conf_key *k;
	struct conf_item *it;

	(void)section;
	if (!p->in_section) {
		FOUND(p, true, "%s stands before any section: put it below its [section]",
		      name);
		return 1;
	}
	if (p->item == SIZE_MAX)
		return 1; /* the section has been reported */
	it = &p->c->origin->item[p->item];
	k = conf_key_find(it->sect, name);
	if (!k) {
		char sect[64];

		conf_item_name(it, sect);
		FOUND(p, false, "there is no key %s in [%s]: it is ignored", name, sect);
		it->unknown_key = true;
		return 1;
	}
	if (check_value(p, k, value))
		set_value(p, it, k, value);
	return 1;
}

/* Nothing of a key or a value may surprise a terminal, JSON, or inih. */
static bool key_line_ok(struct parser *p, char *s)
{
	size_t sep = strcspn(s, "=:");
	size_t name = sep;
	const char *value;

	while (name && is_blank(s[name - 1]))
		name--;
	if (s[sep] == ':') {
		FOUND(p, true, "':' does not set a key: write key = value");
		return false;
	}
	if (!s[sep] || !name) {
		FOUND(p, true, "this is neither [section] nor key = value");
		return false;
	}
	value = s + sep + 1;
	value += strspn(value, blanks);
	if (!escape_is_clean(s, name) || !escape_is_clean(value, strlen(value))) {
		FOUND(p, true, "a key or value has a control character or is not UTF-8");
		return false;
	}
	for (const char *c = s; (c = strpbrk(c, "#;")); c++)
		if (c > s && is_blank(c[-1])) {
			FOUND(p, true, "a comment needs a line of its own");
			return false;
		}
	return true;
}

/* ---- Lines --------------------------------------------------------------- */

/* True: @s is a key line that inih may see. */
static bool guard(struct parser *p, char *s, size_t len)
{
	size_t indent = strspn(s, blanks);

	if (strlen(s) != len) {
		FOUND(p, true, "the line has a NUL byte: this is not a text file");
		return false;
	}
	if (!s[indent] || s[indent] == '#' || s[indent] == ';')
		return false;
	if (s[indent] == '[') {
		/* Whatever is wrong with it: what follows is not the old section's. */
		p->in_section = true;
		p->item = SIZE_MAX;
	}
	if (len > CONF_LINE_MAX) {
		FOUND(p, true, "the line is longer than %d bytes", CONF_LINE_MAX);
		return false;
	}
	if (indent) {
		FOUND(p, true,
		      "the line is indented: values do not continue, so start it "
		      "in the first column");
		return false;
	}
	if (*s != '[')
		return key_line_ok(p, s);
	if (escape_is_clean(s, len))
		section_line(p, s);
	else
		FOUND(p, true, "a section has a control character or is not UTF-8");
	return false;
}

/* False: the end, or nothing more is to be read. */
static bool next_line(struct parser *p, size_t *ret_len)
{
	ssize_t n;

	if (p->r < 0 || p->stop)
		return false;
	p->line++;
	n = getline(&p->buf, &p->cap, p->f);
	if (n < 0) {
		if (ferror(p->f))
			FOUND(p, true, "cannot be read on: %s", strerror(errno));
		return false;
	}
	p->bytes += (size_t)n;
	if (p->bytes > CONF_FILE_MAX) {
		FOUND(p, true, "the file is larger than 1M");
		return false;
	}
	while (n && (p->buf[n - 1] == '\n' || is_blank(p->buf[n - 1])))
		p->buf[--n] = '\0';
	*ret_len = (size_t)n;
	return true;
}

/* inih's reader: once per line, so that p->line is right in on_key(). */
static char *reader(char *str, int size, void *user)
{
	static const char bom[] = "\xef\xbb\xbf";
	struct parser *p = user;
	size_t len;
	char *s;

	if (!next_line(p, &len))
		return NULL;
	if (size <= CONF_LINE_MAX) {
		FOUND(p, true, "inih was built for lines of only %d bytes", size);
		return NULL;
	}
	s = p->buf;
	if (p->line == 1 && len >= 3 && !memcmp(s, bom, 3)) {
		s += 3;
		len -= 3;
	}
	*str = '\0';
	if (guard(p, s, len))
		memcpy(str, s, len + 1);
	return str;
}

/* The name as findings and rows show it; lives as long as @o. */
static const char *add_file(struct conf_origin *o, const char *name)
{
	char **v = reallocarray(o->file, o->n_file + 1, sizeof(*v));
	size_t size = strlen(name) * ESCAPE_MAX + 1;
	char *shown;

	if (!v)
		return NULL;
	o->file = v;
	shown = malloc(size);
	if (!shown)
		return NULL;
	escape_text(name, strlen(name), shown, size);
	return v[o->n_file++] = shown;
}

int conf_parse(struct conf *c, FILE *f, const char *name, struct conf_diags *d)
{
	struct parser p = {.c = c, .d = d, .f = f, .item = SIZE_MAX};

	if (c->origin->full)
		return 0;
	p.file = add_file(c->origin, name);
	if (!p.file)
		return -ENOMEM;
	if (ini_parse_stream(reader, &p, on_key, &p) < 0 && p.r == 0)
		p.r = -ENOMEM; /* -2: the only negative result without a file name */
	free(p.buf);
	return p.r;
}

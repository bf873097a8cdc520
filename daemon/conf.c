// SPDX-License-Identifier: GPL-2.0-or-later
/* Loading, freeing, findings. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "daemon/conf_table.h"

/* ---- Findings ------------------------------------------------------------- */

static char *clean_text(const char *text)
{
	size_t size = strlen(text) * ESCAPE_MAX + 1;
	char *clean = malloc(size);

	if (clean)
		escape_text(text, strlen(text), clean, size);
	return clean;
}

/* Stands in for the words of a finding when memory ran out for them. */
static char no_words[] = "wb.conf: there is not enough memory to say what is wrong";

static int reserve(struct conf_diags *d)
{
	if (!d->v)
		d->v = calloc(CONF_DIAGS_MAX + 1, sizeof(*d->v));
	return d->v ? 0 : -ENOMEM;
}

/* The last place says that there are more; it is an error if one of them is. */
static void count_only(struct conf_diags *d, bool error)
{
	struct conf_diag *last = &d->v[CONF_DIAGS_MAX];

	if (d->n == CONF_DIAGS_MAX) {
		last->text = strdup("wb.conf: there are more findings than these");
		if (!last->text)
			last->text = no_words;
		d->n++;
	}
	last->error |= error;
}

void conf_diag_add(struct conf_diags *d, bool error, const char *fmt, ...)
{
	char *text = NULL, *clean;
	va_list ap;

	if (d->n >= CONF_DIAGS_MAX) {
		count_only(d, error);
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	clean = text ? clean_text(text) : NULL;
	free(text);
	d->v[d->n++] =
		(struct conf_diag){.error = error, .text = clean ? clean : no_words};
}

bool conf_diags_failed(const struct conf_diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].error)
			return true;
	return false;
}

void conf_diags_clear(struct conf_diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].text != no_words)
			free(d->v[i].text);
	free(d->v);
	*d = (struct conf_diags){0};
}

/* ---- Life ------------------------------------------------------------------ */

int conf_new(struct conf **ret)
{
	struct conf *c = calloc(1, sizeof(*c));
	struct conf_origin *o = calloc(1, sizeof(*o));

	if (c)
		c->origin = o;
	if (o)
		/* append_item() in conf_parse.c grows at powers of two. */
		o->item = calloc(4, sizeof(*o->item));
	if (!c || !o || !o->item) {
		if (!c)
			free(o);
		conf_free(c);
		return -ENOMEM;
	}
	_Static_assert(CONF_SECT_DEVICE == 4, "a power of two, as append_item() needs");
	for (unsigned i = 0; i < CONF_SECT_DEVICE; i++)
		o->item[o->n_item++].sect = (enum conf_sect)i;
	*ret = c;
	return 0;
}

static void free_values(const struct conf_item *it)
{
	for (size_t i = 0; i < conf_n_keys; i++) {
		const struct conf_key *k = &conf_keys[i];

		if (k->sect == it->sect && k->type->string)
			free(*(char **)((char *)it->object + k->offset));
	}
}

static void free_origin(struct conf_origin *o)
{
	for (size_t i = 0; i < o->n_item; i++) {
		struct conf_item *it = &o->item[i];

		if (it->object)
			free_values(it);
		for (unsigned k = 0; k < CONF_SECT_KEYS_MAX; k++)
			free(it->text[k]);
		free(it->label);
	}
	for (size_t i = 0; i < o->n_file; i++)
		free(o->file[i]);
	free(o->item);
	free(o->file);
	free(o);
}

struct conf *conf_free(struct conf *c)
{
	if (!c)
		return NULL;
	if (c->origin)
		free_origin(c->origin);
	for (size_t i = 0; i < c->n_device; i++) {
		free(c->device[i].label);
		free(c->device[i].where);
	}
	for (size_t i = 0; i < c->n_mount; i++) {
		free(c->mount[i].label);
		free(c->mount[i].where);
	}
	for (size_t i = 0; i < c->n_exclude; i++) {
		free(c->exclude[i].label);
		free(c->exclude[i].where);
	}
	for (size_t i = 0; i < c->n_hint; i++) {
		free(c->hint[i].label);
		free(c->hint[i].where);
	}
	for (size_t i = 0; i < c->n_knob; i++) {
		free(c->knob[i].label);
		free(c->knob[i].where);
	}
	free(c->hint);
	free(c->knob);
	free(c->device);
	free(c->mount);
	free(c->exclude);
	free(c);
	return NULL;
}

/* ---- Loading ---------------------------------------------------------------- */

/* Takes over @c, of which everything has been read with result @r. */
static int finish(struct conf *c, int r, struct conf **ret, struct conf_diags *d)
{
	/* All that is wrong in one go: twins do not wait until the rest is right. */
	if (r == 0)
		conf_find_twins(c->origin, d);
	if (r == 0 && !conf_diags_failed(d))
		r = conf_build(c, d);
	if (r == 0 && conf_diags_failed(d))
		r = -EINVAL;
	if (r < 0) {
		conf_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

int conf_load(const char *root, const char *path, struct conf **ret,
	      struct conf_diags *diags)
{
	struct conf *c;
	int r = reserve(diags);

	if (r == 0)
		r = conf_new(&c);
	if (r < 0)
		return r;
	if (path)
		r = conf_read_file(c, path, diags);
	else
		r = conf_read_default(c, root ? root : "", diags);
	return finish(c, r, ret, diags);
}

int conf_load_stream(FILE *f, const char *name, struct conf **ret,
		     struct conf_diags *diags)
{
	struct conf *c;
	int r = reserve(diags);

	if (r == 0)
		r = conf_new(&c);
	if (r < 0)
		return r;
	return finish(c, conf_parse(c, f, name, diags), ret, diags);
}

int conf_default(struct conf **ret)
{
	struct conf_diags none = {0};
	struct conf *c;
	int r = conf_new(&c);

	if (r < 0)
		return r;
	return finish(c, 0, ret, &none);
}

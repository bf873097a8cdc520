// SPDX-License-Identifier: GPL-2.0-or-later
/* From settings as they were read to the values of conf.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/conf_table.h"

/* ---- Which sections have an effect --------------------------------------- */

static const struct conf_key *missing_key(const struct conf_item *it)
{
	for (size_t i = 0; i < conf_n_keys; i++) {
		const struct conf_key *k = &conf_keys[i];

		if (k->sect == it->sect && k->required && !it->text[conf_key_index(k)])
			return k;
	}
	return NULL;
}

static bool is_empty(const struct conf_item *it)
{
	for (unsigned i = 0; i < CONF_SECT_KEYS_MAX; i++)
		if (it->text[i])
			return false;
	return true;
}

static bool has(const struct conf_item *it, const char *key)
{
	return it->text[conf_key_index(conf_key_find(it->sect, key))];
}

static const char *why_no_hint(const struct conf_item *it)
{
	if (it->unknown_key)
		return "one of its keys is not known";
	if (!has(it, "path") && !has(it, "program") && !has(it, "cgroup"))
		return "it has no path, program or cgroup";
	if (!has(it, "write_size") && !has(it, "file_size"))
		return "it has neither write_size nor file_size";
	return "";
}

/*
 * An [exclude] section must never match more than it says: without a key, or
 * with one that was not understood, it matches nothing.
 */
static bool has_effect(const struct conf_item *it, struct conf_diags *d)
{
	const struct conf_key *k = missing_key(it);
	char name[64], why[64] = "";

	if (k)
		(void)snprintf(why, sizeof(why), "it has no key %s", k->key);
	else if (it->sect == CONF_SECT_EXCLUDE && it->unknown_key)
		(void)snprintf(why, sizeof(why), "one of its keys is not known");
	else if (it->sect == CONF_SECT_EXCLUDE && is_empty(it))
		(void)snprintf(why, sizeof(why), "it has no key");
	else if (it->sect == CONF_SECT_HINT)
		(void)snprintf(why, sizeof(why), "%s", why_no_hint(it));
	if (!*why)
		return true;
	conf_item_name(it, name);
	conf_diag_add(d, false, "%s:%u: section [%s] matches nothing: %s", it->where.file,
		      it->where.line, name, why);
	return false;
}

/* Two sections that name the same thing: which one counts would be a guess. */
static void find_twins(const struct conf_origin *o, const char *key, enum conf_sect sect,
		       struct conf_diags *d)
{
	unsigned k = conf_key_index(conf_key_find(sect, key));
	char a[64], b[64];

	for (size_t i = 0; i < o->n_item; i++) {
		const struct conf_item *x = &o->item[i];

		if (x->sect != sect || !x->text[k])
			continue;
		for (size_t j = 0; j < i; j++) {
			const struct conf_item *y = &o->item[j];

			if (y->sect != sect || !y->text[k] ||
			    strcmp(x->text[k], y->text[k]) != 0)
				continue;
			conf_item_name(x, a);
			conf_item_name(y, b);
			conf_diag_add(d, true,
				      "%s:%u: [%s] has the same %s as [%s] in %s:%u: "
				      "remove one of the two",
				      x->place[k].file, x->place[k].line, a, key, b,
				      y->place[k].file, y->place[k].line);
			break;
		}
	}
}

void conf_find_twins(const struct conf_origin *o, struct conf_diags *d)
{
	find_twins(o, "match", CONF_SECT_DEVICE, d);
	find_twins(o, "path", CONF_SECT_MOUNT, d);
	find_twins(o, "device", CONF_SECT_KNOB, d);
}

/* ---- Values --------------------------------------------------------------- */

/* A key of [mount] that is not set takes its text and place from [flush]. */
static const char *effective_text(const struct conf *c, const struct conf_item *it,
				  const struct conf_key *k)
{
	const struct conf_item *flush = &c->origin->item[CONF_SECT_FLUSH];
	const char *text = it->text[conf_key_index(k)];

	if (!text && k->inherit) {
		k = conf_key_find(CONF_SECT_FLUSH, k->inherit);
		text = flush->text[conf_key_index(k)];
	}
	return text ? text : k->def;
}

static int fill(struct conf *c, struct conf_item *it)
{
	for (size_t i = 0; i < conf_n_keys; i++) {
		const struct conf_key *k = &conf_keys[i];
		char err[UNITS_ERR_LEN];
		const char *text;
		int r;

		if (k->sect != it->sect)
			continue;
		text = effective_text(c, it, k);
		if (!text)
			continue;
		r = k->type->parse(k, text, (char *)it->object + k->offset, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_object(struct conf *c, struct conf_item *it)
{
	char *label = strdup(it->label), *where = NULL;

	if (!label)
		return -ENOMEM;
	if (asprintf(&where, "%s:%u", it->where.file, it->where.line) < 0) {
		free(label);
		return -ENOMEM;
	}
	if (it->sect == CONF_SECT_DEVICE) {
		it->object = &c->device[c->n_device++];
		*(struct conf_device *)it->object =
			(struct conf_device){.label = label, .where = where};
	} else if (it->sect == CONF_SECT_MOUNT) {
		it->object = &c->mount[c->n_mount++];
		*(struct conf_mount *)it->object =
			(struct conf_mount){.label = label, .where = where};
	} else if (it->sect == CONF_SECT_HINT) {
		it->object = &c->hint[c->n_hint++];
		*(struct conf_hint *)it->object =
			(struct conf_hint){.label = label, .where = where};
	} else if (it->sect == CONF_SECT_KNOB) {
		it->object = &c->knob[c->n_knob++];
		*(struct conf_knob *)it->object =
			(struct conf_knob){.label = label, .where = where};
	} else {
		it->object = &c->exclude[c->n_exclude++];
		*(struct conf_exclude *)it->object =
			(struct conf_exclude){.label = label, .where = where};
	}
	return 0;
}

/* Items keep pointers into the arrays, so these are made once, large enough. */
static int make_arrays(struct conf *c)
{
	size_t n = c->origin->n_labelled;

	if (!n)
		return 0;
	c->device = calloc(n, sizeof(*c->device));
	c->mount = calloc(n, sizeof(*c->mount));
	c->exclude = calloc(n, sizeof(*c->exclude));
	c->hint = calloc(n, sizeof(*c->hint));
	c->knob = calloc(n, sizeof(*c->knob));
	return c->device && c->mount && c->exclude && c->hint && c->knob ? 0 : -ENOMEM;
}

int conf_build(struct conf *c, struct conf_diags *d)
{
	int r = make_arrays(c);

	for (size_t i = 0; r == 0 && i < c->origin->n_item; i++) {
		struct conf_item *it = &c->origin->item[i];

		if (!it->label)
			it->object = c;
		else if (has_effect(it, d))
			r = add_object(c, it);
		if (r == 0 && it->object)
			r = fill(c, it);
	}
	return r;
}

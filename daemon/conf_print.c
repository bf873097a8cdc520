// SPDX-License-Identifier: GPL-2.0-or-later
/* The effective configuration as rows, each with where it was set. */
#include <stdio.h>
#include <string.h>

#include "daemon/conf_table.h"

/* Where the value of @k in @it comes from; file is NULL for a default. */
static struct conf_place place_of(const struct conf_origin *o, const struct conf_item *it,
				  const struct conf_key *k)
{
	struct conf_place p = it->place[conf_key_index(k)];

	if (!p.file && k->inherit) {
		k = conf_key_find(CONF_SECT_FLUSH, k->inherit);
		p = o->item[CONF_SECT_FLUSH].place[conf_key_index(k)];
	}
	return p;
}

/* The end of a long path tells more than its beginning. */
static void format_place(struct conf_place p, char *buf, size_t size)
{
	size_t room = size - sizeof("...:4294967295"), len;

	if (!p.file) {
		(void)snprintf(buf, size, "default");
		return;
	}
	len = strlen(p.file);
	if (len <= room)
		(void)snprintf(buf, size, "%s:%u", p.file, p.line);
	else
		(void)snprintf(buf, size, "...%s:%u", p.file + len - room, p.line);
}

int conf_rows(const struct conf *c, int (*row)(const struct conf_row *r, void *arg),
	      void *arg)
{
	const struct conf_origin *o = c->origin;

	for (size_t i = 0; i < o->n_item; i++) {
		const struct conf_item *it = &o->item[i];

		for (size_t j = 0; it->object && j < conf_n_keys; j++) {
			const struct conf_key *k = &conf_keys[j];
			struct conf_row v = {0};
			int r;

			if (k->sect != it->sect)
				continue;
			k->type->format(k, (const char *)it->object + k->offset, v.value);
			if (!*v.value)
				continue;
			conf_item_name(it, v.section);
			(void)snprintf(v.key, sizeof(v.key), "%s", k->key);
			format_place(place_of(o, it, k), v.where, sizeof(v.where));
			r = row(&v, arg);
			if (r)
				return r;
		}
	}
	return 0;
}

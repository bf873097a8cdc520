// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RUNTIME_DIR/knobs: what was found and what was written, as JSON.  Replaced as a
 * whole.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/vl_msg.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/knob.h"
#include "daemon/state_file.h"

#define NAME     "knobs"
#define FILE_MAX (4U << 20)
#define VERSION  1

void knob_journal_clear(struct knob_journal *j)
{
	free(j->v);
	*j = (struct knob_journal){0};
}

struct knob_entry *knob_journal_find(const struct knob_journal *j, enum knob_kind k,
				     const char *dev)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].kind == k && !strcmp(j->v[i].dev, dev))
			return &j->v[i];
	return NULL;
}

struct knob_entry *knob_journal_add(struct knob_journal *j)
{
	struct knob_entry *v;

	if (j->n == KNOB_MAX)
		return NULL;
	v = reallocarray(j->v, j->n + 1, sizeof(*v));
	if (!v)
		return NULL;
	j->v = v;
	v[j->n] = (struct knob_entry){0};
	return &v[j->n++];
}

void knob_journal_del(struct knob_journal *j, struct knob_entry *e)
{
	size_t i = (size_t)(e - j->v);

	memmove(e, e + 1, (j->n - i - 1) * sizeof(*e));
	j->n--;
}

static void boot_id(const char *root, char ret[64])
{
	*ret = '\0';
	(void)sysfs_read(root, ret, 64, "proc/sys/kernel/random/boot_id");
}

/* ---- reading ------------------------------------------------------------------- */

static bool text(const json_t *o, const char *key, char *ret, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && snprintf(ret, size, "%s", s) < (int)size;
}

/* What it names goes into paths below /sys. */
static bool read_entry(const json_t *o, struct knob_entry *e)
{
	char name[32], state[32];
	int kind;

	if (!text(o, "knob", name, sizeof(name)) ||
	    !text(o, "device", e->dev, sizeof(e->dev)) ||
	    !text(o, "identity", e->identity, sizeof(e->identity)) ||
	    !text(o, "wanted", e->wanted, sizeof(e->wanted)) ||
	    !text(o, "where", e->where, sizeof(e->where)) ||
	    !text(o, "original", e->original, sizeof(e->original)) ||
	    !text(o, "ours", e->ours, sizeof(e->ours)) ||
	    !text(o, "state", state, sizeof(state)))
		return false;
	kind = knob_find(name);
	if (kind < 0 || (*e->dev && !sysfs_name_ok(e->dev)) ||
	    (!*e->dev) != (kind == KNOB_CPUMASK))
		return false;
	e->kind = (enum knob_kind)kind;
	e->written = json_is_true(json_object_get(o, "written"));
	e->pending = json_is_true(json_object_get(o, "pending"));
	e->state = knob_state_find(state);
	e->error = (int)json_integer_value(json_object_get(o, "error"));
	return true;
}

static int read_all(const json_t *doc, struct knob_journal *j)
{
	json_t *o;
	size_t i;

	if (json_integer_value(json_object_get(doc, "version")) != VERSION)
		return -EBADMSG;
	json_array_foreach (json_object_get(doc, "knobs"), i, o) {
		struct knob_entry *e = knob_journal_add(j);

		if (!e)
			return j->n == KNOB_MAX ? -EBADMSG : -ENOMEM;
		if (!read_entry(o, e))
			return -EBADMSG;
	}
	return 0;
}

int knob_journal_load(const char *root, const char *dir, struct knob_journal *ret)
{
	CLEANUP(cleanup_freep) char *buf = NULL;
	struct knob_journal j = {0};
	const char *boot, *why;
	char now[64];
	size_t len = 0;
	json_t *doc;
	int r = state_file_read(dir, NAME, FILE_MAX, &buf, &len);

	if (r == -ENOENT) {
		*ret = j;
		return 0;
	}
	if (r < 0)
		return r;
	if (vl_parse(buf, len, &doc, &why) < 0)
		return -EBADMSG;
	boot_id(root, now);
	boot = json_string_value(json_object_get(doc, "boot"));
	if (!boot || strcmp(boot, now) == 0)
		r = boot ? read_all(doc, &j) : -EBADMSG;
	json_decref(doc);
	if (r < 0)
		knob_journal_clear(&j);
	else
		*ret = j;
	return r;
}

/* ---- writing ------------------------------------------------------------------- */

static json_t *entry_json(const struct knob_entry *e)
{
	return json_pack("{ss so so so so so so ss sb sb si}", "knob", knob_name(e->kind),
			 "device", vl_string(e->dev), "identity", vl_string(e->identity),
			 "wanted", vl_string(e->wanted), "where", vl_string(e->where),
			 "original", vl_string(e->original), "ours", vl_string(e->ours),
			 "state", knob_state_name(e->state), "written", (int)e->written,
			 "pending", (int)e->pending, "error", e->error);
}

static char *to_text(const char *root, const struct knob_journal *j)
{
	json_t *list = json_array(), *doc;
	char boot[64], *s;

	boot_id(root, boot);
	for (size_t i = 0; i < j->n; i++)
		json_array_append_new(list, entry_json(&j->v[i]));
	doc = json_pack("{si so so}", "version", VERSION, "boot", vl_string(boot),
			"knobs", list);
	s = doc ? json_dumps(doc, JSON_INDENT(2)) : NULL;
	json_decref(doc);
	return s;
}

int knob_journal_save(const char *root, const char *dir, const struct knob_journal *j)
{
	CLEANUP(cleanup_freep) char *s = to_text(root, j);

	return s ? state_file_replace(dir, NAME, s) : -ENOMEM;
}

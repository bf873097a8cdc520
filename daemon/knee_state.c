// SPDX-License-Identifier: GPL-2.0-or-later
/* The file of knee_state.h. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/vl_msg.h"
#include "daemon/knee.h"
#include "daemon/knee_state.h"
#include "daemon/state_file.h"

#define NAME     "knee.json"
#define REFUSED  "knee.json.refused"
#define FILE_MAX (256U << 10)
#define VERSION  1

void knee_store_clear(struct knee_store *s)
{
	free(s->v);
	*s = (struct knee_store){0};
}

static size_t find(const struct knee_store *s, const char *engine, const char *id)
{
	size_t i = 0;

	while (i < s->n && (strcmp(s->v[i].id, id) || strcmp(s->v[i].engine, engine)))
		i++;
	return i;
}

/* To the end: it was used last. */
static struct knee_memory *touch(struct knee_store *s, size_t i)
{
	struct knee_memory m = s->v[i];

	memmove(&s->v[i], &s->v[i + 1], (s->n - i - 1) * sizeof(m));
	s->v[s->n - 1] = m;
	return &s->v[s->n - 1];
}

const struct knee_memory *knee_store_get(struct knee_store *s, const char *engine,
					 const char *id)
{
	size_t i = find(s, engine, id);

	return i < s->n ? touch(s, i) : NULL;
}

static int make_room(struct knee_store *s)
{
	struct knee_memory *v;

	if (s->n == KNEE_STORE_MAX) {
		(void)touch(s, 0);
		s->n--;
	}
	v = reallocarray(s->v, s->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	s->v = v;
	return 0;
}

int knee_store_put(struct knee_store *s, const struct knee_memory *m)
{
	size_t i = find(s, m->engine, m->id);
	bool same;
	int r;

	if (i < s->n) {
		struct knee_memory *e = touch(s, i);

		same = e->contexts == m->contexts;
		*e = *m;
		return same;
	}
	r = make_room(s);
	if (r == 0)
		s->v[s->n++] = *m;
	return r;
}

/* ---- reading ------------------------------------------------------------------- */

static bool text(const json_t *o, const char *key, char *ret, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && *s && snprintf(ret, size, "%s", s) < (int)size;
}

static bool number(const json_t *o, const char *key, uint64_t min, uint64_t max,
		   uint64_t *ret)
{
	const json_t *v = json_object_get(o, key);
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || (uint64_t)n < min || (uint64_t)n > max)
		return false;
	*ret = (uint64_t)n;
	return true;
}

static bool read_entry(const json_t *o, struct knee_memory *m)
{
	uint64_t contexts;

	if (!text(o, "device", m->id, sizeof(m->id)) ||
	    !text(o, "engine", m->engine, sizeof(m->engine)) ||
	    !number(o, "contexts", 1, KNEE_MAX, &contexts) ||
	    !number(o, "rate", 0, INT64_MAX, &m->rate) ||
	    !number(o, "found", 0, INT64_MAX, &m->found))
		return false;
	m->contexts = (unsigned)contexts;
	return true;
}

static int read_all(const json_t *doc, struct knee_store *s, char why[KNEE_WHY_LEN])
{
	const json_t *list = json_object_get(doc, "devices"), *o;
	uint64_t version;
	size_t i;

	if (!number(doc, "version", 1, INT64_MAX, &version)) {
		(void)snprintf(why, KNEE_WHY_LEN, "it has no version");
		return -EBADMSG;
	}
	if (version != VERSION) {
		(void)snprintf(why, KNEE_WHY_LEN,
			       "it is of version %llu, and this wbd knows version %d",
			       (unsigned long long)version, VERSION);
		return -EBADMSG;
	}
	if (!json_is_array(list) || json_array_size(list) > KNEE_STORE_MAX) {
		(void)snprintf(why, KNEE_WHY_LEN,
			       "\"devices\" is not a list of at most %d", KNEE_STORE_MAX);
		return -EBADMSG;
	}
	for (i = 0; i < json_array_size(list); i++) {
		struct knee_memory m = {0};

		o = json_array_get(list, i);
		if (!read_entry(o, &m)) {
			(void)snprintf(why, KNEE_WHY_LEN,
				       "entry %zu of \"devices\" is not what it must be",
				       i + 1);
			return -EBADMSG;
		}
		if (knee_store_put(s, &m) < 0)
			return -ENOMEM;
	}
	return 0;
}

int knee_store_load(const char *dir, struct knee_store *ret, char why[KNEE_WHY_LEN])
{
	CLEANUP(cleanup_freep) char *buf = NULL;
	struct knee_store s = {0};
	const char *bad = NULL;
	json_t *doc = NULL;
	size_t len = 0;
	int r = state_file_read(dir, NAME, FILE_MAX, &buf, &len);

	*ret = s;
	*why = '\0';
	if (r == -ENOENT)
		return 0;
	if (r == -EBADMSG)
		bad = "it is not a regular file of at most 256 KiB";
	else if (r == 0 && vl_parse(buf, len, &doc, &bad) < 0)
		r = -EBADMSG;
	if (r == 0)
		r = read_all(doc, &s, why);
	json_decref(doc);
	if (r == 0) {
		*ret = s;
		return 0;
	}
	knee_store_clear(&s);
	if (!*why)
		(void)snprintf(why, KNEE_WHY_LEN, "%s", bad ? bad : strerror(-r));
	ret->refused = r == -EBADMSG;
	return r;
}

/* ---- writing ------------------------------------------------------------------- */

static char *to_text(const struct knee_store *s)
{
	json_t *list = json_array(), *doc;
	char *t;

	for (size_t i = 0; i < s->n; i++) {
		const struct knee_memory *m = &s->v[i];

		json_array_append_new(list,
				      json_pack("{so ss sI sI sI}", "device",
						vl_string(m->id), "engine", m->engine,
						"contexts", (json_int_t)m->contexts,
						"rate", (json_int_t)m->rate, "found",
						(json_int_t)m->found));
	}
	doc = json_pack("{si so}", "version", VERSION, "devices", list);
	t = doc ? json_dumps(doc, JSON_INDENT(1)) : NULL;
	json_decref(doc);
	return t;
}

/* What a newer wbd has written is not thrown away. */
static void set_aside(const char *dir)
{
	CLEANUP(cleanup_freep) char *from = NULL, *to = NULL;

	if (asprintf(&from, "%s/" NAME, dir) < 0)
		from = NULL;
	if (asprintf(&to, "%s/" REFUSED, dir) < 0)
		to = NULL;
	if (from && to)
		(void)rename(from, to);
}

int knee_store_save(const char *dir, struct knee_store *s)
{
	CLEANUP(cleanup_freep) char *t = to_text(s);

	if (!t)
		return -ENOMEM;
	if (s->refused)
		set_aside(dir);
	s->refused = 0;
	return state_file_replace(dir, NAME, t);
}

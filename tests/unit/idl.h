/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Just enough of Varlink's interface language for tests: an interface as a list of
 * members "OWNER NAME TYPE", and whether a value is what the interface says.
 * OWNER is "Type", "Method.in", "Method.out" or "error Name".
 */
#ifndef WB_TEST_IDL_H
#define WB_TEST_IDL_H

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct idl_member {
	char owner[48], name[32], type[32];
};
struct idl {
	struct idl_member v[400];
	size_t n;
};

static inline const char *idl_token(const char *s, char *tok, size_t len)
{
	size_t n = 0;

	for (;;) {
		while (isspace((unsigned char)*s))
			s++;
		if (*s != '#')
			break;
		s += strcspn(s, "\n");
	}
	if (isalnum((unsigned char)*s) || *s == '?' || *s == '[')
		while (*s && (isalnum((unsigned char)*s) || strchr("_.?[]", *s)) &&
		       n + 1 < len)
			tok[n++] = *s++;
	else if (!strncmp(s, "->", 2))
		n = 2, s += 2, memcpy(tok, "->", 2);
	else if (*s)
		tok[n++] = *s++;
	tok[n] = '\0';
	return s;
}

/* "(name: type, ...)" of @owner; an empty list is a member without a name. */
static inline const char *idl_struct(struct idl *i, const char *s, const char *owner)
{
	char tok[64];
	bool any = false;

	s = idl_token(s, tok, sizeof(tok)); /* "(" */
	for (;;) {
		struct idl_member *m = &i->v[i->n];

		s = idl_token(s, tok, sizeof(tok));
		if (!strcmp(tok, ",") || (!strcmp(tok, ")") && any) || !*tok) {
			if (strcmp(tok, ","))
				return s;
			continue;
		}
		snprintf(m->owner, sizeof(m->owner), "%s", owner);
		i->n++;
		if (!strcmp(tok, ")")) {
			m->name[0] = m->type[0] = '\0';
			return s;
		}
		any = true;
		snprintf(m->name, sizeof(m->name), "%.31s", tok);
		s = idl_token(s, tok, sizeof(tok)); /* ":" */
		s = idl_token(s, tok, sizeof(tok));
		snprintf(m->type, sizeof(m->type), "%.31s", tok);
	}
}

static inline void idl_parse(struct idl *i, const char *s)
{
	char tok[64], name[32], owner[48];

	i->n = 0;
	for (;;) {
		s = idl_token(s, tok, sizeof(tok));
		if (!*tok)
			return;
		if (!strcmp(tok, "interface")) {
			s = idl_token(s, tok, sizeof(tok));
			continue;
		}
		s = idl_token(s, name, sizeof(name));
		if (!strcmp(tok, "type")) {
			s = idl_struct(i, s, name);
		} else if (!strcmp(tok, "error")) {
			snprintf(owner, sizeof(owner), "error %s", name);
			s = idl_struct(i, s, owner);
		} else {
			snprintf(owner, sizeof(owner), "%s.in", name);
			s = idl_struct(i, s, owner);
			s = idl_token(s, tok, sizeof(tok)); /* "->" */
			snprintf(owner, sizeof(owner), "%s.out", name);
			s = idl_struct(i, s, owner);
		}
	}
}

static inline const struct idl_member *idl_find(const struct idl *i, const char *owner,
						const char *name)
{
	for (size_t k = 0; k < i->n; k++)
		if (!strcmp(i->v[k].owner, owner) && !strcmp(i->v[k].name, name))
			return &i->v[k];
	return NULL;
}

static inline bool idl_is(const struct idl *i, const json_t *v, const char *owner);

static inline bool idl_value(const struct idl *i, const json_t *v, const char *type)
{
	json_t *e;
	size_t k;

	if (*type == '?')
		return !v || json_is_null(v) || idl_value(i, v, type + 1);
	if (!v)
		return false;
	if (!strncmp(type, "[]", 2)) {
		if (!json_is_array(v))
			return false;
		json_array_foreach (v, k, e)
			if (!idl_value(i, e, type + 2))
				return false;
		return true;
	}
	if (!strcmp(type, "string"))
		return json_is_string(v);
	if (!strcmp(type, "int"))
		return json_is_integer(v);
	if (!strcmp(type, "bool"))
		return json_is_boolean(v);
	return idl_is(i, v, type);
}

/* Exactly the members of @owner, each of its type; says which one is not. */
static inline bool idl_is(const struct idl *i, const json_t *v, const char *owner)
{
	bool known = false;
	const char *key;
	json_t *member;

	for (size_t k = 0; k < i->n; k++) {
		const struct idl_member *m = &i->v[k];

		if (strcmp(m->owner, owner))
			continue;
		known = true;
		if (*m->name && !idl_value(i, json_object_get(v, m->name), m->type)) {
			fprintf(stderr, "%s: %s is not %s\n", owner, m->name, m->type);
			return false;
		}
	}
	json_object_foreach ((json_t *)(uintptr_t)v, key, member) {
		if (!idl_find(i, owner, key)) {
			fprintf(stderr, "%s: %s is not in the interface\n", owner, key);
			return false;
		}
	}
	return known && json_is_object(v);
}

#endif

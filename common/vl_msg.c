// SPDX-License-Identifier: GPL-2.0-or-later
/* Varlink messages: strict parsing, bounded nesting, text for the wire. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vl_msg.h"

/* jansson allows 2048 levels and recurses; brackets inside strings do not count. */
static bool nested_too_deep(const char *s, size_t len)
{
	bool in_string = false;
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (in_string) {
			if (s[i] == '\\')
				i++;
			else if (s[i] == '"')
				in_string = false;
		} else if (s[i] == '"') {
			in_string = true;
		} else if (s[i] == '[' || s[i] == '{') {
			if (++depth > VL_NESTING_MAX)
				return true;
		} else if (s[i] == ']' || s[i] == '}') {
			depth--;
		}
	}
	return false;
}

int vl_parse(const char *msg, size_t len, json_t **ret, const char **ret_why)
{
	json_error_t e;
	json_t *j;

	if (nested_too_deep(msg, len)) {
		*ret_why = "the message is nested deeper than 32 levels";
		return -E2BIG;
	}
	j = json_loadb(msg, len, JSON_REJECT_DUPLICATES, &e);
	if (!j) {
		*ret_why = "the message is not valid JSON";
		return -EBADMSG;
	}
	if (!json_is_object(j)) {
		json_decref(j);
		*ret_why = "the message is not a JSON object";
		return -EBADMSG;
	}
	*ret = j;
	return 0;
}

static int read_flag(json_t *msg, const char *key, bool *ret)
{
	json_t *j = json_object_get(msg, key);

	if (j && !json_is_boolean(j) && !json_is_null(j))
		return -EBADMSG;
	*ret = json_is_true(j);
	return 0;
}

int vl_request_read(json_t *msg, struct vl_request *ret, const char **ret_why)
{
	struct vl_request r = {0};
	json_t *p = json_object_get(msg, "parameters");

	r.method = json_string_value(json_object_get(msg, "method"));
	if (!r.method) {
		*ret_why = "the message has no method";
		return -EBADMSG;
	}
	if (p && !json_is_object(p) && !json_is_null(p)) {
		*ret_why = "parameters are not an object";
		return -EBADMSG;
	}
	if (read_flag(msg, "more", &r.more) < 0 ||
	    read_flag(msg, "oneway", &r.oneway) < 0 ||
	    read_flag(msg, "upgrade", &r.upgrade) < 0) {
		*ret_why = "more, oneway and upgrade must be booleans";
		return -EBADMSG;
	}
	r.params = json_is_object(p) ? p : NULL;
	*ret = r;
	return 0;
}

char *vl_dump(json_t *msg, size_t *ret_len)
{
	char *s;

	if (!msg)
		return NULL;
	s = json_dumps(msg, JSON_COMPACT);
	json_decref(msg);
	if (s)
		*ret_len = strlen(s) + 1;
	return s;
}

json_t *vl_reply(json_t *params, bool continues)
{
	if (!params)
		return NULL;
	return continues ? json_pack("{so sb}", "parameters", params, "continues", 1)
			 : json_pack("{so}", "parameters", params);
}

json_t *vl_error(const char *error, json_t *params)
{
	if (!params)
		return NULL;
	return json_pack("{ss so}", "error", error, "parameters", params);
}

json_t *vl_string(const char *s)
{
	json_t *j;
	char *copy, *o;

	if (!s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	/* Not UTF-8.  Its ASCII stays, the rest is written out: a name to read,
	 * no longer one to open; the device number identifies. */
	copy = malloc(strlen(s) * 4 + 1);
	if (!copy)
		return NULL;
	for (o = copy; *s; s++)
		o += (unsigned char)*s < 0x80 ? sprintf(o, "%c", *s)
					      : sprintf(o, "\\x%02x", (unsigned char)*s);
	*o = '\0';
	j = json_string(copy);
	free(copy);
	return j;
}

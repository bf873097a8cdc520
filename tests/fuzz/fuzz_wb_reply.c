// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libwb's JSON reader: what comes out fits its buffers and is text, and what it takes
 * for JSON is JSON to another reader too.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libwb/int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t size)
{
	size_t len = strnlen(text, size);
	json_t *j;

	if (len == size)
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			abort();
	j = json_stringn(text, len); /* NULL if it is not UTF-8 */
	if (!j)
		abort();
	json_decref(j);
}

/* Numbers that do not fit and NUL characters are skipped here and refused there. */
static void check_json(const char *text, size_t size)
{
	json_error_t error;
	json_t *j = json_loadb(text, size, JSON_ALLOW_NUL, &error);

	if (!j)
		switch (json_error_code(&error)) {
		case json_error_numeric_overflow:
		case json_error_null_byte_in_key:
		case json_error_null_character:
		case json_error_stack_overflow:
			break;
		default:
			abort();
		}
	json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long as it is said to be, so that reading beyond is found. */
	char *text = malloc(size ? size : 1);
	struct wbi_reply r;

	memcpy(text, data, size);
	if (wbi_reply_parse(text, size, &r) == 0) {
		if (r.info.n_effects > WB_EFFECTS_MAX || wbi_reply_errno(&r) > 0)
			abort();
		check_text(r.error, sizeof(r.error));
		check_text(r.reason, sizeof(r.reason));
		check_text(r.info.engine, sizeof(r.info.engine));
		for (uint32_t i = 0; i < r.info.n_effects; i++) {
			check_text(r.info.effects[i].name,
				   sizeof(r.info.effects[i].name));
			check_text(r.info.effects[i].why, sizeof(r.info.effects[i].why));
			if (r.info.effects[i].in_force > 1)
				abort();
		}
		check_json(text, size);
	}
	free(text);
	return 0;
}

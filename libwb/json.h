/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Just enough JSON for replies of at most 16 KiB: a strict reader that copies what is
 * asked for into fixed buffers and allocates nothing.
 *
 * The caller walks: wbi_js_object() and wbi_js_array() call back with the reader at a
 * value, which the callback consumes by exactly one of these functions.  After an
 * error every call fails.
 */
#ifndef WBI_JSON_H
#define WBI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WBI_JS_DEPTH 16

struct wbi_js {
	const char *p, *end;
	unsigned depth;
	bool bad;
};

typedef bool (*wbi_js_member_fn)(struct wbi_js *js, const char *key, void *arg);
typedef bool (*wbi_js_item_fn)(struct wbi_js *js, size_t i, void *arg);

void wbi_js_init(struct wbi_js *js, const char *text, size_t len);
/* All of the text was one value. */
bool wbi_js_finish(struct wbi_js *js);

/* Keys longer than 63 bytes are cut. */
bool wbi_js_object(struct wbi_js *js, wbi_js_member_fn fn, void *arg);
bool wbi_js_array(struct wbi_js *js, wbi_js_item_fn fn, void *arg);
/* Cut at a character to fit; control characters become '?'. */
bool wbi_js_string(struct wbi_js *js, char *buf, size_t size);
/* A whole number; null leaves @ret as it is. */
bool wbi_js_int(struct wbi_js *js, int64_t *ret);
bool wbi_js_bool(struct wbi_js *js, bool *ret);
bool wbi_js_null(struct wbi_js *js); /* consumes a null if there is one */
bool wbi_js_skip(struct wbi_js *js);
/* The first byte of the next value, 0 at the end. */
char wbi_js_peek(struct wbi_js *js);

#endif

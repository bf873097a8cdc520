/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text from outside (file names, mount points, configuration) made fit for a
 * terminal, a log line and JSON.
 */
#ifndef WB_ESCAPE_H
#define WB_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#define ESCAPE_MAX 4 /* bytes that one byte can become: \xNN */

/*
 * Length of the UTF-8 character at @s (1..4, at most @len), or 0 if the bytes
 * there are none: cut short, overlong, a surrogate, or beyond U+10FFFF.
 */
size_t escape_utf8_len(const char *s, size_t len);

/* All of @s is UTF-8 without control characters (C0, DEL, C1). */
bool escape_is_clean(const char *s, size_t len);

/*
 * Copies @len bytes of @s to @buf, control characters and bytes that are not
 * UTF-8 as \xNN.  What does not fit in @size is cut at a character; always ends
 * with a NUL (@size >= 1).  Returns the bytes written without it.
 */
size_t escape_text(const char *s, size_t len, char *buf, size_t size);

#endif

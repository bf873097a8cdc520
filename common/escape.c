// SPDX-License-Identifier: GPL-2.0-or-later
/* Text from outside made fit for a terminal, a log line and JSON. */
#include <stdio.h>
#include <string.h>

#include "common/escape.h"

/* Length that the first byte promises, and the smallest code point that needs it. */
static size_t lead(unsigned char c, unsigned *ret_bits, unsigned *ret_least)
{
	if (c < 0x80) {
		*ret_bits = c;
		*ret_least = 0;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		*ret_bits = c & 0x1f;
		*ret_least = 0x80;
		return 2;
	}
	if ((c & 0xf0) == 0xe0) {
		*ret_bits = c & 0x0f;
		*ret_least = 0x800;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*ret_bits = c & 0x07;
		*ret_least = 0x10000;
		return 4;
	}
	return 0;
}

size_t escape_utf8_len(const char *s, size_t len)
{
	unsigned point = 0, least = 0;
	size_t n = len ? lead((unsigned char)s[0], &point, &least) : 0;

	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	return n;
}

static bool is_control(const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0];

	if (n == 1)
		return c < 0x20 || c == 0x7f;
	return n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0;
}

bool escape_is_clean(const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = escape_utf8_len(s + i, len - i);
		if (!n || is_control(s + i, n))
			return false;
	}
	return true;
}

size_t escape_text(const char *s, size_t len, char *buf, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t out = 0;

	for (size_t i = 0; i < len;) {
		size_t n = escape_utf8_len(s + i, len - i);
		bool plain = n && !is_control(s + i, n);
		size_t room = plain ? n : ESCAPE_MAX;

		if (out + room >= size)
			break;
		if (plain) {
			memcpy(buf + out, s + i, n);
			i += n;
		} else {
			unsigned char c = (unsigned char)s[i++];
			const char esc[ESCAPE_MAX] = {'\\', 'x', hex[c >> 4],
						      hex[c & 15]};

			memcpy(buf + out, esc, ESCAPE_MAX);
		}
		out += room;
	}
	buf[out] = '\0';
	return out;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* A strict JSON reader without allocation; see json.h. */
#include <string.h>

#include "libwb/json.h"

#define KEY_MAX 64

static bool fail(struct wbi_js *js)
{
	js->bad = true;
	js->p = js->end;
	return false;
}

static void blanks(struct wbi_js *js)
{
	while (js->p < js->end &&
	       (*js->p == ' ' || *js->p == '\t' || *js->p == '\n' || *js->p == '\r'))
		js->p++;
}

void wbi_js_init(struct wbi_js *js, const char *text, size_t len)
{
	*js = (struct wbi_js){.p = text, .end = text + len};
}

char wbi_js_peek(struct wbi_js *js)
{
	blanks(js);
	return js->p < js->end ? *js->p : '\0';
}

static bool take(struct wbi_js *js, char c)
{
	if (wbi_js_peek(js) != c || js->p == js->end)
		return false;
	js->p++;
	return true;
}

bool wbi_js_finish(struct wbi_js *js)
{
	blanks(js);
	return !js->bad && js->p == js->end;
}

/* ---- strings ------------------------------------------------------------------ */

static bool hex4(struct wbi_js *js, unsigned *ret)
{
	unsigned v = 0;

	if (js->end - js->p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = *js->p++;

		if (c >= '0' && c <= '9')
			v = v * 16 + (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (unsigned)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			v = v * 16 + (unsigned)(c - 'A') + 10;
		else
			return false;
	}
	*ret = v;
	return true;
}

/* What follows "\u", a pair of surrogates as one character. */
static bool unicode(struct wbi_js *js, unsigned *ret)
{
	unsigned hi, lo;

	if (!hex4(js, &hi) || (hi >= 0xdc00 && hi <= 0xdfff))
		return false;
	*ret = hi;
	if (hi < 0xd800 || hi > 0xdbff)
		return true;
	if (js->end - js->p < 2 || js->p[0] != '\\' || js->p[1] != 'u')
		return false;
	js->p += 2;
	if (!hex4(js, &lo) || lo < 0xdc00 || lo > 0xdfff)
		return false;
	*ret = 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00);
	return true;
}

static size_t encode(unsigned c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static bool escaped(struct wbi_js *js, char out[4], size_t *ret_n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	unsigned c;
	char e;

	if (js->p == js->end)
		return false;
	e = *js->p++;
	if (e == 'u') {
		if (!unicode(js, &c))
			return false;
		*ret_n = encode(c, out);
		return true;
	}
	at = e ? strchr(from, e) : NULL;
	if (!at)
		return false;
	out[0] = to[at - from];
	*ret_n = 1;
	return true;
}

/* The UTF-8 character at js->p, which is not ASCII. */
static bool utf8(struct wbi_js *js, char out[4], size_t *ret_n)
{
	unsigned char c = (unsigned char)*js->p;
	size_t n = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 ? 3 : 2;
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned v = c & (0xffU >> (n + 1));

	if (c < 0xc2 || c > 0xf4 || (size_t)(js->end - js->p) < n)
		return false;
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)js->p[i] & 0xc0) != 0x80)
			return false;
		v = v << 6 | ((unsigned char)js->p[i] & 0x3f);
	}
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return false;
	memcpy(out, js->p, n);
	js->p += n;
	*ret_n = n;
	return true;
}

static bool character(struct wbi_js *js, char out[4], size_t *ret_n)
{
	unsigned char c = (unsigned char)*js->p;

	if (c == '\\') {
		js->p++;
		return escaped(js, out, ret_n);
	}
	if (c >= 0x80)
		return utf8(js, out, ret_n);
	if (c < 0x20)
		return false;
	out[0] = *js->p++;
	*ret_n = 1;
	return true;
}

bool wbi_js_string(struct wbi_js *js, char *buf, size_t size)
{
	size_t len = 0, n = 0;
	bool full = false;
	char c[4];

	if (!take(js, '"'))
		return fail(js);
	while (js->p < js->end && *js->p != '"') {
		if (!character(js, c, &n))
			return fail(js);
		if (n == 1 && ((unsigned char)c[0] < 0x20 || c[0] == 0x7f))
			c[0] = '?';
		full = full || len + n >= size;
		if (!full) {
			memcpy(buf + len, c, n);
			len += n;
		}
	}
	if (js->p == js->end)
		return fail(js);
	js->p++;
	if (size)
		buf[len] = '\0';
	return true;
}

/* ---- numbers and words ---------------------------------------------------------- */

static bool word(struct wbi_js *js, const char *w)
{
	size_t n = strlen(w);

	(void)wbi_js_peek(js);
	if ((size_t)(js->end - js->p) < n || memcmp(js->p, w, n))
		return false;
	js->p += n;
	return true;
}

bool wbi_js_null(struct wbi_js *js)
{
	return word(js, "null");
}

bool wbi_js_bool(struct wbi_js *js, bool *ret)
{
	if (word(js, "true"))
		*ret = true;
	else if (word(js, "false"))
		*ret = false;
	else
		return fail(js);
	return true;
}

static size_t digits(struct wbi_js *js)
{
	const char *from = js->p;

	while (js->p < js->end && *js->p >= '0' && *js->p <= '9')
		js->p++;
	return (size_t)(js->p - from);
}

/* JSON's grammar of numbers; tells whether it is a whole one without exponent. */
static bool number(struct wbi_js *js, bool *ret_whole)
{
	bool zero;

	*ret_whole = true;
	if (js->p < js->end && *js->p == '-')
		js->p++;
	zero = js->p < js->end && *js->p == '0';
	switch (digits(js)) {
	case 0:
		return false;
	case 1:
		break;
	default:
		if (zero)
			return false;
	}
	if (js->p < js->end && *js->p == '.') {
		*ret_whole = false;
		js->p++;
		if (!digits(js))
			return false;
	}
	if (js->p < js->end && (*js->p == 'e' || *js->p == 'E')) {
		*ret_whole = false;
		js->p++;
		if (js->p < js->end && (*js->p == '+' || *js->p == '-'))
			js->p++;
		if (!digits(js))
			return false;
	}
	return true;
}

bool wbi_js_int(struct wbi_js *js, int64_t *ret)
{
	const char *from;
	uint64_t v = 0, max = INT64_MAX;
	bool minus, whole;

	if (wbi_js_null(js))
		return true;
	(void)wbi_js_peek(js);
	from = js->p;
	if (!number(js, &whole) || !whole)
		return fail(js);
	minus = *from == '-';
	max += minus;
	for (from += minus; from < js->p; from++) {
		unsigned d = (unsigned)(*from - '0');

		if (v > (max - d) / 10)
			return fail(js);
		v = v * 10 + d;
	}
	*ret = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* ---- structure -------------------------------------------------------------------- */

bool wbi_js_object(struct wbi_js *js, wbi_js_member_fn fn, void *arg)
{
	char key[KEY_MAX];

	if (js->depth == WBI_JS_DEPTH || !take(js, '{'))
		return fail(js);
	js->depth++;
	if (wbi_js_peek(js) != '}')
		do {
			if (!wbi_js_string(js, key, sizeof(key)) || !take(js, ':') ||
			    !fn(js, key, arg))
				return fail(js);
		} while (take(js, ','));
	js->depth--;
	return take(js, '}') || fail(js);
}

bool wbi_js_array(struct wbi_js *js, wbi_js_item_fn fn, void *arg)
{
	size_t i = 0;

	if (js->depth == WBI_JS_DEPTH || !take(js, '['))
		return fail(js);
	js->depth++;
	if (wbi_js_peek(js) != ']')
		do {
			if (!fn(js, i++, arg))
				return fail(js);
		} while (take(js, ','));
	js->depth--;
	return take(js, ']') || fail(js);
}

static bool skip_member(struct wbi_js *js, const char *key, void *arg)
{
	(void)key;
	(void)arg;
	return wbi_js_skip(js);
}

static bool skip_item(struct wbi_js *js, size_t i, void *arg)
{
	(void)i;
	(void)arg;
	return wbi_js_skip(js);
}

bool wbi_js_skip(struct wbi_js *js)
{
	bool unused;

	switch (wbi_js_peek(js)) {
	case '{':
		return wbi_js_object(js, skip_member, NULL);
	case '[':
		return wbi_js_array(js, skip_item, NULL);
	case '"':
		return wbi_js_string(js, NULL, 0);
	case 't':
	case 'f':
		return wbi_js_bool(js, &unused);
	case 'n':
		return wbi_js_null(js) || fail(js);
	default:
		return number(js, &unused) || fail(js);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The types of the table: one parser and one formatter each. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "daemon/conf_table.h"

/* ---- Words and numbers -------------------------------------------------- */

static int bad(char *err, const char *text, const char *why)
{
	char quoted[65];
	size_t len = strlen(text);
	size_t fits = escape_text(text, len, quoted, sizeof(quoted));

	(void)snprintf(err, UNITS_ERR_LEN, "'%s%s' %s", quoted, fits < len ? "..." : "",
		       why);
	return -EINVAL;
}

static int not_one_of(const struct conf_key *k, const char *text, char *err)
{
	char why[80];

	(void)snprintf(why, sizeof(why), "is not allowed: write %s", k->values);
	return bad(err, text, why);
}

static int parse_word(const struct conf_key *k, const char *text, void *field, char *err)
{
	for (int i = 0; k->words[i]; i++)
		if (!strcmp(k->words[i], text)) {
			/* Enums of conf.h: gcc and clang make them unsigned int. */
			*(unsigned *)field = (unsigned)i;
			return 0;
		}
	return not_one_of(k, text, err);
}

static void format_word(const struct conf_key *k, const void *field, char *buf)
{
	(void)snprintf(buf, CONF_VALUE_LEN, "%s", k->words[*(const unsigned *)field]);
}

static int parse_bool(const struct conf_key *k, const char *text, void *field, char *err)
{
	bool yes = !strcmp(text, "yes");

	if (!yes && strcmp(text, "no"))
		return not_one_of(k, text, err);
	*(bool *)field = yes;
	return 0;
}

static void format_bool(const struct conf_key *k, const void *field, char *buf)
{
	(void)k;
	(void)snprintf(buf, CONF_VALUE_LEN, "%s", *(const bool *)field ? "yes" : "no");
}

static int out_of_range(const struct conf_key *k, const char *text, char *err)
{
	char why[80];

	(void)snprintf(why, sizeof(why), "is out of range: write %s", k->values);
	return bad(err, text, why);
}

/* The second half of each number's parser: @r and @v are what the first half gave. */
static int in_range(const struct conf_key *k, const char *text, int r, uint64_t v,
		    char *err)
{
	if (r == -ERANGE || (r == 0 && (v < k->min || v > k->max)))
		return out_of_range(k, text, err);
	return r;
}

static int parse_number(const struct conf_key *k, const char *text,
			int (*parse)(const char *, uint64_t *, char *), uint64_t *ret,
			char *err)
{
	uint64_t v = 0;
	int r;

	if (k->off && !strcmp(text, "off")) {
		*ret = CONF_OFF;
		return 0;
	}
	r = parse(text, &v, err);
	r = in_range(k, text, r, v, err);
	if (r == 0)
		*ret = v;
	return r;
}

static int parse_size(const struct conf_key *k, const char *text, void *field, char *err)
{
	return parse_number(k, text, units_parse_size, field, err);
}

static int parse_time(const struct conf_key *k, const char *text, void *field, char *err)
{
	return parse_number(k, text, units_parse_time, field, err);
}

static int parse_count(const struct conf_key *k, const char *text, void *field, char *err)
{
	uint64_t v = 0;
	int r;

	if (k->automatic && !strcmp(text, "auto")) {
		*(unsigned *)field = 0;
		return 0;
	}
	if (k->search && !strcmp(text, "search")) {
		*(unsigned *)field = CONF_SEARCH;
		return 0;
	}
	r = units_parse_count(text, &v, err);
	if (r == -EINVAL)
		return not_one_of(k, text, err);
	r = in_range(k, text, r, v, err);
	if (r == 0)
		*(unsigned *)field = (unsigned)v;
	return r;
}

static void format_size(const struct conf_key *k, const void *field, char *buf)
{
	(void)k;
	units_format_size(*(const uint64_t *)field, buf);
}

static void format_time(const struct conf_key *k, const void *field, char *buf)
{
	(void)k;
	units_format_time(*(const uint64_t *)field, buf);
}

static void format_count(const struct conf_key *k, const void *field, char *buf)
{
	unsigned v = *(const unsigned *)field;

	if (k->automatic && v == 0)
		(void)snprintf(buf, CONF_VALUE_LEN, "auto");
	else if (k->search && v == CONF_SEARCH)
		(void)snprintf(buf, CONF_VALUE_LEN, "search");
	else
		(void)snprintf(buf, CONF_VALUE_LEN, "%u", v);
}

/* ---- Strings -------------------------------------------------------------- */

static int set_string(void *field, const char *text, size_t len)
{
	char **s = field;
	char *copy = strndup(text, len);

	if (!copy)
		return -ENOMEM;
	free(*s);
	*s = copy;
	return 0;
}

static void format_string(const struct conf_key *k, const void *field, char *buf)
{
	char *const *s = field;

	(void)k;
	(void)snprintf(buf, CONF_VALUE_LEN, "%s", *s ? *s : "");
}

/* One or more of ASCII letters, digits and @more. */
static bool only(const char *text, const char *more)
{
	const char *p = text;

	while (isascii(*p) && (isalnum(*p) || (*p && strchr(more, *p))))
		p++;
	return p > text && !*p;
}

static int parse_group(const struct conf_key *k, const char *text, void *field, char *err)
{
	(void)k;
	if (!only(text, "_.-") || *text == '-' || strlen(text) > 32)
		return bad(err, text, "is not the name of a group");
	return set_string(field, text, strlen(text));
}

static int parse_fstype(const struct conf_key *k, const char *text, void *field,
			char *err)
{
	(void)k;
	if (!only(text, "_.-"))
		return bad(err, text, "is not the type of one file system: write xfs");
	return set_string(field, text, strlen(text));
}

/* MAJ:MIN is digits, one colon, digits. */
static bool is_devno(const char *text)
{
	size_t major = strspn(text, "0123456789");
	const char *minor = text + major + 1;

	return major && text[major] == ':' && *minor &&
	       !minor[strspn(minor, "0123456789")];
}

/* No empty, "." or ".." component: such a path names nothing in the mount table. */
static bool is_normal(const char *path)
{
	for (const char *p = path; *p;) {
		size_t len = strcspn(++p, "/");

		if (!len || (len == 1 && p[0] == '.') ||
		    (len == 2 && !strncmp(p, "..", 2)))
			return false;
		p += len;
	}
	return true;
}

static int parse_device(const struct conf_key *k, const char *text, void *field,
			char *err)
{
	bool ok;

	(void)k;
	if (*text == '/')
		ok = !strncmp(text, "/dev/", 5) && is_normal(text);
	else
		/* Kernel names have '!' for '/': cciss!c0d0. */
		ok = is_devno(text) || only(text, "_.-!+");
	if (!ok)
		return bad(err, text,
			   "is not a device: write nvme0n1, 259:0 or /dev/nvme0n1");
	return set_string(field, text, strlen(text));
}

/* One trailing slash is a habit, not a mistake: it is dropped. */
static int parse_path(const struct conf_key *k, const char *text, void *field, char *err)
{
	char path[CONF_VALUE_LEN];
	size_t len = strlen(text);

	(void)k;
	if (*text != '/' || len >= sizeof(path))
		return bad(err, text,
			   "is not an absolute path: write it from / on, without quotes");
	memcpy(path, text, len + 1);
	if (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	if (len > 1 && !is_normal(path))
		return bad(err, text,
			   "has an empty, . or .. component: write it without");
	return set_string(field, path, len);
}

static int parse_pattern(const struct conf_key *k, const char *text, void *field,
			 char *err)
{
	(void)k;
	if (*text != '/' && *text != '*')
		return bad(err, text,
			   "matches no mount point: write it from / on, "
			   "without quotes");
	return set_string(field, text, strlen(text));
}

/* The kernel keeps 15 bytes of a program's name: a longer one would never match. */
static int parse_program(const struct conf_key *k, const char *text, void *field,
			 char *err)
{
	(void)k;
	if (strchr(text, '/') || strlen(text) > 15)
		return bad(err, text,
			   "is not what ps -o comm shows: that has at most 15 bytes and "
			   "no path");
	return set_string(field, text, strlen(text));
}

static int parse_names(const struct conf_key *k, const char *text, void *field, char *err)
{
	(void)k;
	if (!only(text, "_.-, "))
		return bad(err, text, "is not a list of names: write a, b");
	return set_string(field, text, strlen(text));
}

/* As the kernel writes it: hexadecimal, a comma after each eight digits. */
static int parse_cpumask(const struct conf_key *k, const char *text, void *field,
			 char *err)
{
	size_t len = strlen(text);

	(void)k;
	if (strspn(text, "0123456789abcdefABCDEF,") != len || *text == ',' ||
	    text[len - 1] == ',' || strspn(text, "0,") == len)
		return bad(err, text,
			   "is not a mask of CPUs: write f for the first four");
	return set_string(field, text, len);
}

const struct conf_type conf_type_program = {parse_program, format_string, true};
const struct conf_type conf_type_names = {parse_names, format_string, true};
const struct conf_type conf_type_cpumask = {parse_cpumask, format_string, true};
const struct conf_type conf_type_word = {parse_word, format_word, false};
const struct conf_type conf_type_bool = {parse_bool, format_bool, false};
const struct conf_type conf_type_count = {parse_count, format_count, false};
const struct conf_type conf_type_size = {parse_size, format_size, false};
const struct conf_type conf_type_time = {parse_time, format_time, false};
const struct conf_type conf_type_group = {parse_group, format_string, true};
const struct conf_type conf_type_device = {parse_device, format_string, true};
const struct conf_type conf_type_path = {parse_path, format_string, true};
const struct conf_type conf_type_pattern = {parse_pattern, format_string, true};
const struct conf_type conf_type_fstype = {parse_fstype, format_string, true};

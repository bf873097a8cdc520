// SPDX-License-Identifier: GPL-2.0-or-later
/* The lasting name of a disk, from sysfs. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/knee_state.h"

#define VALUE 112  /* of each attribute, shortened if need be */
#define RAW   1024 /* a longer one is no name */

/* Different names stay different: the beginning, and a hash (FNV-1a) of all. */
static void shorten(const char *s, char ret[VALUE])
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (const char *p = s; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3ULL;
	(void)snprintf(ret, VALUE, "%.80s...%016" PRIx64, s, hash);
}

/* Blanks around it and what is not plain ASCII are no part of a name: firmware pads. */
static bool attribute(const char *root, const char *disk, const char *name,
		      char ret[VALUE])
{
	char raw[RAW], *to = raw;
	int n = sysfs_read(root, raw, sizeof(raw), "sys/block/%s/%s", disk, name);

	if (n <= 0 || n == RAW - 1)
		return false;
	for (const char *s = raw; *s; s++) {
		char c = *s;

		if (c <= ' ' || c >= 127)
			c = ' ';
		if (c != ' ' || (to != raw && to[-1] != ' '))
			*to++ = c;
	}
	while (to != raw && to[-1] == ' ')
		to--;
	*to = '\0';
	if (to - raw < VALUE)
		memcpy(ret, raw, (size_t)(to - raw) + 1);
	else
		shorten(raw, ret);
	/* What a driver prints for a name that it has not. */
	return to != raw && strcmp(raw, "(null)") != 0;
}

/* One attribute that is a name by itself. */
static bool by_one(const char *root, const char *disk, char *ret, size_t len)
{
	static const struct {
		const char *file, *word;
	} names[] = {
		{"wwid", "wwid"},  {"device/wwid", "wwid"}, {"dm/uuid", "dm"},
		{"md/uuid", "md"}, {"serial", "serial"},    {"loop/backing_file", "file"},
	};
	char value[VALUE];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!attribute(root, disk, names[i].file, value))
			continue;
		(void)snprintf(ret, len, "%s:%s", names[i].word, value);
		return true;
	}
	return false;
}

static bool by_model(const char *root, const char *disk, char *ret, size_t len)
{
	char model[VALUE], serial[VALUE];

	if (!attribute(root, disk, "device/serial", serial))
		return false;
	if (!attribute(root, disk, "device/model", model))
		*model = '\0';
	(void)snprintf(ret, len, "model:%s serial:%s", model, serial);
	return true;
}

/* Another size is another device: a volume that was grown, a file that was made anew. */
static unsigned size_class(const char *root, const char *disk)
{
	uint64_t sectors = 0;
	unsigned n = 9;

	(void)sysfs_u64(root, &sectors, "sys/block/%s/size", disk);
	for (; sectors > 1; sectors = (sectors + 1) / 2)
		n++;
	return n;
}

int knee_identify(const char *root, const char *disk, char ret[KNEE_ID_LEN])
{
	char name[2 * VALUE + 20];
	int n;

	if (!sysfs_name_ok(disk))
		return -ENOENT;
	if (!by_one(root, disk, name, sizeof(name)) &&
	    !by_model(root, disk, name, sizeof(name)))
		return -ENOENT;
	n = snprintf(ret, KNEE_ID_LEN, "%s size:2^%u", name, size_class(root, disk));
	return n < KNEE_ID_LEN ? 0 : -ENOENT;
}

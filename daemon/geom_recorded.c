// SPDX-License-Identifier: GPL-2.0-or-later
/* Geometries recorded as text, for a fake root: no device is opened. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/geom_raw.h"

struct recorded {
	char type[8];
	struct geom_xfs_raw xfs;
	struct geom_ext4_raw ext4;
};

/* The places of a key: the two types share some. */
struct place {
	const char *key;
	size_t offset;
};

#define XFS(k)                                       \
	{                                            \
#k, offsetof(struct recorded, xfs.k) \
	}
#define EXT4(k)                                       \
	{                                             \
#k, offsetof(struct recorded, ext4.k) \
	}

static const struct place places[] = {
	XFS(blocksize),         XFS(inodesize),
	XFS(agblocks),          XFS(agcount),
	EXT4(blocksize),        EXT4(blocks),
	EXT4(first_data_block), EXT4(blocks_per_group),
	EXT4(inodes_per_group), EXT4(log_groups_per_flex),
};

static int set_key(struct recorded *r, const char *key, const char *value)
{
	unsigned long long v;
	bool known = false;
	char *end;

	if (strcmp(key, "type") == 0)
		return snprintf(r->type, sizeof(r->type), "%s", value) <
				       (int)sizeof(r->type)
			       ? 0
			       : -EINVAL;
	errno = 0;
	v = strtoull(value, &end, 10);
	if (errno || end == value || *end || *value == '-')
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		uint64_t number = v;

		if (strcmp(places[i].key, key) != 0)
			continue;
		memcpy((char *)r + places[i].offset, &number, sizeof(number));
		known = true;
	}
	return known ? 0 : -EINVAL;
}

static int parse(FILE *f, struct recorded *r)
{
	char line[128];

	while (fgets(line, sizeof(line), f)) {
		char *eq;
		int e;

		if (!strchr(line, '\n'))
			return -EINVAL;
		*strchr(line, '\n') = '\0';
		if (line[0] == '#' || line[0] == '\0')
			continue;
		eq = strchr(line, '=');
		if (!eq)
			return -EINVAL;
		*eq = '\0';
		e = set_key(r, line, eq + 1);
		if (e < 0)
			return e;
	}
	return ferror(f) ? -EIO : 0;
}

int geom_read_recorded(const char *path, bool inode32, struct geom *ret)
{
	struct recorded r = {.xfs.inode32 = inode32};
	FILE *f CLEANUP(cleanup_fclosep) = fopen(path, "re");
	int e;

	if (!f)
		return -errno;
	e = parse(f, &r);
	if (e < 0)
		return e;
	if (strcmp(r.type, "xfs") == 0)
		return geom_set_xfs(&r.xfs, ret);
	if (strcmp(r.type, "ext4") == 0)
		return geom_set_ext4(&r.ext4, ret);
	return -EINVAL;
}

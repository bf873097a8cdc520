// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * File systems with a device number of their own (0:N) that span several disks:
 * btrfs, found in /sys/fs/btrfs by any of its members, and bcachefs, whose mount
 * source lists them.
 */
#include <limits.h>
#include <string.h>

#include "daemon/fsys_int.h"

#define VOLUMES 1024 /* of btrfs on one machine */

static size_t btrfs_of(const char *root, const char *member, char (*ret)[SYSFS_NAME],
		       char *bdi, size_t bdi_len)
{
	char link[PATH_MAX];
	char(*uuid)[SYSFS_NAME];
	size_t n, found = 0;

	uuid = calloc(VOLUMES, sizeof(*uuid));
	if (!uuid)
		return 0;
	n = sysfs_list(root, uuid, VOLUMES, "sys/fs/btrfs");
	for (size_t i = 0; i < n && !found; i++) {
		const char *slash;

		if (!sysfs_exists(root, "sys/fs/btrfs/%s/devices/%s", uuid[i], member))
			continue;
		found = sysfs_list(root, ret, FSYS_MEMBERS, "sys/fs/btrfs/%s/devices",
				   uuid[i]);
		if (sysfs_link(root, link, sizeof(link), "sys/fs/btrfs/%s/bdi", uuid[i]) <
		    0)
			continue;
		slash = strrchr(link, '/');
		snprintf(bdi, bdi_len, "%s", slash ? slash + 1 : link);
	}
	free(uuid);
	return found;
}

/* The only bdi of bcachefs: with two of them sysfs does not say which is whose. */
static void only_bcachefs_bdi(const char *root, char *bdi, size_t bdi_len)
{
	char names[256][SYSFS_NAME];
	size_t n = sysfs_list(root, names, ARRAY_SIZE(names), "sys/class/bdi");
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (strncmp(names[i], "bcachefs-", 9) != 0)
			continue;
		if (found)
			return;
		found = names[i];
	}
	if (found)
		snprintf(bdi, bdi_len, "%s", found);
}

/* "/dev/sda:/dev/sdb" */
static size_t bcachefs_of(const char *root, const char *source, char (*ret)[SYSFS_NAME],
			  char *bdi, size_t bdi_len)
{
	char *copy CLEANUP(cleanup_freep) = strdup(source);
	char *save = NULL;
	size_t n = 0;

	if (!copy)
		return 0;
	for (const char *p = strtok_r(copy, ":", &save); p && n < FSYS_MEMBERS;
	     p = strtok_r(NULL, ":", &save))
		n += fsys_bdev_of_source(root, p, ret[n]) == 0;
	if (n)
		only_bcachefs_bdi(root, bdi, bdi_len);
	return n;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

size_t fsys_members(const char *root, const char *type, const char *source,
		    char (*ret)[SYSFS_NAME], char *bdi, size_t bdi_len)
{
	char member[SYSFS_NAME];
	size_t n = 0;

	if (strcmp(type, "bcachefs") == 0)
		n = bcachefs_of(root, source, ret, bdi, bdi_len);
	else if (strcmp(type, "btrfs") == 0 &&
		 fsys_bdev_of_source(root, source, member) == 0)
		n = btrfs_of(root, member, ret, bdi, bdi_len);
	qsort(ret, n, SYSFS_NAME, by_name);
	return n;
}

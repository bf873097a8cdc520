// SPDX-License-Identifier: GPL-2.0-or-later
/* From what a configuration calls a device to the kernel's name of it. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/fsys_int.h"

static int by_node(const char *path, char *ret)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return S_ISBLK(st.st_mode) ? fsys_bdev_name("", st.st_rdev, ret) : -ENOTBLK;
}

/* Follows links below @root only; what they end at is named like the device. */
static int by_fake_link(const char *root, const char *path, char *ret)
{
	char full[PATH_MAX], real[PATH_MAX], top[PATH_MAX];
	size_t n;

	if (snprintf(full, sizeof(full), "%s%s", root, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!realpath(root, top) || !realpath(full, real))
		return fsys_bdev_of_source(root, path, ret);
	n = strlen(top);
	if (strncmp(real, top, n) != 0 || real[n] != '/')
		return -ENOENT;
	return fsys_bdev_of_source(root, real + n, ret);
}

int fsys_device_name(const char *root, const char *match, char *ret)
{
	dev_t dev;

	if (match[0] == '/')
		return root[0] ? by_fake_link(root, match, ret) : by_node(match, ret);
	if (sysfs_parse_devno(match, &dev) == 0)
		return fsys_bdev_name(root, dev, ret);
	if (!sysfs_name_ok(match) || !sysfs_exists(root, "sys/class/block/%s", match))
		return -ENOENT;
	strcpy(ret, match);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a file system to its backing device, through sysfs alone.
 *
 * Snapshots: LVM's old-style snapshot is a dm device that lies upon one called
 * VG-LV-cow, which sysfs shows (slaves/N/dm/name).  Not to be told from sysfs: a thin
 * snapshot (it is a thin volume like any other, and written like any other), a
 * dm-snapshot made by hand under other names, and a snapshot that an array or a
 * hypervisor presents as a plain disk.  While a snapshot is being merged, its origin
 * lies upon the -cow device too and is taken for one: the safe side.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/fsys_int.h"

static void base_name(const char *path, char *ret)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	ret[0] = '\0';
	if (sysfs_name_ok(name))
		strcpy(ret, name);
}

int fsys_bdev_name(const char *root, dev_t dev, char *ret)
{
	char link[PATH_MAX], name[SYSFS_NAME];
	int r;

	r = sysfs_link(root, link, sizeof(link), "sys/dev/block/%u:%u", major(dev),
		       minor(dev));
	if (r < 0)
		return r;
	base_name(link, name);
	if (!name[0])
		return -ENOENT;
	strcpy(ret, name);
	return 0;
}

/* "/dev/mapper/vg-root" -> "dm-0": the nodes there are named after dm/name. */
static int dm_by_name(const char *root, const char *dm, char *ret)
{
	char names[256][SYSFS_NAME], found[256];
	size_t n = sysfs_list(root, names, ARRAY_SIZE(names), "sys/class/block");

	for (size_t i = 0; i < n; i++) {
		if (strncmp(names[i], "dm-", 3) != 0)
			continue;
		if (sysfs_read(root, found, sizeof(found), "sys/class/block/%s/dm/name",
			       names[i]) > 0 &&
		    strcmp(found, dm) == 0) {
			strcpy(ret, names[i]);
			return 0;
		}
	}
	return -ENOENT;
}

int fsys_bdev_of_source(const char *root, const char *source, char *ret)
{
	char name[SYSFS_NAME];

	if (strncmp(source, "/dev/", 5) != 0)
		return -ENOENT;
	if (strncmp(source, "/dev/mapper/", 12) == 0)
		return dm_by_name(root, source + 12, ret);
	base_name(source, name);
	if (!name[0] || !sysfs_exists(root, "sys/class/block/%s", name))
		return -ENOENT;
	strcpy(ret, name);
	return 0;
}

/* The whole disk of the partition @name, or @name itself. */
static void disk_of(const char *root, const char *name, char *ret)
{
	char link[PATH_MAX], *slash;

	strcpy(ret, name);
	if (!sysfs_exists(root, "sys/class/block/%s/partition", name) ||
	    sysfs_link(root, link, sizeof(link), "sys/class/block/%s", name) < 0)
		return;
	slash = strrchr(link, '/'); /* .../block/sda/sda1 */
	if (!slash)
		return;
	*slash = '\0';
	base_name(link, ret);
}

/* Lesser of two limits, where 0 is unknown. */
static uint32_t lesser(uint32_t a, uint64_t b)
{
	if (b > UINT32_MAX)
		b = UINT32_MAX;
	return a == 0 || (b && b < a) ? (uint32_t)b : a;
}

/* Adds the disk of device @name to what is known of @b. */
static void add_disk(const struct fsys_scan_ctx *x, struct bdev *b, const char *name)
{
	const char *root = x->root;
	char disk[SYSFS_NAME];
	uint64_t v;
	int rot;

	disk_of(root, name, disk);
	if (!b->name[0])
		strcpy(b->name, disk);
	/* One disk that turns decides for all; else one that is unknown does. */
	rot = fsys_rotational(x, disk);
	if (rot == 1 || (rot == -1 && b->rotational != 1))
		b->rotational = rot;
	if (sysfs_u64(root, &v, "sys/class/block/%s/queue/nr_requests", disk) == 0)
		b->queue_depth = lesser(b->queue_depth, v);
	if (sysfs_u64(root, &v, "sys/class/block/%s/queue/max_sectors_kb", disk) == 0)
		b->max_io_kb = lesser(b->max_io_kb, v);
	if (sysfs_u64(root, &v, "sys/class/block/%s/removable", disk) == 0 && v)
		b->removable = true;
}

static void add_member(struct bdev *b, const char *name)
{
	size_t n = strlen(b->members);

	if (n + strlen(name) + 2 > sizeof(b->members))
		return;
	snprintf(b->members + n, sizeof(b->members) - n, "%s%s", n ? " " : "", name);
}

static bool on_dm_cow(const char *root, const char *disk)
{
	char slaves[FSYS_MEMBERS][SYSFS_NAME], name[256];
	size_t n =
		sysfs_list(root, slaves, FSYS_MEMBERS, "sys/class/block/%s/slaves", disk);

	if (!sysfs_exists(root, "sys/class/block/%s/dm", disk))
		return false;
	for (size_t i = 0; i < n; i++) {
		int len = sysfs_read(root, name, sizeof(name),
				     "sys/class/block/%s/dm/name", slaves[i]);

		if (len > 4 && strcmp(name + len - 4, "-cow") == 0)
			return true;
	}
	return false;
}

static void find_multi(const struct fsys_scan_ctx *x, struct fsys *f)
{
	char names[FSYS_MEMBERS][SYSFS_NAME];
	size_t n = fsys_members(x->root, f->type, f->source, names, f->bdev.bdi,
				sizeof(f->bdev.bdi));

	if (n)
		f->bdev.rotational = 0;
	for (size_t i = 0; i < n; i++) {
		add_disk(x, &f->bdev, names[i]);
		add_member(&f->bdev, names[i]);
	}
	if (n)
		strcpy(f->device, names[0]);
}

void fsys_find_bdev(const struct fsys_scan_ctx *x, struct fsys *f)
{
	char link[PATH_MAX], name[SYSFS_NAME];

	f->bdev = (struct bdev){.rotational = -1};
	if (strcmp(f->type, "btrfs") == 0 || strcmp(f->type, "bcachefs") == 0) {
		find_multi(x, f);
		if (f->bdev.name[0])
			return;
	}
	if (major(f->dev) == 0 || fsys_bdev_name(x->root, f->dev, name) < 0)
		return;
	strcpy(f->device, name);
	f->bdev.rotational = 0;
	add_disk(x, &f->bdev, name);
	if (sysfs_link(x->root, link, sizeof(link), "sys/class/block/%s/bdi",
		       f->bdev.name) > -1) {
		base_name(link, name);
		snprintf(f->bdev.bdi, sizeof(f->bdev.bdi), "%.39s", name);
	}
	f->snapshot |= on_dm_cow(x->root, f->bdev.name);
}

bool fsys_on_device(const struct fsys *f, const char *name)
{
	size_t len = strlen(name);

	if (!len || strchr(name, ' ')) /* it separates the members */
		return false;
	if (strcmp(name, f->device) == 0 || strcmp(name, f->bdev.name) == 0)
		return true;
	for (const char *p = f->bdev.members; (p = strstr(p, name)) != NULL; p += len)
		if ((p == f->bdev.members || p[-1] == ' ') &&
		    (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

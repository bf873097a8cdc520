// SPDX-License-Identifier: GPL-2.0-or-later
/* Discovery against fake roots: devices, mount points, hostile names. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "daemon/fsys.h"
#include "tests/unit/fake_root.h"

static struct fsys_table *scan(struct fake_root *r)
{
	struct fsys_table *t = NULL;

	assert_int_equal(fsys_scan(fake_root_path(r), &t), 0);
	for (size_t i = 1; i < t->n; i++)
		assert_true(t->v[i - 1]->dev < t->v[i]->dev);
	return t;
}

static const struct fsys *at(const struct fsys_table *t, unsigned maj, unsigned min)
{
	const struct fsys *f = fsys_find(t, makedev(maj, min));

	assert_non_null(f);
	return f;
}

static void test_partition(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;
	const struct fsys *f;

	fake_disk(r, "nvme0n1", "259:0", 0);
	fake_partition(r, "nvme0n1", "nvme0n1p2", "259:2");
	fake_mount(r, "30 1 259:2 / /srv rw,noatime shared:1 - xfs /dev/nvme0n1p2 "
		      "rw,attr2,inode64,rtdev=/dev/sdz");
	fake_file(
		r, "geometry/259:2",
		"type=xfs\nblocksize=4096\ninodesize=512\nagblocks=131072\nagcount=8\n");
	t = scan(r);
	f = at(t, 259, 2);
	assert_string_equal(f->device, "nvme0n1p2");
	assert_string_equal(f->bdev.name, "nvme0n1");
	assert_string_equal(f->bdev.bdi, "259:0");
	assert_int_equal(f->bdev.rotational, 0);
	assert_int_equal(f->bdev.queue_depth, 256);
	assert_int_equal(f->bdev.max_io_kb, 1280);
	assert_false(f->bdev.removable);
	assert_string_equal(f->target, "/srv");
	assert_string_equal(f->type, "xfs");
	assert_int_equal(f->mnt_id, 30);
	assert_int_equal(f->class, FSYS_LOCAL);
	assert_true(f->has_realtime);
	assert_false(f->readonly);
	assert_false(f->snapshot);
	assert_int_equal(f->geom.kind, GEOM_XFS);
	assert_int_equal(f->geom.groups, 8);
	assert_null(f->geom_error);
	fsys_table_free(t);
}

static void test_no_geometry(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	fake_disk(r, "sdb", "8:16", 0);
	fake_mount(r, "30 1 8:16 / /b rw - ext4 /dev/sdb rw");
	fake_disk(r, "sdc", "8:32", 0);
	fake_mount(r, "31 1 8:32 / /c rw - f2fs /dev/sdc rw");
	fake_disk(r, "sdd", "8:48", 0);
	fake_mount(r, "32 1 8:48 / /d rw - ext4 /dev/sdd rw");
	fake_file(r, "geometry/8:48", "type=ext4\nblocksize=77\n");
	t = scan(r);
	assert_int_equal(at(t, 8, 16)->geom.kind, GEOM_HASH);
	assert_non_null(strstr(at(t, 8, 16)->geom_error, "sdb"));
	assert_non_null(strstr(at(t, 8, 48)->geom_error, "makes no sense"));
	/* f2fs has no groups: nothing went wrong. */
	assert_int_equal(at(t, 8, 32)->geom.groups, GEOM_BUCKETS);
	assert_null(at(t, 8, 32)->geom_error);
	fsys_table_free(t);
}

static void test_rotation(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	fake_disk(r, "sda", "8:0", 1);
	fake_partition(r, "sda", "sda1", "8:1");
	fake_disk(r, "sdb", "8:16", 0);
	/* dm over a fast and a slow one: slow, even if its own flag does not say so. */
	fake_disk(r, "dm-0", "253:0", 0);
	fake_slave(r, "dm-0", "sdb");
	fake_slave(r, "dm-0", "sda1");
	fake_mount(r, "30 1 253:0 / /dm rw - xfs /dev/mapper/v rw");
	fake_disk(r, "dm-1", "253:1", 0);
	fake_slave(r, "dm-1", "sdb");
	fake_mount(r, "31 1 253:1 / /fast rw - xfs /dev/mapper/w rw");
	/* A loop whose file is on the slow root, on the fast one, on tmpfs, nowhere. */
	for (int i = 0; i < 4; i++) {
		static const char *const file[] = {"/var/x", "/fast/x", "/shm/x", "?"};
		char name[8], dev[8], path[64];

		snprintf(name, sizeof(name), "loop%d", i);
		snprintf(dev, sizeof(dev), "7:%d", i);
		fake_disk(r, name, dev, 0);
		snprintf(path, sizeof(path), "sys/class/block/%s/loop/backing_file",
			 name);
		fake_file(r, path, "%s\n", file[i]);
		fake_mount(r, "%d 1 %s / /l%d rw - ext4 /dev/%s rw", 40 + i, dev, i,
			   name);
	}
	fake_mount(r, "50 1 0:50 / /shm rw - tmpfs tmpfs rw");
	/* A disk that says nothing. */
	fake_link(r, "sys/dev/block/9:9", "../../devices/block/what");
	fake_mount(r, "51 1 9:9 / /what rw - ext4 /dev/what rw");
	t = scan(r);
	assert_int_equal(at(t, 8, 1)->bdev.rotational, 1);
	assert_int_equal(at(t, 253, 0)->bdev.rotational, 1);
	assert_int_equal(at(t, 253, 1)->bdev.rotational, 0);
	assert_int_equal(at(t, 7, 0)->bdev.rotational, 1);
	assert_int_equal(at(t, 7, 1)->bdev.rotational, 0);
	assert_int_equal(at(t, 7, 2)->bdev.rotational, 0);
	assert_int_equal(at(t, 7, 3)->bdev.rotational, 0);
	assert_int_equal(at(t, 9, 9)->bdev.rotational, -1);
	fsys_table_free(t);
}

/* Devices that lie upon each other in a circle must not hold the scan up. */
static void test_circle(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	fake_disk(r, "dm-0", "253:0", 0);
	fake_disk(r, "loop0", "7:0", 0);
	fake_slave(r, "dm-0", "loop0");
	fake_slave(r, "dm-0", "dm-0");
	fake_file(r, "sys/class/block/loop0/loop/backing_file", "/dm/x\n");
	fake_mount(r, "30 1 253:0 / /dm rw - xfs /dev/mapper/v rw");
	t = scan(r);
	assert_int_equal(at(t, 253, 0)->bdev.rotational, 0);
	fsys_table_free(t);
}

static void test_snapshot(void **state)
{
	static const char *const dm[] = {"vg-home", "vg-snap", "vg-home-real",
					 "vg-snap-cow"};
	struct fake_root *r = *state;
	struct fsys_table *t;

	for (unsigned i = 0; i < ARRAY_SIZE(dm); i++) {
		char name[8], dev[8], path[64];

		snprintf(name, sizeof(name), "dm-%u", i);
		snprintf(dev, sizeof(dev), "253:%u", i);
		fake_disk(r, name, dev, 0);
		snprintf(path, sizeof(path), "sys/class/block/%s/dm/name", name);
		fake_file(r, path, "%s\n", dm[i]);
	}
	fake_slave(r, "dm-0", "dm-2");
	fake_slave(r, "dm-1", "dm-2");
	fake_slave(r, "dm-1", "dm-3");
	fake_mount(r, "30 1 253:0 / /home rw - ext4 /dev/mapper/vg-home rw");
	fake_mount(r, "31 1 253:1 / /snap rw - ext4 /dev/mapper/vg-snap rw");
	fake_disk(r, "sdb", "8:16", 0);
	fake_mount(r, "32 1 8:16 / /x rw - xfs /dev/sdb rw,nouuid,attr2");
	fake_disk(r, "sdc", "8:32", 0);
	fake_mount(r, "33 1 8:32 / /y ro - xfs /dev/sdc ro,norecovery");
	fake_disk(r, "sdd", "8:48", 0);
	fake_mount(r, "34 1 8:48 / /z ro,relatime - xfs /dev/sdd rw,nouuidx,rox=1");
	t = scan(r);
	assert_false(at(t, 253, 0)->snapshot);
	assert_true(at(t, 253, 1)->snapshot);
	assert_true(at(t, 8, 16)->snapshot);
	assert_true(at(t, 8, 32)->snapshot);
	assert_true(at(t, 8, 32)->readonly);
	/* A read-only mount of a writable superblock is not read-only. */
	assert_false(at(t, 8, 48)->readonly);
	assert_false(at(t, 8, 48)->snapshot);
	fsys_table_free(t);
}

static void test_btrfs(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;
	const struct fsys *f;

	fake_disk(r, "sdb", "8:16", 0);
	fake_disk(r, "sdc", "8:32", 1);
	fake_partition(r, "sdc", "sdc1", "8:33");
	fake_link(r, "sys/fs/btrfs/uuid-1/bdi", "../../../devices/virtual/bdi/btrfs-7");
	fake_link(r, "sys/fs/btrfs/uuid-1/devices/sdb", "../../../../devices/block/sdb");
	fake_link(r, "sys/fs/btrfs/uuid-1/devices/sdc1", "../../../../devices/block/sdc");
	fake_file(r, "sys/fs/btrfs/features/acl", "0\n");
	fake_mount(r, "30 1 0:40 /sub/a /very/short rw - btrfs /dev/sdb rw,subvol=/sub");
	fake_mount(r, "31 1 0:40 / /the/whole/of/it rw - btrfs /dev/sdb rw,subvol=/");
	t = scan(r);
	f = at(t, 0, 40);
	assert_string_equal(f->bdev.bdi, "btrfs-7");
	assert_string_equal(f->bdev.members, "sdb sdc1");
	assert_int_equal(f->bdev.rotational, 1);
	assert_string_equal(f->target, "/the/whole/of/it");
	assert_int_equal(f->class, FSYS_LOCAL);
	assert_int_equal(f->geom.kind, GEOM_HASH);
	assert_true(fsys_on_device(f, "sdc1"));
	assert_false(fsys_on_device(f, "sdc"));
	fsys_table_free(t);
}

static void test_bcachefs(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	fake_disk(r, "sdb", "8:16", 0);
	fake_disk(r, "sdc", "8:32", 0);
	fake_file(r, "sys/class/bdi/bcachefs-1/read_ahead_kb", "128\n");
	fake_mount(r, "30 1 0:41 / /b rw - bcachefs /dev/sdb:/dev/sdc rw");
	t = scan(r);
	assert_string_equal(at(t, 0, 41)->bdev.members, "sdb sdc");
	assert_string_equal(at(t, 0, 41)->bdev.bdi, "bcachefs-1");
	fsys_table_free(t);
	/* With two of them, whose bdi is whose cannot be told. */
	fake_file(r, "sys/class/bdi/bcachefs-2/read_ahead_kb", "128\n");
	t = scan(r);
	assert_string_equal(at(t, 0, 41)->bdev.bdi, "");
	assert_string_equal(at(t, 0, 41)->bdev.name, "sdb");
	fsys_table_free(t);
}

static void test_classes(void **state)
{
	static const struct {
		const char *type;
		enum fsys_class class;
	} t[] = {
		{"nfs4", FSYS_NETWORK},     {"cifs", FSYS_NETWORK},
		{"ceph", FSYS_NETWORK},     {"9p", FSYS_NETWORK},
		{"virtiofs", FSYS_NETWORK}, {"fuse", FSYS_FUSE},
		{"fuse.sshfs", FSYS_FUSE},  {"fuseblk", FSYS_FUSE},
		{"overlay", FSYS_STACKED},  {"ecryptfs", FSYS_STACKED},
		{"tmpfs", FSYS_MEMORY},     {"ramfs", FSYS_MEMORY},
		{"hugetlbfs", FSYS_MEMORY}, {"zfs", FSYS_OTHER},
		{"newfangled", FSYS_OTHER},
	};
	static const char *const hidden[] = {"proc",    "sysfs",   "cgroup2", "devtmpfs",
					     "tracefs", "fusectl", "bpf",     "autofs"};
	struct fake_root *r = *state;
	struct fsys_table *table;

	for (unsigned i = 0; i < ARRAY_SIZE(t); i++)
		fake_mount(r, "%u 1 0:%u / /m%u rw - %s src rw", 10 + i, 10 + i, i,
			   t[i].type);
	for (unsigned i = 0; i < ARRAY_SIZE(hidden); i++)
		fake_mount(r, "%u 1 0:%u / /h%u rw - %s src rw", 50 + i, 50 + i, i,
			   hidden[i]);
	table = scan(r);
	for (unsigned i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(at(table, 0, 10 + i)->class, t[i].class);
	assert_int_equal(table->n, ARRAY_SIZE(t) + 1);
	fsys_table_free(table);
}

/* One superblock, many mounts: a whole one, not a bind; short; not hidden. */
static void test_mount_point(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	fake_mount(r, "10 1 8:16 /dir /b rw - xfs /dev/sdb rw");
	fake_mount(r, "11 1 8:16 / /long/way rw - xfs /dev/sdb rw");
	fake_mount(r, "12 1 8:16 / /way rw - xfs /dev/sdb rw");
	/* Of these the shortest lies under another mount. */
	fake_mount(r, "20 1 8:32 / /c rw - xfs /dev/sdc rw");
	fake_mount(r, "21 1 8:32 / /c-too rw - xfs /dev/sdc rw");
	fake_mount(r, "22 20 0:99 / /c rw - tmpfs t rw");
	/* Both whole ones are hidden, the bind is not. */
	fake_mount(r, "30 1 8:48 / /d/x rw - xfs /dev/sdd rw");
	fake_mount(r, "31 1 8:48 /dir /dir rw - xfs /dev/sdd rw");
	fake_mount(r, "32 1 8:48 / /d/y rw - xfs /dev/sdd rw");
	fake_mount(r, "33 1 0:98 / /d rw - tmpfs t rw");
	/* Hidden, but the only one: still shown. */
	fake_mount(r, "40 1 8:64 / /e rw - xfs /dev/sde rw");
	fake_mount(r, "41 40 0:97 / /e rw - tmpfs t rw");
	/* A neighbour with the same beginning hides nothing. */
	fake_mount(r, "50 1 8:80 / /fa/s rw - xfs /dev/sdf rw");
	fake_mount(r, "51 1 8:80 / /f-long-way rw - xfs /dev/sdf rw");
	fake_mount(r, "52 1 0:96 / /f rw - tmpfs t rw");
	/* Mounted again within what hides the first: visible. */
	fake_mount(r, "60 33 8:96 / /d/x rw - xfs /dev/sdg rw");
	t = scan(r);
	assert_string_equal(at(t, 8, 16)->target, "/way");
	assert_int_equal(at(t, 8, 16)->mnt_id, 12);
	assert_string_equal(at(t, 8, 32)->target, "/c-too");
	assert_string_equal(at(t, 8, 48)->target, "/dir");
	assert_string_equal(at(t, 8, 64)->target, "/e");
	assert_string_equal(at(t, 8, 80)->target, "/fa/s");
	assert_string_equal(at(t, 8, 96)->target, "/d/x");
	fsys_table_free(t);
}

static void test_hostile_names(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;
	char name[4096];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	fake_mount(r,
		   "10 1 0:10 / /a\\040b\\012c\\011d\\134e\\043 rw - tmpfs t\\040u rw");
	fake_mount(r, "11 1 0:11 / /\xff\xfe\x80\x1b[2J rw - tmpfs \xff rw");
	fake_mount(r, "12 1 0:12 / /%s rw - tmpfs t rw", name);
	fake_mount(r, "13 1 0:13 / /ok rw - tmpfs t rw,size=%s", name);
	fake_mount(r, "14 1 0:14 / /%%s%%n rw - tmpfs %%n rw");
	t = scan(r);
	assert_string_equal(at(t, 0, 10)->target, "/a b\nc\td\\e#");
	assert_string_equal(at(t, 0, 11)->target, "/\xff\xfe\x80\x1b[2J");
	assert_string_equal(at(t, 0, 12)->target + 1, name);
	assert_string_equal(at(t, 0, 13)->sb_options + 8, name);
	assert_string_equal(at(t, 0, 14)->target, "/%s%n");
	fsys_table_free(t);
}

/* Lines that are no mountinfo lines are left out, and the rest still counts. */
static void test_garbage(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	fake_mount(r, "garbage");
	fake_mount(r, "10 1 0:10 / /a rw");
	fake_mount(r, "11 1 99999999999999:1 / /b rw - tmpfs t rw");
	fake_mount(r, "12 12 0:12 / /c rw - tmpfs t rw");
	fake_mount(r, "13 14 0:13 / /d rw - tmpfs t rw");
	fake_mount(r, "14 13 0:14 / /d rw - tmpfs t rw");
	fake_mount(r, "15 1 0:15 / /good rw - tmpfs t rw");
	t = scan(r);
	assert_string_equal(at(t, 0, 15)->target, "/good");
	fsys_table_free(t);
}

/* Device names that would lead out of sysfs. */
static void test_hostile_devices(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	fake_link(r, "sys/dev/block/8:16", "../../..");
	fake_mount(r, "10 1 8:16 / /a rw - xfs /dev/.. rw");
	fake_mount(r, "11 1 0:50 / /b rw - btrfs /dev/../../etc rw");
	fake_mount(r, "12 1 0:51 / /c rw - bcachefs /dev/..:/dev/:: rw");
	fake_mount(r, "13 1 8:48 / /d rw - ext4 /dev/mapper/../x rw");
	t = scan(r);
	assert_string_equal(at(t, 8, 16)->bdev.name, "");
	assert_string_equal(at(t, 0, 50)->bdev.name, "");
	assert_string_equal(at(t, 0, 51)->bdev.name, "");
	assert_string_equal(at(t, 8, 48)->bdev.name, "");
	fsys_table_free(t);
}

static void test_many(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;

	for (int i = 0; i < 500; i++)
		fake_mount(r, "%d 1 0:%d / /m/%d rw - tmpfs t rw", 10 + i, 10 + i, i);
	fake_disk(r, "sdb", "8:16", 0);
	for (int i = 0; i < 500; i++)
		fake_mount(r, "%d 1 8:16 /d%d /bind/%d rw - ext4 /dev/sdb rw", 1000 + i,
			   i, i);
	t = scan(r);
	assert_int_equal(t->n, 502);
	assert_string_equal(at(t, 8, 16)->target, "/bind/0");
	fsys_table_free(t);
}

static void test_steal(void **state)
{
	struct fake_root *r = *state;
	struct fsys_table *t;
	struct fsys *f;

	fake_mount(r, "10 1 0:10 / /a rw - tmpfs t rw");
	t = scan(r);
	assert_int_equal(t->n, 2);
	f = fsys_steal(t, 0);
	assert_string_equal(f->target, "/a");
	assert_int_equal(t->n, 1);
	assert_null(fsys_find(t, makedev(0, 10)));
	assert_non_null(fsys_find(t, makedev(8, 1)));
	fsys_free(f);
	fsys_table_free(t);
}

static void test_no_mountinfo(void **state)
{
	struct fsys_table *t = NULL;

	(void)state;
	assert_int_equal(fsys_scan("/nonexistent", &t), -ENOENT);
	assert_null(t);
	assert_null(fsys_table_free(NULL));
	assert_null(fsys_free(NULL));
}

static void test_device_name(void **state)
{
	struct fake_root *r = *state;
	const char *root;
	char name[64] = "untouched";

	fake_disk(r, "nvme0n1", "259:0", 0);
	fake_partition(r, "nvme0n1", "nvme0n1p2", "259:2");
	fake_file(r, "dev/nvme0n1p2", "%s", "");
	fake_link(r, "dev/disk/by-label/data", "../../nvme0n1p2");
	fake_link(r, "dev/disk/by-label/evil", "/etc/passwd");
	fake_disk(r, "dm-3", "253:3", 0);
	fake_file(r, "sys/class/block/dm-3/dm/name", "vg-root\n");
	root = fake_root_path(r);
	assert_int_equal(fsys_device_name(root, "sdx", name), -ENOENT);
	assert_int_equal(fsys_device_name(root, "..", name), -ENOENT);
	assert_int_equal(fsys_device_name(root, "9:9", name), -ENOENT);
	assert_true(fsys_device_name(root, "/dev/disk/by-label/evil", name) < 0);
	assert_string_equal(name, "untouched");
	assert_int_equal(fsys_device_name(root, "/dev/disk/by-label/data", name), 0);
	assert_string_equal(name, "nvme0n1p2");
	assert_int_equal(fsys_device_name(root, "259:0", name), 0);
	assert_string_equal(name, "nvme0n1");
	assert_int_equal(fsys_device_name(root, "/dev/mapper/vg-root", name), 0);
	assert_string_equal(name, "dm-3");
	assert_int_equal(fsys_device_name(root, "nvme0n1p2", name), 0);
	assert_string_equal(name, "nvme0n1p2");
}

static ino_t inode_of(const struct fake_root *r, const char *path)
{
	char full[128];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", r->path, path);
	assert_int_equal(stat(full, &st), 0);
	return st.st_ino;
}

static void test_swap(void **state)
{
	struct fake_root *r = *state;
	struct fsys_inode v[4];
	const char *root;

	assert_int_equal(fsys_swap_inodes(fake_root_path(r), v, 4), 0);
	fake_file(r, "proc/swaps",
		  "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
		  "/swap\\040file                          file\t\t1024\t\t0\t\t-2\n"
		  "/dev/loop0                              partition\t1024\t\t0\t\t-3\n"
		  "/dev/dm-0                               partition\t1024\t\t0\t\t-4\n"
		  "/dev/sdb                                partition\t1024\t\t0\t\t-5\n"
		  "/gone                                   file\t\t1024\t\t0\t\t-6\n");
	fake_file(r, "swap file", "x");
	fake_file(r, "images/a", "x");
	fake_file(r, "images/b", "x");
	fake_disk(r, "sdb", "8:16", 0);
	fake_disk(r, "loop0", "7:0", 0);
	fake_file(r, "sys/class/block/loop0/loop/backing_file", "/images/a\n");
	fake_disk(r, "loop1", "7:1", 0);
	fake_file(r, "sys/class/block/loop1/loop/backing_file", "/images/b\n");
	fake_disk(r, "dm-0", "253:0", 0);
	fake_slave(r, "dm-0", "loop1");
	fake_mount(r, "10 1 0:44 / /images rw - btrfs /dev/sdb rw");
	root = fake_root_path(r);
	assert_int_equal(fsys_swap_inodes(root, v, 4), 3);
	assert_int_equal(v[0].dev, makedev(8, 1));
	assert_int_equal(v[0].ino, inode_of(r, "/swap file"));
	assert_int_equal(v[1].dev, makedev(0, 44));
	assert_int_equal(v[1].ino, inode_of(r, "/images/a"));
	assert_int_equal(v[2].dev, makedev(0, 44));
	assert_int_equal(v[2].ino, inode_of(r, "/images/b"));
	/* No room is no error. */
	assert_int_equal(fsys_swap_inodes(root, v, 1), 1);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, fake_root_setup, fake_root_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_partition),     T(test_no_geometry), T(test_rotation),
		T(test_circle),        T(test_snapshot),    T(test_btrfs),
		T(test_bcachefs),      T(test_classes),     T(test_mount_point),
		T(test_hostile_names), T(test_garbage),     T(test_hostile_devices),
		T(test_many),          T(test_steal),       T(test_no_mountinfo),
		T(test_device_name),   T(test_swap),
	};

	return cmocka_run_group_tests_name("fsys", tests, NULL, NULL);
}

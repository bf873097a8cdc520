// SPDX-License-Identifier: GPL-2.0-or-later
/* A fake root of files and links in memory, for what reads below a root. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/fake_root.h"

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	(void)type;
	(void)f;
	return remove(path);
}

static void make_parents(const char *path)
{
	char dir[PATH_MAX];

	for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(p - path), path);
		if (mkdir(dir, 0755) < 0)
			assert_int_equal(errno, EEXIST);
	}
}

static FILE *create(const struct fake_root *r, const char *path)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", r->path, path);
	make_parents(full);
	f = fopen(full, "we");
	assert_non_null(f);
	return f;
}

int fake_root_setup(void **state)
{
	struct fake_root *r = calloc(1, sizeof(*r));

	if (!r)
		return -1;
	/* On a disk, a file that is written anew a thousand times is so slowly. */
	strcpy(r->path, access("/dev/shm", W_OK) == 0 ? "/dev/shm/wb-fake.XXXXXX"
						      : "/tmp/wb-fake.XXXXXX");
	if (!mkdtemp(r->path))
		return -1;
	r->mountinfo = create(r, "proc/self/mountinfo");
	fake_mount(r, "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw");
	*state = r;
	return 0;
}

int fake_root_teardown(void **state)
{
	struct fake_root *r = *state;

	if (fclose(r->mountinfo) != 0 ||
	    nftw(r->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) < 0)
		return -1;
	free(r);
	return 0;
}

void fake_file(const struct fake_root *r, const char *path, const char *fmt, ...)
{
	FILE *f = create(r, path);
	va_list ap;

	va_start(ap, fmt);
	assert_true(vfprintf(f, fmt, ap) >= 0);
	va_end(ap);
	assert_int_equal(fclose(f), 0);
}

void fake_link(const struct fake_root *r, const char *path, const char *target)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", r->path, path);
	make_parents(full);
	assert_int_equal(symlink(target, full), 0);
}

void fake_disk(const struct fake_root *r, const char *name, const char *dev,
	       int rotational)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/devices/block/%s/queue/rotational", name);
	fake_file(r, path, "%d\n", rotational);
	snprintf(path, sizeof(path), "sys/devices/block/%s/queue/nr_requests", name);
	fake_file(r, path, "256\n");
	snprintf(path, sizeof(path), "sys/devices/block/%s/queue/max_sectors_kb", name);
	fake_file(r, path, "1280\n");
	snprintf(path, sizeof(path), "sys/devices/block/%s/removable", name);
	fake_file(r, path, "0\n");
	snprintf(path, sizeof(path), "sys/devices/block/%s/bdi", name);
	snprintf(target, sizeof(target), "../../virtual/bdi/%s", dev);
	fake_link(r, path, target);
	snprintf(target, sizeof(target), "../../devices/block/%s", name);
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	fake_link(r, path, target);
	snprintf(path, sizeof(path), "sys/dev/block/%s", dev);
	fake_link(r, path, target);
}

void fake_partition(const struct fake_root *r, const char *disk, const char *name,
		    const char *dev)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/devices/block/%s/%s/partition", disk, name);
	fake_file(r, path, "1\n");
	snprintf(target, sizeof(target), "../../devices/block/%s/%s", disk, name);
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	fake_link(r, path, target);
	snprintf(path, sizeof(path), "sys/dev/block/%s", dev);
	fake_link(r, path, target);
}

void fake_slave(const struct fake_root *r, const char *name, const char *below)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/devices/block/%s/slaves/%s", name, below);
	snprintf(target, sizeof(target), "../../%s", below);
	fake_link(r, path, target);
}

void fake_mount(struct fake_root *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	assert_true(vfprintf(r->mountinfo, fmt, ap) >= 0);
	va_end(ap);
	assert_true(fputc('\n', r->mountinfo) != EOF);
}

const char *fake_root_path(struct fake_root *r)
{
	assert_int_equal(fflush(r->mountinfo), 0);
	return r->path;
}

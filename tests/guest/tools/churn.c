// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Create, write, map, truncate, rename and delete files at random for some seconds,
 * keeping in memory what each should contain, and print a manifest: a tool of the guest
 * tests.  Also ends when the file system becomes read-only.
 *
 *	churn DIRECTORY SECONDS SEED [NAP] >MANIFEST
 *
 * NAP is for how many microseconds to have no file open between two operations.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define FILES    64
#define MAX_SIZE (256 * 1024)

struct file {
	int exists;
	int renamed;
	size_t size;
	unsigned char data[MAX_SIZE];
};

static struct file files[FILES];

/* Files are spread over directories, so that they are over allocation groups. */
static void path_of(char *path, size_t room, int i, int renamed)
{
	snprintf(path, room, "d%d/%s%d", i % 8, renamed ? "renamed-" : "f", i);
}

/* What was done until now counts, so a read-only file system is no failure. */
static void print_manifests(void)
{
	char path[64];

	for (int i = 0; i < FILES; i++) {
		if (!files[i].exists)
			continue;
		path_of(path, sizeof(path), i, files[i].renamed);
		print_manifest(path, files[i].data, files[i].size);
	}
}

__attribute__((noreturn)) static void stop(const char *what, const char *path)
{
	if (errno != EROFS)
		fail("cannot %s %s", what, path);
	print_manifests();
	exit(0);
}

static int open_file(int i, int flags)
{
	char path[64];
	int fd;

	path_of(path, sizeof(path), i, files[i].renamed);
	fd = open(path, flags | O_RDWR, 0600);
	if (fd < 0)
		stop("open", path);
	return fd;
}

static void grow(struct file *f, size_t end)
{
	if (end > f->size) {
		memset(f->data + f->size, 0, end - f->size);
		f->size = end;
	}
}

static void do_write(int i, unsigned int *seed)
{
	struct file *f = &files[i];
	size_t at = (size_t)rand_r(seed) % (MAX_SIZE / 2);
	size_t size = 1 + (size_t)rand_r(seed) % (MAX_SIZE / 2);
	int fd = open_file(i, f->exists ? 0 : O_CREAT | O_EXCL);

	if (!f->exists)
		f->size = 0;
	f->exists = 1;
	grow(f, at);
	if (at + size > f->size)
		f->size = at + size;
	fill(f->data + at, size, seed);
	if (pwrite(fd, f->data + at, size, (off_t)at) != (ssize_t)size)
		fail("short write to file %d", i);
	if (rand_r(seed) % 16 == 0 && fsync(fd))
		fail("fsync");
	close(fd);
}

static void do_map(int i, unsigned int *seed)
{
	struct file *f = &files[i];
	size_t at, size;
	unsigned char *map;
	int fd;

	if (!f->exists || !f->size)
		return;
	at = (size_t)rand_r(seed) % f->size;
	size = 1 + (size_t)rand_r(seed) % (f->size - at);
	fd = open_file(i, 0);
	map = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		fail("mmap");
	fill(f->data + at, size, seed);
	memcpy(map + at, f->data + at, size);
	munmap(map, f->size);
	close(fd);
}

static void do_truncate(int i, unsigned int *seed)
{
	struct file *f = &files[i];
	size_t size = (size_t)rand_r(seed) % MAX_SIZE;
	int fd;

	if (!f->exists)
		return;
	fd = open_file(i, 0);
	if (ftruncate(fd, (off_t)size))
		fail("ftruncate");
	grow(f, size);
	f->size = size;
	close(fd);
}

static void do_rename(int i)
{
	char from[64], to[64];

	if (!files[i].exists)
		return;
	path_of(from, sizeof(from), i, files[i].renamed);
	path_of(to, sizeof(to), i, !files[i].renamed);
	if (rename(from, to))
		stop("rename", from);
	files[i].renamed = !files[i].renamed;
}

static void do_delete(int i)
{
	char path[64];

	if (!files[i].exists)
		return;
	path_of(path, sizeof(path), i, files[i].renamed);
	if (unlink(path))
		stop("delete", path);
	files[i].exists = 0;
}

static void churn(int seconds, unsigned int seed, unsigned int nap)
{
	time_t end = time(NULL) + seconds;
	char path[64];

	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "d%d", i);
		if (mkdir(path, 0700) && errno != EEXIST)
			fail("mkdir");
	}

	while (time(NULL) < end) {
		int i = rand_r(&seed) % FILES;

		switch (rand_r(&seed) % 10) {
		case 0:
			do_delete(i);
			break;
		case 1:
			do_truncate(i, &seed);
			break;
		case 2:
			do_rename(i);
			break;
		case 3:
		case 4:
			do_map(i, &seed);
			break;
		default:
			do_write(i, &seed);
		}
		if (nap)
			usleep(nap);
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	if (chdir(argv[1]))
		fail("cannot go to %s", argv[1]);
	churn(atoi(argv[2]), (unsigned int)atoi(argv[3]),
	      argc > 4 ? (unsigned int)atoi(argv[4]) : 0);
	print_manifests();
	return 0;
}

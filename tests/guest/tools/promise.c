// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write files, have them made durable, and in the moment in which the kernel says they
 * are, take a snapshot of the disk or cut the power: a tool of the guest tests.
 *
 *	promise METHOD SEED DIRECTORY IMAGE SNAPSHOT >MANIFEST
 *	promise METHOD SEED DIRECTORY cut MARKER >MANIFEST
 *
 * METHOD is sync, syncfs or fsync; none promises the same and does nothing for it, which
 * a test of promises has to notice.  IMAGE is the file that the disk of DIRECTORY is in;
 * SNAPSHOT becomes a reflink of it, for which the file system below holds back writes: it
 * is what the disk would have after a power cut.  With cut the machine is switched off,
 * and MARKER written to before that.  The manifest names the files that must be there.
 * The next call with the same directory replaces some files and writes over others.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

#define FILES    48
#define MAX_SIZE (160 * 1024)

struct file {
	int fd;
	char path[32];
	size_t size;
	unsigned char data[MAX_SIZE];
};

static struct file files[FILES];

/* Two of three files are new each time; the others keep their place on the disk. */
static int is_new(int i)
{
	return i % 3 != 0;
}

static void open_file(int i, unsigned int *seed)
{
	struct file *f = &files[i];

	snprintf(f->path, sizeof(f->path), "d%d/%s%d", i % 8, is_new(i) ? "new" : "old",
		 i);
	if (is_new(i) && unlink(f->path) && errno != ENOENT)
		fail("cannot delete %s", f->path);
	f->fd = open(f->path, O_CREAT | O_RDWR, 0600);
	if (f->fd < 0)
		fail("cannot open %s", f->path);

	f->size = is_new(i) ? 1 + (size_t)rand_r(seed) % MAX_SIZE
			    : MAX_SIZE - (size_t)i * 1001;
	fill(f->data, f->size, seed);
}

static void write_by_map(const struct file *f)
{
	unsigned char *map;

	if (ftruncate(f->fd, (off_t)f->size))
		fail("cannot truncate %s", f->path);
	map = mmap(NULL, f->size, PROT_WRITE, MAP_SHARED, f->fd, 0);
	if (map == MAP_FAILED)
		fail("cannot map %s", f->path);
	memcpy(map, f->data, f->size);
	munmap(map, f->size);
}

/* In pieces, so that not all of a file becomes dirty at one time. */
static void write_piece(const struct file *f, int piece, int pieces)
{
	size_t from = f->size / (size_t)pieces * (size_t)piece;
	size_t to = piece == pieces - 1 ? f->size : from + f->size / (size_t)pieces;
	ssize_t n = pwrite(f->fd, f->data + from, to - from, (off_t)from);

	if (n != (ssize_t)(to - from))
		fail("cannot write %s", f->path);
}

static void write_files(unsigned int *seed)
{
	for (int i = 0; i < FILES; i++)
		open_file(i, seed);
	for (int piece = 0; piece < 3; piece++) {
		for (int i = 0; i < FILES; i++) {
			if (i % 5)
				write_piece(&files[i], piece, 3);
			else if (!piece)
				write_by_map(&files[i]);
		}
	}
}

/* Does fsync promise this file?  Not all, or it would do sync's work. */
static int is_synced(int i)
{
	return i % 4 == 1;
}

static void make_durable(const char *method)
{
	if (!strcmp(method, "sync"))
		sync();
	else if (!strcmp(method, "syncfs") && syncfs(files[0].fd))
		fail("syncfs");
	else if (!strcmp(method, "fsync"))
		for (int i = 0; i < FILES; i++)
			if (is_synced(i) && fsync(files[i].fd))
				fail("cannot fsync %s", files[i].path);
}

static void print_promise(int only_synced)
{
	for (int i = 0; i < FILES; i++)
		if (!only_synced || is_synced(i))
			print_manifest(files[i].path, files[i].data, files[i].size);
	/* the power may be cut next */
	if (fflush(stdout) || (fsync(STDOUT_FILENO) && errno != EINVAL))
		fail("cannot write the manifest");
}

int main(int argc, char **argv)
{
	int cut, image = -1, last;
	unsigned int seed;
	char path[8];

	if (argc != 6)
		return 2;
	seed = (unsigned int)atoi(argv[2]);
	cut = !strcmp(argv[4], "cut");
	if (!cut)
		image = open(argv[4], O_RDONLY);
	last = open(argv[5], O_CREAT | O_EXCL | O_SYNC | O_RDWR, 0600);
	if ((!cut && image < 0) || last < 0)
		fail("cannot open %s", argv[last < 0 ? 5 : 4]);
	if (chdir(argv[3]))
		fail("cannot go to %s", argv[3]);
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "d%d", i);
		if (mkdir(path, 0700) && errno != EEXIST)
			fail("cannot make %s", path);
	}

	write_files(&seed);
	print_promise(!strcmp(argv[1], "fsync"));
	make_durable(argv[1]);
	if (cut) {
		if (write(last, "returned\n", 9) != 9 || reboot(RB_POWER_OFF))
			fail("cannot switch off");
	} else if (ioctl(last, FICLONE, image)) {
		fail("cannot take a snapshot of %s", argv[4]);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write files of one size into eight directories as a member of a cgroup and print their
 * manifest: a tool of the guest tests.
 *
 *	fill CGROUP DIRECTORY FILES BYTES SEED [sync] >MANIFEST
 *
 * CGROUP is - for the one we are in.  With sync each file is written back before the next
 * one.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

#define MAX_SIZE (4 << 20)

static unsigned char data[MAX_SIZE];

static void join(const char *cgroup)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%d\n", getpid()) < 0 || fclose(f))
		fail("cannot join %s", cgroup);
}

static void write_file(const char *path, size_t size, int synced)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	if (fd < 0)
		fail("cannot open %s", path);
	for (size_t at = 0; at < size;) {
		size_t piece = size - at < 65536 ? size - at : 65536;

		if (pwrite(fd, data + at, piece, (off_t)at) != (ssize_t)piece)
			fail("cannot write %s", path);
		at += piece;
	}
	if (synced && fsync(fd))
		fail("cannot fsync %s", path);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int seed;
	char path[64];
	size_t size;

	if (argc < 6)
		return 2;
	size = (size_t)atol(argv[4]);
	seed = (unsigned int)atoi(argv[5]);
	if (!size || size > MAX_SIZE)
		fail("%zu bytes are not possible", size);
	if (strcmp(argv[1], "-"))
		join(argv[1]);
	if (chdir(argv[2]))
		fail("cannot go to %s", argv[2]);

	for (int i = 0; i < atoi(argv[3]); i++) {
		snprintf(path, sizeof(path), "d%d", i % 8);
		if (i < 8 && mkdir(path, 0700) && errno != EEXIST)
			fail("cannot make %s", path);
		snprintf(path, sizeof(path), "d%d/f%d", i % 8, i);
		fill(data, size, &seed);
		write_file(path, size, argc > 6);
		print_manifest(path, data, size);
		fflush(stdout);
	}
	return 0;
}

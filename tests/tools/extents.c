/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a file's data lies: one line "PHYSICAL LENGTH" in bytes for each extent. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "common/cleanup.h"

#define BATCH 256

int main(int argc, char **argv)
{
	struct fiemap *m CLEANUP(cleanup_freep) =
		calloc(1, sizeof(*m) + BATCH * sizeof(struct fiemap_extent));
	int fd CLEANUP(cleanup_closep) = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	unsigned long long from = 0;

	if (!m || fd < 0) {
		fprintf(stderr, "extents: %s\n",
			argc == 2 ? strerror(errno) : "one FILE");
		return 2;
	}
	for (;;) {
		m->fm_start = from;
		m->fm_length = FIEMAP_MAX_OFFSET - from;
		m->fm_extent_count = BATCH;
		if (ioctl(fd, FS_IOC_FIEMAP, m)) {
			perror("extents: FIEMAP");
			return 1;
		}
		for (unsigned i = 0; i < m->fm_mapped_extents; i++) {
			const struct fiemap_extent *e = &m->fm_extents[i];

			if (!(e->fe_flags &
			      (FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN)))
				printf("%llu %llu\n", e->fe_physical, e->fe_length);
			from = e->fe_logical + e->fe_length;
		}
		if (!m->fm_mapped_extents ||
		    (m->fm_extents[m->fm_mapped_extents - 1].fe_flags &
		     FIEMAP_EXTENT_LAST))
			return 0;
	}
}

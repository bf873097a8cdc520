/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fake root of files and links in memory, for what reads below a root. */
#ifndef WB_FAKE_ROOT_H
#define WB_FAKE_ROOT_H

#include "common/cleanup.h"

struct fake_root {
	char path[32];
	FILE *mountinfo;
};

int fake_root_setup(void **state);
int fake_root_teardown(void **state);

/* Writes the file ROOT/PATH, or makes it a link; folders as needed. */
void fake_file(const struct fake_root *r, const char *path, const char *fmt, ...)
	PRINTF(3, 4);
void fake_link(const struct fake_root *r, const char *path, const char *target);

/* A whole disk "NAME" with number DEV ("8:0"), as sysfs has it. */
void fake_disk(const struct fake_root *r, const char *name, const char *dev,
	       int rotational);
void fake_partition(const struct fake_root *r, const char *disk, const char *name,
		    const char *dev);
/* NAME lies upon BELOW (dm, md). */
void fake_slave(const struct fake_root *r, const char *name, const char *below);

/* A line of mountinfo; taken at the next fake_root_path(). */
void fake_mount(struct fake_root *r, const char *fmt, ...) PRINTF(2, 3);
/* The path, with everything written out. */
const char *fake_root_path(struct fake_root *r);

#endif

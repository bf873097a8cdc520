/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the search for the knee found, remembered over restarts: STATE_DIR/knee.json.
 *
 * A device is named by what stays with the hardware (or the file) and never by its
 * number or kernel name, which the next device may have.  One that has no such name is
 * not remembered.
 */
#ifndef WB_KNEE_STATE_H
#define WB_KNEE_STATE_H

#include <stddef.h>
#include <stdint.h>

#define KNEE_ID_LEN    256
#define KNEE_STORE_MAX 256 /* devices; the one that was used longest ago goes */
#define KNEE_WHY_LEN   192

struct knee_memory {
	char id[KNEE_ID_LEN];
	char engine[16]; /* "user", "kernel": each has a knee of its own */
	unsigned contexts;
	uint64_t rate;  /* bytes per second with it; 0: unknown */
	uint64_t found; /* seconds since 1970 */
};

struct knee_store {
	struct knee_memory *v; /* the last one was used last */
	size_t n;
	int refused; /* the file there is not ours to read: kept as knee.json.refused */
};

/*
 * The lasting name of the disk with the kernel's name @disk ("nvme0n1", "dm-0",
 * "loop1") below ROOT/sys: its WWID, or model and serial number, device-mapper or MD
 * UUID, or the file behind a loop device; and the size to the next power of two.
 * -ENOENT: it has none.
 */
int knee_identify(const char *root, const char *disk, char ret[KNEE_ID_LEN]);

/*
 * Loads it.  No file is an empty state.  -EBADMSG: the file cannot be used, nothing
 * of it is, @ret is empty and can be used, and @why is one clause for the journal.
 */
int knee_store_load(const char *dir, struct knee_store *ret, char why[KNEE_WHY_LEN]);
/* NULL: nothing known.  Counts as a use. */
const struct knee_memory *knee_store_get(struct knee_store *s, const char *engine,
					 const char *id);
/* 0, 1 if that is what was known already, or -errno. */
int knee_store_put(struct knee_store *s, const struct knee_memory *m);
int knee_store_save(const char *dir, struct knee_store *s);
void knee_store_clear(struct knee_store *s);

#endif

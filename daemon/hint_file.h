/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one descriptor of a client is of; runs on hint_fd.c's threads. */
#ifndef WB_HINT_FILE_H
#define WB_HINT_FILE_H

#include <stddef.h>

#include "daemon/hint_fd.h"

/* Mounts of this name space and the superblocks that are managed; locks itself. */
struct hint_mounts;
struct hint_mounts *hint_mounts_new(void); /* NULL: no memory */
struct hint_mounts *hint_mounts_free(struct hint_mounts *m);
/* Forgets the mounts as well: they are read when next needed. */
int hint_mounts_set(struct hint_mounts *m, const struct hint_managed *managed, size_t n);

/* The result is that of struct hint_look.error.  @fd stays the caller's. */
int hint_file_look(struct hint_mounts *m, int fd, struct hint_file *ret);
/* For the loop: which file it is and whether it is writable, if that is known without
 * any waiting; else -EAGAIN. */
int hint_file_glance(struct hint_mounts *m, int fd, struct hint_file *ret);

#endif

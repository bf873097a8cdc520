/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XFS's extent size hint; wbctl hint uses it as well. */
#ifndef WBI_XFS_H
#define WBI_XFS_H

#include <stdbool.h>
#include <stdint.h>

/* The size of its blocks in bytes, 0 if @fd is on something else. */
uint32_t wbi_xfs_block(int fd);
/* The unit of allocation for a file, in bytes; 0: none is better. */
uint32_t wbi_xfs_unit(uint64_t write_size, uint64_t file_size, uint64_t block);
/* @fd has exactly that unit. */
bool wbi_xfs_has(int fd, uint32_t unit);
/* Sets it on an empty file on XFS: true if it is set.  @again: the one that is there is
 * ours. */
bool wbi_xfs_set(int fd, uint32_t block, uint64_t write_size, uint64_t file_size,
		 bool again);
/* Takes it back as long as the file is empty. */
void wbi_xfs_unset(int fd);

#endif

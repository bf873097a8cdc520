/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cachestat(2), Linux 6.5: how much of a file is dirty in the page cache. */
#ifndef WB_CACHESTAT_H
#define WB_CACHESTAT_H

#include <stdint.h>

/* Dirty bytes of the open file @fd.  0 or -errno (-ENOSYS: an older kernel). */
int cachestat_dirty(int fd, uint64_t *ret);
int cachestat_probe(void);

#endif

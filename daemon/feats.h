/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this kernel and these privileges allow, probed once by doing it: each
 * thing that is missing has its consequence and the version that brings it.
 */
#ifndef WB_FEATS_H
#define WB_FEATS_H

#include <stdbool.h>

enum feat_id {
	FEAT_KERNEL_CONTEXTS, /* the patch series' sysfs ABI */
	FEAT_TRACE,           /* writeback_dirty_inode_enqueue through perf */
	FEAT_FANOTIFY,        /* file-system marks with FID (5.1) and CAP_SYS_ADMIN */
	FEAT_EVICTABLE,       /* evictable marks (5.19) */
	FEAT_CACHESTAT,       /* 6.5 */
	FEAT_IO_URING,
	FEAT_HANDLES,      /* open_by_handle_at: CAP_DAC_READ_SEARCH */
	FEAT_STATX_MNT_ID, /* 5.8 */
	FEAT_N
};

struct feat {
	const char *name;        /* "cachestat" */
	const char *since;       /* "Linux 6.5" */
	const char *consequence; /* what is lost without it, one clause */
	bool present;
	int error;        /* errno of the probe if absent */
	char detail[128]; /* what the probe saw */
};

struct feats {
	struct feat v[FEAT_N];
};

/* Probes in about a millisecond; leaves nothing open. */
void feats_probe(struct feats *ret);
/* The kernel's contexts, by an ABI that we know and may write; else why not in @why. */
bool feats_kernel_engine(const struct feats *f, char *why, unsigned len);
/* A source of dirty inodes, and handles to reach them; else why not in @why. */
bool feats_user_engine(const struct feats *f, char *why, unsigned len);

#endif

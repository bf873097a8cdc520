/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an application, or a rule, says about a file; and what follows from it. */
#ifndef WB_HINT_H
#define WB_HINT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/judge.h"

struct hint {
	uint64_t write_size; /* bytes written in one run; 0: not told */
	uint64_t file_size;  /* bytes it will have; 0: not told */
};

#define HINT_STRIDE_MIN (64ULL << 10) /* as [flush] stride */
#define HINT_STRIDE_MAX (64ULL << 20)
#define HINT_STRIDES    4 /* so many of them are worth a flush */

static inline bool hint_is_set(const struct hint *h)
{
	return h->write_size || h->file_size;
}

/*
 * When a hinted file is flushed: in strides that hold whole writes, as soon as
 * HINT_STRIDES of them are dirty, if that is sooner than for others.  *@ret is @c
 * with what changes.  NULL, or the clause that says why nothing does.
 */
const char *hint_flush(const struct judge_conf *c, const struct hint *h,
		       struct judge_conf *ret);

/* What of an extent size hint there can be said of a file; see hint_file.h. */
struct hint_file;
/* NULL: in force; else the clause that says why not. */
const char *hint_extsize(const struct hint_file *f);
/* The same of the order of its folios. */
const char *hint_order(const struct hint_file *f);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* The effects of hint.h, as pure functions. */
#include <stddef.h>

#include "daemon/hint.h"
#include "daemon/hint_fd.h"

static uint64_t stride_for(uint64_t write_size)
{
	uint64_t s = (write_size + 4095) & ~4095ULL;

	if (s >= HINT_STRIDE_MAX)
		return HINT_STRIDE_MAX;
	if (s < HINT_STRIDE_MIN)
		s *= (HINT_STRIDE_MIN + s - 1) / s;
	return s;
}

const char *hint_flush(const struct judge_conf *c, const struct hint *h,
		       struct judge_conf *ret)
{
	struct judge_conf j = *c;
	uint64_t enough;

	if (c->after == JUDGE_OFF)
		return "the amount of dirty data does not count here (after = off)";
	/* Sizes come from clients: nothing is rounded up near the end of the range. */
	if (h->write_size)
		j.stride = stride_for(h->write_size < HINT_STRIDE_MAX ? h->write_size
								      : HINT_STRIDE_MAX);
	if (!h->write_size && h->file_size < 2 * j.stride)
		return "the file will not have two strides";
	enough = HINT_STRIDES * j.stride;
	if (enough < j.after)
		j.after = enough;
	if (j.after < j.stride)
		j.after = j.stride;
	if (j.after == c->after && j.stride == c->stride)
		return "it is what every file here has";
	*ret = j;
	return NULL;
}

const char *hint_extsize(const struct hint_file *f)
{
	if (!f->xfs)
		return "only XFS has extent size hints";
	if (f->realtime)
		return "its data is on the realtime device";
	if (f->extsize > f->block)
		return NULL;
	if (f->extents)
		return "the file had extents already when the hint came";
	return "the application did not set it: libwb does, for the owner of the file";
}

const char *hint_order(const struct hint_file *f)
{
	if (f->order < 0)
		return "this kernel takes no hints about folio orders";
	if (!f->order)
		return "nobody has told the kernel of runs of two pages or more: libwb "
		       "does";
	if (f->order_max <= 0)
		return "folio_order_max of the file system in /sys/fs/writeback is 0";
	if (!f->large_folios)
		return "this kernel was built without large folios";
	if (!f->xfs)
		return "the kernel has it, but whether this file system has large "
		       "folios is not known";
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vm.dirty_*: they are for the whole machine, so they are only proposed.  By their
 * defaults 10 and 20 % of memory may be dirty, which on a large machine is more than
 * any disk writes in a minute: the flusher starts late, and whoever is throttled at
 * the limit waits long.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/knob.h"

#define BACKGROUND_MAX (512ULL << 20)
#define LIMIT_MAX      (2ULL << 30)

static int meminfo(const char *root, uint64_t *ret)
{
	char text[4096];
	uint64_t kb;
	int r = sysfs_read(root, text, sizeof(text), "proc/meminfo");

	if (r < 0)
		return r;
	if (!sysfs_field(text, "MemAvailable", &kb))
		return -EBADMSG;
	*ret = kb << 10;
	return 0;
}

static int one(const char *root, const char *what, uint64_t memory, uint64_t *ret,
	       bool *by_ratio)
{
	uint64_t bytes = 0, ratio = 0;
	int r = sysfs_u64(root, &bytes, "proc/sys/vm/%s_bytes", what);

	if (r == 0)
		r = sysfs_u64(root, &ratio, "proc/sys/vm/%s_ratio", what);
	if (r < 0)
		return r;
	*by_ratio = !bytes;
	*ret = bytes ? bytes : memory / 100 * ratio;
	return 0;
}

int knob_vm_read(const char *root, struct knob_vm *ret)
{
	struct knob_vm v;
	bool background;
	int r = meminfo(root, &v.memory);

	if (r == 0)
		r = one(root, "dirty_background", v.memory, &v.background, &background);
	if (r == 0)
		r = one(root, "dirty", v.memory, &v.limit, &v.by_ratio);
	if (r < 0)
		return r;
	v.by_ratio &= background; /* set in bytes by somebody: they know */
	*ret = v;
	return 0;
}

unsigned knob_vm_propose(const struct knob_vm *v, struct knob_proposal ret[2])
{
	unsigned n = 0;

	if (v->by_ratio && v->background > BACKGROUND_MAX)
		ret[n++] = (struct knob_proposal){
			"vm.dirty_background_bytes", v->background, BACKGROUND_MAX,
			"the kernel's flushers begin sooner, and with less at once"};
	if (v->by_ratio && v->limit > LIMIT_MAX)
		ret[n++] = (struct knob_proposal){
			"vm.dirty_bytes", v->limit, LIMIT_MAX,
			"a sync has less to write, and writers are not stopped for long"};
	return n;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* See load.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/fsys_sysfs.h"
#include "daemon/kern.h"
#include "daemon/load.h"

#define QUEUES_MAX 256

/* ---- disks --------------------------------------------------------------------- */

/* The @n-th of its disks; false: there are no more. */
static bool disk_at(const struct bdev *b, unsigned n, char ret[SYSFS_NAME])
{
	const char *s = b->members[0] ? b->members : b->name;
	size_t len;

	for (; n && *s; n--) {
		s += strcspn(s, " ");
		s += *s == ' ';
	}
	len = strcspn(s, " ");
	if (!len || len >= SYSFS_NAME)
		return false;
	memcpy(ret, s, len);
	ret[len] = '\0';
	return sysfs_name_ok(ret);
}

static int add_disk(const char *root, const char *disk, struct load_disks *sum)
{
	/* Documentation/block/stat.rst: writes, merges, sectors, ms; in flight, ms busy,
	 * ms queued. */
	uint64_t ios, written, busy, queued;
	char text[512];
	int r = sysfs_read(root, text, sizeof(text), "sys/class/block/%s/stat", disk);

	if (r < 0)
		return r;
	if (sscanf(text,
		   "%*u %*u %*u %*u %" SCNu64 " %*u %" SCNu64 " %*u %*u %" SCNu64
		   " %" SCNu64,
		   &ios, &written, &busy, &queued) != 4)
		return -EBADMSG;
	sum->ios += ios;
	sum->written += written * 512;
	sum->queue_ms += queued;
	if (busy > sum->busy_ms)
		sum->busy_ms = busy;
	return 0;
}

int load_read_disks(const char *root, const struct bdev *b, struct load_disks *ret)
{
	struct load_disks sum = {0};
	char disk[SYSFS_NAME];
	unsigned n;

	for (n = 0; disk_at(b, n, disk); n++) {
		int r = add_disk(root, disk, &sum);

		if (r < 0)
			return r;
	}
	if (!n)
		return -ENOENT;
	*ret = sum;
	return 0;
}

/* Several hardware queues take so many requests each, but a SCSI disk may take less. */
static uint64_t depth_of(const char *root, const char *disk)
{
	char queues[QUEUES_MAX][SYSFS_NAME];
	uint64_t each, device;
	size_t n;

	if (sysfs_u64(root, &each, "sys/class/block/%s/queue/nr_requests", disk) < 0 ||
	    !each || each > UINT32_MAX)
		return KNEE_UNKNOWN;
	n = sysfs_list(root, queues, QUEUES_MAX, "sys/class/block/%s/mq", disk);
	each *= n ? n : 1;
	if (sysfs_u64(root, &device, "sys/class/block/%s/device/queue_depth", disk) ==
		    0 &&
	    device && device < each)
		each = device;
	return each;
}

uint64_t load_depth_max(const char *root, const struct bdev *b)
{
	char disk[SYSFS_NAME];
	uint64_t sum = 0;

	for (unsigned n = 0; disk_at(b, n, disk); n++) {
		uint64_t depth = depth_of(root, disk);

		if (depth == KNEE_UNKNOWN)
			return KNEE_UNKNOWN;
		sum += depth;
	}
	return sum ? sum : KNEE_UNKNOWN;
}

/* ---- dirty pages ------------------------------------------------------------------ */

static uint64_t bytes_of(uint64_t n, uint64_t unit)
{
	return n < UINT64_MAX / unit ? n * unit : UINT64_MAX;
}

int load_read_machine(const char *root, struct load_dirty *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), dirty, writeback, mark;
	char text[16384];
	int r = sysfs_read(root, text, sizeof(text), "proc/vmstat");

	if (r < 0)
		return r;
	if (!sysfs_field(text, "nr_dirty", &dirty) ||
	    !sysfs_field(text, "nr_writeback", &writeback) ||
	    !sysfs_field(text, "nr_dirty_background_threshold", &mark))
		return -ENODATA;
	*ret = (struct load_dirty){
		.bytes = bytes_of(dirty + writeback, page),
		.mark = bytes_of(mark, page),
	};
	return 0;
}

static bool by_contexts(const char *root, const char *bdi, struct load_dirty *ret)
{
	unsigned n = kern_contexts(root, bdi);
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++) {
		struct kern_ctx_stat s;

		if (kern_ctx_stat(root, bdi, i, &s) < 0)
			break; /* the number was lowered just now */
		sum += s.dirty_bytes + s.writeback_bytes;
	}
	if (n)
		ret->bytes = sum;
	return n > 0;
}

/* What the flusher of one device begins at is its share of what the machine's do. */
static void by_debugfs(const char *root, const char *bdi, struct load_dirty *ret)
{
	uint64_t dirty, writeback, limit;
	char text[4096];

	if (sysfs_read(root, text, sizeof(text), "sys/kernel/debug/bdi/%s/stats", bdi) <
		    0 ||
	    !sysfs_field(text, "BdiReclaimable", &dirty) ||
	    !sysfs_field(text, "BdiWriteback", &writeback) ||
	    !sysfs_field(text, "BdiDirtyThresh", &limit))
		return;
	ret->own = true;
	ret->bytes = bytes_of(dirty + writeback, 1024);
	limit = bytes_of(limit, 1024) / 2;
	if (limit && limit < ret->mark)
		ret->mark = limit;
}

void load_read_dirty(const char *root, const char *bdi, bool kernel,
		     const struct load_dirty *machine, struct load_dirty *ret)
{
	*ret = *machine;
	if (!sysfs_name_ok(bdi))
		return;
	by_debugfs(root, bdi, ret);
	if (kernel && by_contexts(root, bdi, ret))
		ret->own = true;
}

/* ---- both ----------------------------------------------------------------------------
 */

bool load_observe(const struct load_disks *was, const struct load_disks *is, uint64_t ms,
		  const struct load_dirty *dirty, uint64_t pause_us, uint64_t depth_max,
		  struct knee_obs *ret)
{
	uint64_t busy;

	/* Another device under the same name begins at nothing. */
	if (!ms || is->written < was->written || is->ios < was->ios ||
	    is->busy_ms < was->busy_ms || is->queue_ms < was->queue_ms)
		return false;
	busy = (is->busy_ms - was->busy_ms) * 1000 / ms;
	*ret = (struct knee_obs){
		.ms = ms,
		.written = is->written - was->written,
		.ios = is->ios - was->ios,
		.dirty = dirty->bytes,
		.mark = dirty->mark,
		.pause_us = pause_us,
		.busy = busy < 1000 ? busy : 1000,
		.depth = (is->queue_ms - was->queue_ms) * 1000 / ms,
		.depth_max = depth_max,
	};
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See fan_events.h. */
#include <fcntl.h>
#include <string.h>
#include <sys/fanotify.h>

#include "daemon/fan_events.h"
#include "daemon/itab.h"

/*
 * The number by which an inode is looked up: the inode's own where the handle
 * begins with it (the generic 32-bit form, XFS's 64-bit form, btrfs, bcachefs).
 * The handle decides in the end; this only has to be stable.
 */
static uint64_t handle_key(int type, const uint8_t *h, unsigned len)
{
	uint32_t lo = 0;
	uint64_t k = 0;

	if (type == 1 && len >= sizeof(lo)) {
		memcpy(&lo, h, sizeof(lo));
		return lo;
	}
	if (len >= sizeof(k)) {
		memcpy(&k, h, sizeof(k));
		return k;
	}
	memcpy(&k, h, len);
	return k;
}

/* Events lie at multiples of four bytes, so nothing in them may be read in place. */
static void info(uint16_t fs, const struct source_sink *sink, const uint8_t *p,
		 size_t len, pid_t pid)
{
	struct source_event ev = {.fs = fs, .pid = pid};
	struct fanotify_event_info_fid f;
	struct file_handle h;

	if (len < sizeof(f) + sizeof(h))
		return;
	memcpy(&f, p, sizeof(f));
	memcpy(&h, p + sizeof(f), sizeof(h));
	if (f.hdr.info_type != FAN_EVENT_INFO_TYPE_FID ||
	    h.handle_bytes > len - sizeof(f) - sizeof(h) ||
	    h.handle_bytes > ITAB_HANDLE_MAX || h.handle_bytes == 0 ||
	    h.handle_type < 0 || h.handle_type > UINT8_MAX)
		return;
	ev.handle = p + sizeof(f) + sizeof(h);
	ev.handle_len = (uint8_t)h.handle_bytes;
	ev.handle_type = (uint8_t)h.handle_type;
	ev.ino = handle_key(h.handle_type, ev.handle, h.handle_bytes);
	sink->dirty(&ev, sink->arg);
}

static void event(uint16_t fs, const struct source_sink *sink,
		  const struct fanotify_event_metadata *m, const uint8_t *p)
{
	const uint8_t *end = p + m->event_len;
	struct fanotify_event_info_header h;

	if (m->mask & FAN_Q_OVERFLOW) {
		sink->lost(fs, 1, sink->arg);
		return;
	}
	if (m->metadata_len > m->event_len)
		return;
	for (p += m->metadata_len; (size_t)(end - p) >= sizeof(h); p += h.len) {
		memcpy(&h, p, sizeof(h));
		if (h.len < sizeof(h) || h.len > end - p)
			return;
		info(fs, sink, p, h.len, m->pid);
	}
}

void fan_events(const void *buf, size_t len, uint16_t fs, const struct source_sink *sink)
{
	const uint8_t *p = buf, *end = p + len;
	struct fanotify_event_metadata m;

	for (; (size_t)(end - p) >= sizeof(m); p += m.event_len) {
		memcpy(&m, p, sizeof(m));
		if (m.event_len < sizeof(m) || m.event_len > (size_t)(end - p) ||
		    m.vers != FANOTIFY_METADATA_VERSION)
			return;
		event(fs, sink, &m, p);
	}
}

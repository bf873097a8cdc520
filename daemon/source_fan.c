/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fanotify source: one group per file system, told by file handles. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/fan.h"
#include "daemon/itab.h"
#include "daemon/mnt_open.h"
#include "daemon/source.h"

#define BUF_BYTES 65536
#define READS_MAX 16 /* per wake-up, so that the loop stays responsive */

struct source_fan {
	struct ev_loop *loop;
	struct source_sink sink;
	uint16_t fs;
	int fd;
	ev_io on_event;
	char *buf;
};

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

static void info(struct source_fan *s, const struct fanotify_event_info_fid *f,
		 size_t len)
{
	const struct file_handle *h = (const void *)f->handle;
	struct source_event ev = {.fs = s->fs};

	if (f->hdr.info_type != FAN_EVENT_INFO_TYPE_FID ||
	    len < sizeof(*f) + sizeof(*h) ||
	    h->handle_bytes > len - sizeof(*f) - sizeof(*h) ||
	    h->handle_bytes > ITAB_HANDLE_MAX || h->handle_bytes == 0 ||
	    h->handle_type < 0 || h->handle_type > UINT8_MAX)
		return;
	ev.handle = h->f_handle;
	ev.handle_len = (uint8_t)h->handle_bytes;
	ev.handle_type = (uint8_t)h->handle_type;
	ev.ino = handle_key(h->handle_type, h->f_handle, h->handle_bytes);
	s->sink.dirty(&ev, s->sink.arg);
}

static void event(struct source_fan *s, const struct fanotify_event_metadata *m)
{
	const uint8_t *p = (const uint8_t *)m + m->metadata_len;
	const uint8_t *end = (const uint8_t *)m + m->event_len;

	if (m->mask & FAN_Q_OVERFLOW) {
		s->sink.lost(s->fs, 1, s->sink.arg);
		return;
	}
	while (p + sizeof(struct fanotify_event_info_header) <= end) {
		const struct fanotify_event_info_header *h = (const void *)p;

		if (h->len < sizeof(*h) || h->len > end - p)
			return;
		info(s, (const void *)p, h->len);
		p += h->len;
	}
}

void source_fan_poll(struct source_fan *s)
{
	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = read(s->fd, s->buf, BUF_BYTES);
		struct fanotify_event_metadata *m = (void *)s->buf;

		if (n <= 0)
			return;
		for (; FAN_EVENT_OK(m, n); m = FAN_EVENT_NEXT(m, n)) {
			if (m->vers != FANOTIFY_METADATA_VERSION)
				return;
			event(s, m);
		}
	}
}

static void on_event(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop;
	(void)revents;
	source_fan_poll(w->data);
}

/* The mark is set on an open descriptor of the right mount, not on a path that
 * may name another one by now. */
static int watch_fs(int fan, const char *mountpoint, int mnt_id)
{
	CLEANUP(cleanup_closep) int dir = mnt_open(mountpoint, mnt_id);

	if (dir < 0)
		return dir;
	if (fanotify_mark(fan, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_MODIFY, dir,
			  NULL) < 0)
		return -errno;
	return 0;
}

int source_fan_new(struct ev_loop *loop, const struct source_sink *sink, uint16_t fs,
		   const char *mountpoint, int mnt_id, struct source_fan **ret)
{
	struct source_fan *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->fd = fan_group_open();
	if (s->fd < 0) {
		r = s->fd;
		free(s);
		return r;
	}
	s->buf = malloc(BUF_BYTES);
	r = s->buf ? watch_fs(s->fd, mountpoint, mnt_id) : -ENOMEM;
	if (r < 0) {
		(void)close(s->fd);
		free(s->buf);
		free(s);
		return r;
	}
	s->loop = loop;
	s->sink = *sink;
	s->fs = fs;
	ev_io_init(&s->on_event, on_event, s->fd, EV_READ);
	s->on_event.data = s;
	ev_io_start(loop, &s->on_event);
	*ret = s;
	return 0;
}

int source_fan_renew(struct source_fan *s, const char *mountpoint, int mnt_id)
{
	return watch_fs(s->fd, mountpoint, mnt_id);
}

int source_fan_fd(const struct source_fan *s)
{
	return s->fd;
}

struct source_fan *source_fan_free(struct source_fan *s)
{
	if (!s)
		return NULL;
	ev_io_stop(s->loop, &s->on_event);
	(void)close(s->fd); /* and with it every mark */
	free(s->buf);
	free(s);
	return NULL;
}

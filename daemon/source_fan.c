/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fanotify source: one group per file system, told by file handles. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/fanotify.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/fan.h"
#include "daemon/fan_events.h"
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

void source_fan_poll(struct source_fan *s)
{
	for (int i = 0; i < READS_MAX; i++) {
		ssize_t n = read(s->fd, s->buf, BUF_BYTES);

		if (n <= 0)
			return;
		fan_events(s->buf, (size_t)n, s->fs, &s->sink);
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Live mounts.  The kernel signals them through EPOLLPRI, which libev cannot ask
 * for; libmount's monitor wraps that in an epoll descriptor that becomes readable.
 */
#include <errno.h>
#include <ev.h>
#include <libmount.h>
#include <stdlib.h>

#include "daemon/fsys.h"

struct fsys_watch {
	struct ev_loop *loop;
	struct libmnt_monitor *monitor;
	ev_io io;
	void (*changed)(void *arg);
	void *arg;
};

static void on_event(struct ev_loop *loop, ev_io *io, int revents)
{
	struct fsys_watch *w = io->data;

	(void)loop;
	(void)revents;
	/* Whatever has queued up is one change: the table is read as a whole. */
	(void)mnt_monitor_event_cleanup(w->monitor);
	w->changed(w->arg);
}

int fsys_watch_new(struct ev_loop *loop, void (*changed)(void *arg), void *arg,
		   struct fsys_watch **ret)
{
	struct fsys_watch *w = calloc(1, sizeof(*w));
	int r, fd;

	if (!w)
		return -ENOMEM;
	w->monitor = mnt_new_monitor();
	r = w->monitor ? mnt_monitor_enable_kernel(w->monitor, 1) : -ENOMEM;
	fd = r < 0 ? r : mnt_monitor_get_fd(w->monitor);
	if (fd < 0) {
		fsys_watch_free(w);
		return fd;
	}
	w->changed = changed;
	w->arg = arg;
	ev_io_init(&w->io, on_event, fd, EV_READ);
	w->io.data = w;
	w->loop = loop;
	ev_io_start(loop, &w->io);
	*ret = w;
	return 0;
}

struct fsys_watch *fsys_watch_free(struct fsys_watch *w)
{
	if (!w)
		return NULL;
	if (w->loop)
		ev_io_stop(w->loop, &w->io);
	mnt_unref_monitor(w->monitor);
	free(w);
	return NULL;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * wb_sync(): a drain by the daemon on a connection of its own (the handle's stays free
 * for hints), then syncfs(), whose word is the only one that counts.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "libwb/int.h"

/* Between two replies; the daemon tells its progress several times a second. */
#define SILENCE_MS 30000

struct drain {
	struct wbi_conn conn;
	wb_progress_fn fn;
	void *arg;
};

static int report(const struct drain *d, const struct wb_progress *p, bool daemon)
{
	struct wb_progress now = *p;

	if (!d->fn)
		return 0;
	now.size = sizeof(now);
	now.daemon = daemon;
	return d->fn(&now, d->arg) ? -ECANCELED : 0;
}

/* -ECANCELED, or 0 however it went: syncfs() does what is left. */
static int follow(struct drain *d)
{
	struct wbi_reply reply;

	do {
		if (wbi_conn_receive(&d->conn, wbi_now_ms() + SILENCE_MS, &reply) < 0 ||
		    wbi_reply_errno(&reply) < 0)
			return 0;
		if (report(d, &reply.progress, true) < 0)
			return -ECANCELED;
	} while (reply.continues && !reply.finished);
	return 0;
}

/* The number that the mount table has, which on btrfs is not st_dev. */
static int device_of_mount(int fd, char *buf, size_t size)
{
	char name[64], line[4096];
	unsigned maj, min;
	struct statx sx;
	int r = -ENOENT;
	FILE *f;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &sx) < 0 ||
	    !(sx.stx_mask & STATX_MNT_ID))
		return -EOPNOTSUPP;
	(void)snprintf(name, sizeof(name), "%llu ", (unsigned long long)sx.stx_mnt_id);
	f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return -errno;
	while (r < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), "%*u %u:%u", &maj, &min) == 2) {
			(void)snprintf(buf, size, "%u:%u", maj, min);
			r = 0;
		}
	(void)fclose(f);
	return r;
}

static int drain(const struct wb *wb, int fd, struct drain *d)
{
	char device[32], msg[WBI_CALL_MAX];
	struct stat st;
	int r;

	if (device_of_mount(fd, device, sizeof(device)) < 0) {
		if (fstat(fd, &st) < 0)
			return -EBADF;
		(void)snprintf(device, sizeof(device), "%u:%u", major(st.st_dev),
			       minor(st.st_dev));
	}
	if (wbi_conn_open(&d->conn, wb->path) < 0)
		return 0;
	(void)snprintf(
		msg, sizeof(msg),
		"{\"method\":\"io.writeback.Drain\",\"parameters\":{\"device\":\"%s\""
		"},\"more\":true}",
		device);
	r = wbi_conn_send(&d->conn, msg, strlen(msg) + 1, -1, true);
	r = r < 0 ? 0 : follow(d);
	wbi_conn_close(&d->conn, true);
	return r;
}

int wb_sync(struct wb *wb, int fd, unsigned int flags, wb_progress_fn fn, void *arg)
{
	static const struct wb_progress none;
	KEEP_ERRNO;
	struct drain *d;
	int r;

	if (!wb || flags)
		return -EINVAL;
	if (fcntl(fd, F_GETFD) < 0)
		return -EBADF;
	d = calloc(1, sizeof(*d)); /* too large for a thread's stack */
	if (!d)
		return -ENOMEM;
	d->fn = fn;
	d->arg = arg;
	wbi_conn_init(&d->conn);
	r = drain(wb, fd, d);
	if (r == 0)
		r = report(d, &none, false);
	free(d);
	if (r < 0)
		return r;
	do
		r = syncfs(fd) < 0 ? -errno : 0;
	while (r == -EINTR);
	return r;
}

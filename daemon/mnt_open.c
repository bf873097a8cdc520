/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See mnt_open.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "daemon/mnt_open.h"

/* Some hints ask for it thousands of times a second: no stdio. */
int mnt_fdinfo_id(int fd)
{
	char path[64], text[512];
	const char *at;
	ssize_t n;
	int f, id;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = open(path, O_RDONLY | O_CLOEXEC);
	if (f < 0)
		return -ENODATA;
	n = read(f, text, sizeof(text) - 1);
	(void)close(f);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "mnt_id:");
	return at && sscanf(at, "mnt_id: %d", &id) == 1 ? id : -ENODATA;
}

static int mnt_id_of(int fd)
{
	struct statx sx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &sx) == 0 &&
	    sx.stx_mask & STATX_MNT_ID)
		return (int)sx.stx_mnt_id;
	return mnt_fdinfo_id(fd); /* before Linux 5.8 */
}

int mnt_open(const char *path, int mnt_id)
{
	/* Mostly a directory; a single file that is a bind mount will do. */
	CLEANUP(cleanup_closep)
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int id;

	if (fd < 0)
		return -errno;
	id = mnt_id_of(fd);
	if (id < 0)
		return id;
	return id == mnt_id ? take_fd(&fd) : -ESTALE;
}

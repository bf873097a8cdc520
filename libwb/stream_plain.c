// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the paced writer does by plain system calls. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "include/wb/wb.h"
#include "libwb/stream.h"

int wbi_write_all(int fd, const char *data, size_t len, uint64_t off)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		data += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int range(const struct wbi_flush *f, int fd, unsigned flags)
{
	int r;

	do
		r = sync_file_range(fd, (off_t)f->off, (off_t)f->len, flags);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

static bool is_denied(int r)
{
	return r == -ENOSYS || r == -EPERM || r == -EACCES;
}

void wbi_plain_start(struct wb_stream *s, const struct wbi_flush *f)
{
	if (!s->no_range && is_denied(range(f, s->fd, SYNC_FILE_RANGE_WRITE)))
		s->no_range = true;
}

int wbi_plain_wait(struct wb_stream *s, const struct wbi_flush *f)
{
	int r = -ENOSYS;

	if (!s->no_range)
		r = range(f, s->fd,
			  SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				  SYNC_FILE_RANGE_WAIT_AFTER);
	if (!is_denied(r))
		return r;
	s->no_range = true;
	do
		r = fdatasync(s->fd) < 0 ? -errno : 0;
	while (r == -EINTR);
	return r;
}

int wbi_preallocate(int fd, uint64_t from, uint64_t to)
{
	int r;

	do
		r = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading what the kernel may hand out in pieces (procfs: a page at a time). */
#ifndef WB_READ_H
#define WB_READ_H

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Read fd up to its end, but len - 1 bytes at most, and end them by a zero byte.  A
 * signal does not cut it short.  Returns the number of bytes, or -errno.
 */
static inline ssize_t read_to_end(int fd, char *buf, size_t len)
{
	size_t n = 0;

	while (n < len - 1) {
		ssize_t r = read(fd, buf + n, len - 1 - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (!r)
			break;
		n += (size_t)r;
	}
	buf[n] = '\0';
	return (ssize_t)n;
}

#endif

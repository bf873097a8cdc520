// SPDX-License-Identifier: GPL-2.0-or-later
/* See state_file.h: a new file, fsync, rename, fsync of the folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/read.h"
#include "daemon/state_file.h"

int state_file_read(const char *dir, const char *name, size_t max, char **ret,
		    size_t *ret_len)
{
	CLEANUP(cleanup_closep) int fd = -1;
	CLEANUP(cleanup_freep) char *path = NULL, *buf = NULL;
	struct stat st;
	ssize_t n;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max)
		return -EBADMSG;
	buf = malloc((size_t)st.st_size + 1);
	if (!buf)
		return -ENOMEM;
	n = read_to_end(fd, buf, (size_t)st.st_size + 1);
	if (n < 0)
		return (int)n;
	*ret = buf;
	*ret_len = (size_t)n;
	buf = NULL;
	return 0;
}

static int write_all(int fd, const char *s)
{
	size_t len = strlen(s);

	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s += n;
		len -= (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int state_file_replace(const char *dir, const char *name, const char *text)
{
	CLEANUP(cleanup_closep) int d = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP(cleanup_closep) int fd = -1;
	CLEANUP(cleanup_freep) char *new = NULL;
	int r;

	if (d < 0)
		return -errno;
	if (asprintf(&new, "%s.new", name) < 0)
		return -ENOMEM;
	/* What may be in its place is not followed and not written through. */
	(void)unlinkat(d, new, 0);
	fd = openat(d, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	(void)fchmod(fd, 0644);
	r = write_all(fd, text);
	if (r == 0 && renameat(d, new, d, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(d, new, 0);
	else if (fsync(d) < 0)
		r = -errno;
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* One wbd per runtime directory: a lock file that names its holder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/units.h"
#include "daemon/lock.h"

/* The pid that the holder wrote, or 0: it may just not have done so yet. */
static pid_t read_pid(int fd)
{
	char buf[24], err[UNITS_ERR_LEN];
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);
	uint64_t pid;

	if (n < 2 || buf[n - 1] != '\n')
		return 0;
	buf[n - 1] = '\0';
	if (units_parse_count(buf, &pid, err) < 0 || pid > INT_MAX)
		return 0;
	return (pid_t)pid;
}

static int write_pid(int fd)
{
	char buf[24];
	int len = snprintf(buf, sizeof(buf), "%d\n", (int)getpid());
	ssize_t n;

	if (ftruncate(fd, 0) < 0)
		return -errno;
	n = pwrite(fd, buf, (size_t)len, 0);
	if (n < 0)
		return -errno;
	return n == len ? 0 : -EIO;
}

/* O_NONBLOCK: a fifo in its place must not stop us. */
static int open_lock(const char *dir)
{
	CLEANUP(cleanup_closep) int dirfd = -1;
	CLEANUP(cleanup_closep) int fd = -1;
	struct stat st;

	dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		return -errno;
	fd = openat(dirfd, "wbd.lock",
		    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		    0644);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOTSUP;
	return take_fd(&fd);
}

/*
 * The file is never removed: a daemon that waits with the old file open and one
 * that creates a new file would both get "the" lock.
 */
int lock_take(const char *dir, pid_t *ret_pid)
{
	CLEANUP(cleanup_closep) int fd = open_lock(dir);
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int r;

	if (fd < 0)
		return fd;
	if (fcntl(fd, F_OFD_SETLK, &fl) < 0) {
		if (errno != EAGAIN && errno != EACCES)
			return -errno;
		*ret_pid = read_pid(fd);
		return -EBUSY;
	}
	r = write_pid(fd);
	if (r < 0)
		return r;
	return take_fd(&fd);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Small reads below ROOT/sys (or ROOT/proc), bounded and without stdio. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/read.h"
#include "daemon/fsys_sysfs.h"

static PRINTF(3, 0) int path_of(char *path, const char *root, const char *fmt, va_list ap)
{
	int n = snprintf(path, PATH_MAX, "%s/", root), m;

	if (n < 0 || n >= PATH_MAX)
		return -ENAMETOOLONG;
	m = vsnprintf(path + n, PATH_MAX - (size_t)n, fmt, ap);
	return m < 0 || m >= PATH_MAX - n ? -ENAMETOOLONG : 0;
}

#define PATH_OF(path, root, fmt)                    \
	({                                          \
		va_list ap_;                        \
		int r_;                             \
                                                    \
		va_start(ap_, fmt);                 \
		r_ = path_of(path, root, fmt, ap_); \
		va_end(ap_);                        \
		r_;                                 \
	})

static int read_path(const char *path, char *buf, size_t len)
{
	int fd CLEANUP(cleanup_closep) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read_to_end(fd, buf, len);
	if (n < 0)
		return (int)n;
	while (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return (int)n;
}

int sysfs_read(const char *root, char *buf, size_t len, const char *fmt, ...)
{
	char path[PATH_MAX];
	int r = PATH_OF(path, root, fmt);

	return r < 0 ? r : read_path(path, buf, len);
}

int sysfs_u64(const char *root, uint64_t *ret, const char *fmt, ...)
{
	char path[PATH_MAX], buf[32] = "", *end;
	unsigned long long v;
	int r = PATH_OF(path, root, fmt);

	if (r >= 0)
		r = read_path(path, buf, sizeof(buf));
	if (r < 0)
		return r;
	errno = 0;
	v = strtoull(buf, &end, 10);
	if (errno || end == buf || *end || buf[0] == '-')
		return -EINVAL;
	*ret = v;
	return 0;
}

bool sysfs_field(const char *text, const char *name, uint64_t *ret)
{
	size_t n = strlen(name);
	const char *line, *end;

	for (line = text; line; line = end ? end + 1 : NULL) {
		if (!strncmp(line, name, n) && (line[n] == ' ' || line[n] == ':'))
			return sscanf(line + n + 1, "%" SCNu64, ret) == 1;
		end = strchr(line, '\n');
	}
	return false;
}

int sysfs_link(const char *root, char *buf, size_t len, const char *fmt, ...)
{
	char path[PATH_MAX];
	int r = PATH_OF(path, root, fmt);
	ssize_t n;

	if (r < 0)
		return r;
	n = readlink(path, buf, len);
	if (n < 0)
		return -errno;
	if ((size_t)n >= len)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return 0;
}

bool sysfs_exists(const char *root, const char *fmt, ...)
{
	char path[PATH_MAX];

	return PATH_OF(path, root, fmt) == 0 && access(path, F_OK) == 0;
}

bool sysfs_name_ok(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n < SYSFS_NAME && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

size_t sysfs_list(const char *root, char (*ret)[SYSFS_NAME], size_t max, const char *fmt,
		  ...)
{
	char path[PATH_MAX];
	const struct dirent *e;
	size_t n = 0;
	DIR *d;

	if (PATH_OF(path, root, fmt) < 0)
		return 0;
	d = opendir(path);
	if (!d)
		return 0;
	while (n < max && (e = readdir(d)) != NULL)
		if (sysfs_name_ok(e->d_name))
			strcpy(ret[n++], e->d_name);
	(void)closedir(d);
	return n;
}

static int parse_part(const char **s, unsigned long *ret)
{
	char *end;

	if (**s < '0' || **s > '9')
		return -EINVAL;
	errno = 0;
	*ret = strtoul(*s, &end, 10);
	if (errno || *ret > UINT32_MAX)
		return -EINVAL;
	*s = end;
	return 0;
}

int sysfs_parse_devno(const char *s, dev_t *ret)
{
	unsigned long maj, min;

	if (parse_part(&s, &maj) < 0 || *s++ != ':' || parse_part(&s, &min) < 0 || *s)
		return -EINVAL;
	*ret = makedev((unsigned)maj, (unsigned)min);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which files are read.  /usr/lib/wb is the vendor's, /run/wb is for the time
 * being, /etc/wb is the administrator's.  Of wb.conf, and of each drop-in name in
 * wb.conf.d/, the one in the last of these directories counts and hides the
 * others; a link to /dev/null hides them and is empty.  Drop-ins are read after
 * wb.conf, ordered by name whatever directory they are in; what is read later
 * overrides single keys.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "daemon/conf_table.h"

/* The strongest first. */
static const char *const dirs[] = {"/etc/wb", "/run/wb", "/usr/lib/wb"};

/* ---- One file --------------------------------------------------------------- */

/* 1: @st is a file to parse; 0: /dev/null, which is empty; -EINVAL: reported. */
static int check_kind(const char *path, const struct stat *st, struct conf_diags *d)
{
	if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3))
		return 0;
	if (!S_ISREG(st->st_mode)) {
		conf_diag_add(d, true, "%s: this is not a regular file", path);
		return -EINVAL;
	}
	if (st->st_size > CONF_FILE_MAX) {
		conf_diag_add(d, true, "%s: the file is larger than 1M", path);
		return -EINVAL;
	}
	return 1;
}

/* 0 with findings in @d, -ENOENT (not reported), or -ENOMEM. */
static int read_file(struct conf *c, const char *path, struct conf_diags *d)
{
	CLEANUP(cleanup_closep) int fd = -1;
	CLEANUP(cleanup_fclosep) FILE *f = NULL;
	struct stat st;

	/* O_NONBLOCK: a fifo without a writer must not stop us. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0) {
		conf_diag_add(d, true, "%s: cannot be read: %s", path, strerror(errno));
		return 0;
	}
	if (check_kind(path, &st, d) <= 0)
		return 0;
	f = fdopen(fd, "r");
	if (!f)
		return -ENOMEM;
	(void)take_fd(&fd);
	return conf_parse(c, f, path, d);
}

int conf_read_file(struct conf *c, const char *path, struct conf_diags *d)
{
	int r = read_file(c, path, d);

	if (r == -ENOENT) {
		conf_diag_add(d, true, "%s: cannot be read: %s", path, strerror(ENOENT));
		r = 0;
	}
	return r;
}

/* ---- Drop-ins --------------------------------------------------------------- */

struct dropins {
	char **path;
	size_t n;
};

static void dropins_clear(struct dropins *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->path[i]);
	free(l->path);
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(base_name(*(char *const *)a), base_name(*(char *const *)b));
}

static bool is_dropin(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 && !strcmp(name + len - 5, ".conf");
}

static bool has_name(const struct dropins *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(base_name(l->path[i]), name))
			return true;
	return false;
}

static int add_dropin(struct dropins *l, const char *dir, const char *name)
{
	if (!l->path)
		l->path = calloc(CONF_DROPIN_MAX, sizeof(*l->path));
	if (!l->path || asprintf(&l->path[l->n], "%s/%s", dir, name) < 0)
		return -ENOMEM;
	l->n++;
	return 0;
}

/* Names that a stronger directory has already are hidden. */
static int scan_dir(struct dropins *l, const char *dir, struct conf_diags *d)
{
	DIR *h = opendir(dir);
	struct dirent *e;
	int r = 0;

	if (!h) {
		if (errno != ENOENT)
			conf_diag_add(d, true, "%s: cannot be read: %s", dir,
				      strerror(errno));
		return 0;
	}
	while (r == 0 && (e = readdir(h))) {
		if (!is_dropin(e->d_name) || has_name(l, e->d_name))
			continue;
		if (l->n == CONF_DROPIN_MAX) {
			conf_diag_add(d, true, "%s: there are more than %d drop-ins", dir,
				      CONF_DROPIN_MAX);
			break;
		}
		r = add_dropin(l, dir, e->d_name);
	}
	(void)closedir(h);
	return r;
}

static int read_dropins(struct conf *c, const char *root, struct conf_diags *d)
{
	CLEANUP(dropins_clear) struct dropins l = {0};
	int r = 0;

	for (unsigned i = 0; r == 0 && i < ARRAY_SIZE(dirs); i++) {
		CLEANUP(cleanup_freep) char *dir = NULL;

		if (asprintf(&dir, "%s%s/wb.conf.d", root, dirs[i]) < 0)
			return -ENOMEM;
		r = scan_dir(&l, dir, d);
	}
	if (l.n)
		qsort(l.path, l.n, sizeof(*l.path), by_name);
	for (size_t i = 0; r == 0 && i < l.n; i++)
		r = conf_read_file(c, l.path[i], d);
	return r;
}

static int read_main(struct conf *c, const char *root, struct conf_diags *d)
{
	for (unsigned i = 0; i < ARRAY_SIZE(dirs); i++) {
		CLEANUP(cleanup_freep) char *path = NULL;
		int r;

		if (asprintf(&path, "%s%s/wb.conf", root, dirs[i]) < 0)
			return -ENOMEM;
		r = read_file(c, path, d);
		if (r != -ENOENT)
			return r;
	}
	return 0;
}

int conf_read_default(struct conf *c, const char *root, struct conf_diags *d)
{
	int r = read_main(c, root, d);

	if (r < 0)
		return r;
	return read_dropins(c, root, d);
}

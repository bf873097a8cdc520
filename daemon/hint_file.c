// SPDX-License-Identifier: GPL-2.0-or-later
/* See hint_file.h: the mount first, then the file, and only if it is managed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "daemon/hint_file.h"
#include "daemon/mnt_open.h"
#include "include/wb/uapi.h"

#define MOUNTS_MAX   65536
#define FOREIGN      16
#define REREAD_AFTER 1 /* seconds; a mount that is not found may be new */

struct mount {
	int id;
	dev_t dev;
};

struct hint_mounts {
	pthread_mutex_t lock;
	struct mount *v;
	size_t n, cap;
	time_t read_at; /* 0: not yet */
	/* Some of other name spaces, of which changes are not told: whoever uses one
	 * makes sure that the file is still of that superblock. */
	struct mount foreign[FOREIGN];
	unsigned next_foreign;
	struct hint_managed *managed;
	size_t n_managed;
};

struct hint_mounts *hint_mounts_new(void)
{
	struct hint_mounts *m = calloc(1, sizeof(*m));

	if (m)
		pthread_mutex_init(&m->lock, NULL);
	return m;
}

struct hint_mounts *hint_mounts_free(struct hint_mounts *m)
{
	if (!m)
		return NULL;
	pthread_mutex_destroy(&m->lock);
	free(m->v);
	free(m->managed);
	free(m);
	return NULL;
}

int hint_mounts_set(struct hint_mounts *m, const struct hint_managed *managed, size_t n)
{
	struct hint_managed *copy = malloc((n + 1) * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, managed, n * sizeof(*copy));
	pthread_mutex_lock(&m->lock);
	free(m->managed);
	m->managed = copy;
	m->n_managed = n;
	m->read_at = 0;
	pthread_mutex_unlock(&m->lock);
	return 0;
}

/* ---- mounts --------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct mount *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static bool add_mount(struct hint_mounts *m, int id, dev_t dev)
{
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 64;
		struct mount *v = reallocarray(m->v, cap, sizeof(*v));

		if (!v || cap > MOUNTS_MAX)
			return false;
		m->v = v;
		m->cap = cap;
	}
	m->v[m->n++] = (struct mount){id, dev};
	return true;
}

/* "36 35 98:0 / /mnt rw - xfs /dev/sda rw": the first three fields are ours. */
static void read_mounts(struct hint_mounts *m)
{
	CLEANUP(cleanup_fclosep) FILE *f = fopen("/proc/self/mountinfo", "re");
	CLEANUP(cleanup_freep) char *line = NULL;
	unsigned maj, min;
	size_t cap = 0;
	int id;

	m->n = 0;
	m->read_at = time(NULL);
	while (f && getline(&line, &cap, f) > 0)
		if (sscanf(line, "%d %*d %u:%u ", &id, &maj, &min) == 3 &&
		    !add_mount(m, id, makedev(maj, min)))
			break;
	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_id);
}

static const struct mount *search(const struct hint_mounts *m, int id)
{
	const struct mount key = {.id = id};

	return m->n ? bsearch(&key, m->v, m->n, sizeof(key), by_id) : NULL;
}

/* The superblock of mount @id, or 0: it is not in this name space. */
static dev_t dev_of_mount(struct hint_mounts *m, int id)
{
	const struct mount *found;
	dev_t dev;

	pthread_mutex_lock(&m->lock);
	if (!m->read_at)
		read_mounts(m);
	found = search(m, id);
	if (!found && time(NULL) - m->read_at >= REREAD_AFTER) {
		read_mounts(m);
		found = search(m, id);
	}
	dev = found ? found->dev : 0;
	pthread_mutex_unlock(&m->lock);
	return dev;
}

static void note_foreign(struct hint_mounts *m, int id, dev_t dev)
{
	struct mount *f = m->foreign;

	pthread_mutex_lock(&m->lock);
	while (f < m->foreign + FOREIGN && f->id != id)
		f++;
	if (f == m->foreign + FOREIGN)
		f = &m->foreign[m->next_foreign++ % FOREIGN];
	*f = (struct mount){id, dev};
	pthread_mutex_unlock(&m->lock);
}

static const struct mount *search_foreign(const struct hint_mounts *m, int id)
{
	for (const struct mount *f = m->foreign; f < m->foreign + FOREIGN; f++)
		if (f->dev && f->id == id)
			return f;
	return NULL;
}

static bool is_managed(struct hint_mounts *m, dev_t dev)
{
	bool yes = false;

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < m->n_managed && !yes; i++)
		yes = m->managed[i].dev == dev;
	pthread_mutex_unlock(&m->lock);
	return yes;
}

/* ---- the file ---------------------------------------------------------------- */

/* 0 and the superblock, if the descriptor is on a managed one.  A mount of another
 * name space (a container's, or the host's seen from within the service) has no
 * entry here: then the file must be asked, without going to a server for it. */
static int find_managed(struct hint_mounts *m, int fd, dev_t *ret)
{
	int id = mnt_fdinfo_id(fd); /* no file system is asked */
	struct statx sx;

	if (id < 0)
		return id;
	*ret = dev_of_mount(m, id);
	if (!*ret) {
		if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &sx) <
		    0)
			return -errno;
		*ret = makedev(sx.stx_dev_major, sx.stx_dev_minor);
		note_foreign(m, id, *ret);
	}
	return is_managed(m, *ret) ? 0 : -EXDEV;
}

static void look_xfs(int fd, struct hint_file *f)
{
	struct fsxattr x;

	if (ioctl(fd, FS_IOC_FSGETXATTR, &x) < 0)
		return;
	f->xfs = true;
	f->extsize = x.fsx_xflags & FS_XFLAG_EXTSIZE ? x.fsx_extsize : 0;
	f->extents = x.fsx_nextents;
	f->realtime = x.fsx_xflags & FS_XFLAG_REALTIME;
}

static int order_max(dev_t dev)
{
	CLEANUP(cleanup_closep) int fd = -1;
	char path[80], text[16] = "";
	int order;

	(void)snprintf(path, sizeof(path), "/sys/fs/writeback/%u:%u/folio_order_max",
		       major(dev), minor(dev));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	return sscanf(text, "%d", &order) == 1 ? order : -1;
}

static void look_order(int fd, struct hint_file *f)
{
	struct fs_writeback_context c = {0};

	f->order = f->order_max = -1;
	if (ioctl(fd, FS_IOC_WRITEBACK_CONTEXT_GET, &c) < 0)
		return;
	f->order = (int)c.folio_order;
	f->order_max = order_max(f->dev);
	f->large_folios = access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0;
}

int hint_file_look(struct hint_mounts *m, int fd, struct hint_file *ret)
{
	int flags = fcntl(fd, F_GETFL);
	struct hint_file f = {0};
	struct stat st;
	int r;

	if (flags < 0)
		return -errno;
	if (flags & O_PATH)
		return -EBADF;
	f.writable = (flags & O_ACCMODE) != O_RDONLY;
	r = find_managed(m, fd, &f.dev);
	if (r < 0) {
		ret->dev = f.dev;
		return r;
	}
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	f.ino = st.st_ino;
	f.block = st.st_blksize > 0 ? (uint32_t)st.st_blksize : 0;
	look_xfs(fd, &f);
	look_order(fd, &f);
	*ret = f;
	return 0;
}

/* What is known of mount @id is enough to ask its files on the loop. */
static bool is_quick(struct hint_mounts *m, int id, dev_t *ret, bool *ret_foreign)
{
	const struct mount *found = NULL;
	bool yes = false;

	/* A thread that reads the mount table holds it for long. */
	if (pthread_mutex_trylock(&m->lock))
		return false;
	if (m->read_at)
		found = search(m, id);
	*ret_foreign = !found;
	if (m->read_at && !found)
		found = search_foreign(m, id);
	for (size_t i = 0; found && i < m->n_managed && !yes; i++)
		yes = m->managed[i].dev == found->dev && m->managed[i].quick;
	if (yes)
		*ret = found->dev;
	pthread_mutex_unlock(&m->lock);
	return yes;
}

int hint_file_glance(struct hint_mounts *m, int fd, struct hint_file *ret)
{
	int id, flags = fcntl(fd, F_GETFL);
	struct hint_file f = {0};
	struct statx sx;
	bool foreign;

	if (flags < 0 || (flags & O_PATH))
		return -EAGAIN;
	id = mnt_fdinfo_id(fd);
	if (id < 0 || !is_quick(m, id, &f.dev, &foreign))
		return -EAGAIN;
	/* Should the number be another mount's by now: no server is asked. */
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO,
		  &sx) < 0 ||
	    !S_ISREG(sx.stx_mode))
		return -EAGAIN;
	if (foreign && makedev(sx.stx_dev_major, sx.stx_dev_minor) != f.dev)
		return -EAGAIN;
	f.ino = sx.stx_ino;
	f.writable = (flags & O_ACCMODE) != O_RDONLY;
	*ret = f;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worker's side of work.h.  Nothing here touches the loop's data. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <xfs/xfs.h>

#include "common/cleanup.h"
#include "daemon/cachestat.h"
#include "daemon/mnt_open.h"
#include "daemon/work.h"

#define FID_INO32_GEN 1    /* FILEID_INO32_GEN */
#define FID_XFS64     0x81 /* FILEID_INO32_GEN | XFS_FILEID_TYPE_64FLAG */

static uint64_t ms_between(const struct timespec *a, const struct timespec *b)
{
	int64_t ms = (int64_t)(b->tv_sec - a->tv_sec) * 1000 +
		     (b->tv_nsec - a->tv_nsec) / 1000000;

	return ms > 0 ? (uint64_t)ms : 0;
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* ---- reaching an inode --------------------------------------------------- */

/* XFS checks the generation of a handle; one inode's is told by bulkstat. */
static int xfs_generation(int dir, uint64_t ino, uint32_t *ret)
{
	struct xfs_bstat bs;
	__u64 want = ino;
	struct xfs_fsop_bulkreq req = {
		.lastip = &want,
		.icount = 1,
		.ubuffer = &bs,
	};

	if (ioctl(dir, XFS_IOC_FSBULKSTAT_SINGLE, &req) < 0)
		return errno == EINVAL || errno == ENOENT ? -ESTALE : -errno;
	*ret = bs.bs_gen;
	return 0;
}

static int make_handle(const struct work_fs *fs, int dir, const struct work_item *it,
		       struct file_handle *h)
{
	uint32_t ino32 = (uint32_t)it->ino, gen = 0;
	int r;

	switch (fs->how) {
	case WORK_HANDLE:
		h->handle_type = it->handle_type;
		h->handle_bytes = it->handle_len;
		memcpy(h->f_handle, it->handle, it->handle_len);
		return 0;
	case WORK_INO32:
		if (it->ino > UINT32_MAX)
			return -ESTALE;
		h->handle_type = FID_INO32_GEN;
		h->handle_bytes = 8;
		memcpy(h->f_handle, &ino32, 4);
		memcpy(h->f_handle + 4, &gen, 4); /* 0: whatever it is */
		return 0;
	case WORK_XFS:
		r = xfs_generation(dir, it->ino, &gen);
		if (r < 0)
			return r;
		h->handle_type = FID_XFS64;
		h->handle_bytes = 12;
		memcpy(h->f_handle, &it->ino, 8);
		memcpy(h->f_handle + 8, &gen, 4);
		return 0;
	}
	return -EINVAL;
}

/*
 * First without opening (O_PATH): the number may belong to a device or a FIFO by
 * now, and opening those does things.  Then for reading: sync_file_range() asks
 * for no more.  O_NONBLOCK: never wait for the holder of a write lease.
 */
static int open_inode(const struct work_fs *fs, int dir, const struct work_item *it,
		      struct stat *st)
{
	union {
		struct file_handle h;
		char space[sizeof(struct file_handle) + ITAB_HANDLE_MAX + 2];
	} u;
	CLEANUP(cleanup_closep) int ref = -1;
	char path[40];
	int fd, r = make_handle(fs, dir, it, &u.h);

	if (r < 0)
		return r;
	ref = open_by_handle_at(dir, &u.h, O_PATH | O_CLOEXEC);
	if (ref < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	if (fstat(ref, st) < 0)
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -ESTALE;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ref);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* ---- looking ------------------------------------------------------------- */

static bool is_skipped(const struct work_fs *fs, uint64_t ino)
{
	for (unsigned i = 0; i < fs->n_skip; i++)
		if (fs->skip[i].dev == fs->dev && fs->skip[i].ino == ino)
			return true;
	return false;
}

/* Where it is, in this name space; a file whose name is not in memory has none. */
static const char *path_of(int fd, const struct stat *st, char *buf, size_t size)
{
	char link[40];
	ssize_t n;

	if (!st->st_nlink)
		return NULL;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, size - 1);
	if (n <= 0 || (size_t)n == size - 1 || *buf != '/')
		return NULL;
	buf[n] = '\0';
	return buf;
}

/* A lease counts before any rule: who writes the file knows best. */
static void find_hint(const struct work_fs *fs, struct work_item *it, int fd,
		      const struct stat *st)
{
	char buf[PATH_MAX];
	const char *path = NULL;

	it->rule = -1;
	if (hint_is_set(&it->hint) || !fs->rules)
		return;
	if (fs->rules->by_path)
		path = path_of(fd, st, buf, sizeof(buf));
	it->rule = hint_rules_pick(fs->rules, path, it->processes);
	if (it->rule >= 0)
		it->hint = fs->rules->v[it->rule].hint;
}

static int look(const struct work_batch *b, struct work_item *it, int fd,
		const struct stat *st)
{
	const struct work_fs *fs = b->fs;
	struct judge_now now = {
		.age_ms = it->age_ms,
		.pressure = b->pressure,
		.drain = it->drain,
	};
	struct judge_conf conf = fs->judge;
	struct timespec ts;
	uint64_t dirty;

	if (is_skipped(fs, st->st_ino))
		return -ESTALE;
	if (fs->how == WORK_HANDLE)
		it->group = geom_group_of_ino(&fs->geom, st->st_ino);
	it->ino = st->st_ino;
	now.size = (uint64_t)st->st_size;
	now.exact = b->cachestat && cachestat_dirty(fd, &dirty) == 0;
	now.dirty = now.exact ? dirty : now.size;
	/* ctime: unlike mtime nobody can set it, and every write moves it. */
	clock_gettime(CLOCK_REALTIME, &ts);
	now.idle_ms = ms_between(&st->st_ctim, &ts);
	it->size = now.size;
	it->dirty = now.dirty;
	find_hint(fs, it, fd, st);
	if (hint_is_set(&it->hint))
		(void)hint_flush(&fs->judge, &it->hint, &conf);
	it->verdict = judge(&conf, &it->past, &now);
	it->verdict.stride = conf.stride;
	return 0;
}

/* Where the data is, where it is worth knowing: a small file's data lies beside
 * its inode. */
static void find_group(const struct work_fs *fs, struct work_item *it, int fd)
{
	enum geom_basis basis;
	int g;

	if (fs->geom.kind == GEOM_HASH || it->dirty < WORK_DATA_GROUP)
		return;
	g = geom_of_fd(&fs->geom, fd, it->ino, it->size, &basis);
	if (g >= 0)
		it->group = (uint32_t)g;
}

/* ---- one inode ----------------------------------------------------------- */

static void write_out(struct work_item *it, int fd)
{
	const struct judge_ret *v = &it->verdict;

	if (sync_file_range(fd, (off_t)v->off, (off_t)(v->end - v->off),
			    SYNC_FILE_RANGE_WRITE) < 0)
		it->flush_error = -errno;
	it->flushed = true;
}

/*
 * fanotify: a record that is about to be dropped must not leave its inode
 * silenced.  The mark goes first and the look is repeated, so that a write in
 * between is either seen by the look or announced.
 */
static int rearm(const struct work_batch *b, struct work_item *it, int fd)
{
	int r = fan_rearm(b->fs->fan_fd, fd);
	struct stat st;

	if (r < 0)
		return r;
	it->silenced = false;
	return fstat(fd, &st) < 0 ? -errno : look(b, it, fd, &st);
}

static int look_and_act(const struct work_batch *b, struct work_item *it, int *fd,
			const struct stat *st)
{
	const struct work_fs *fs = b->fs;
	bool small;
	int r;

	if (it->silence && fan_silence(fs->fan_fd, fs->marks, *fd) == 0)
		it->silenced = true;
	r = look(b, it, *fd, st);
	if (r < 0)
		return r;
	if (it->verdict.verdict == JUDGE_DROP && it->silenced) {
		r = rearm(b, it, *fd);
		if (r < 0)
			return r;
	}
	if (it->verdict.verdict != JUDGE_FLUSH)
		return 0;
	small = it->verdict.bytes <= WORK_SMALL && it->size <= WORK_SMALL;
	if (small && it->silenced && fan_rearm(fs->fan_fd, *fd) == 0)
		it->silenced = false;
	if (small) {
		write_out(it, *fd);
		return 0;
	}
	find_group(fs, it, *fd);
	it->fd = take_fd(fd);
	return 0;
}

static void one(const struct work_batch *b, int dir, struct work_item *it)
{
	uint64_t start = now_us();
	struct stat st = {0};
	CLEANUP(cleanup_closep) int fd = open_inode(b->fs, dir, it, &st);

	it->error = fd < 0 ? fd : look_and_act(b, it, &fd, &st);
	it->cost_us = (uint32_t)(now_us() - start);
}

void work_run(struct pool_job *job)
{
	struct work_batch *b = (struct work_batch *)job;
	CLEANUP(cleanup_closep) int dir = mnt_open(b->fs->target, b->fs->mnt_id);

	for (unsigned i = 0; i < b->n; i++) {
		struct work_item *it = &b->item[i];

		it->fd = -1;
		if (dir < 0) {
			it->error = dir;
			it->unreachable = true;
		} else {
			one(b, dir, it);
		}
	}
}

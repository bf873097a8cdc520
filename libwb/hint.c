// SPDX-License-Identifier: LGPL-2.1-or-later
/* Hints, and what became of them. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libwb/int.h"
#if __has_include("include/wb/uapi.h")
#include "include/wb/uapi.h"
#endif

/* The patched kernel's advice; any other says EINVAL.  6 and 7 are taken on s390. */
#ifndef POSIX_FADV_WRITE_SIZE
#define POSIX_FADV_WRITE_SIZE 8
#endif

#define ORDER_EFFECT "folio-order"

/* ---- the effect that needs no daemon
 * --------------------------------------------------- */

static int advise_order(struct wb *wb, int fd, uint64_t bytes)
{
	int r;

	if (atomic_load_explicit(&wb->orders, memory_order_relaxed) == ORDERS_NO)
		return -EINVAL;
	r = posix_fadvise(fd, 0, (off_t)bytes, POSIX_FADV_WRITE_SIZE);
	/* EOPNOTSUPP is one file system's word. */
	if (r == EINVAL)
		atomic_store(&wb->orders, ORDERS_NO);
	else if (r == 0)
		atomic_store(&wb->orders, ORDERS_YES);
	return -r;
}

/* @error: what the kernel said to the hint. */
static void order_effect(struct wb_effect *e, int error)
{
	wbi_copy(e->name, sizeof(e->name), ORDER_EFFECT);
	e->in_force = error == 0;
	switch (error) {
	case 0:
		wbi_copy(e->why, sizeof(e->why), "");
		break;
	case -ENODATA:
		wbi_copy(e->why, sizeof(e->why), "there is no write-size hint");
		break;
	case -EINVAL:
		wbi_copy(e->why, sizeof(e->why),
			 "this kernel takes no hints about folio orders");
		break;
	case -EOPNOTSUPP:
		wbi_copy(e->why, sizeof(e->why), "this file system has no large folios");
		break;
	default:
		wbi_copy(e->why, sizeof(e->why), "the kernel refused the hint");
	}
}

/* ---- hints
 * ------------------------------------------------------------------------------- */

static uint64_t round_write_size(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (bytes > WB_WRITE_SIZE_MAX)
		return WB_WRITE_SIZE_MAX;
	return (bytes + page - 1) / page * page;
}

/* Nobody listens, and it is not yet time to look again. */
static bool nobody_hears(const struct wb *wb)
{
	int64_t at = atomic_load_explicit(&wb->retry_at_ms, memory_order_relaxed);

	return at && wbi_now_coarse_ms() < at;
}

/* No daemon, or one that is older than hints, is no error: they are advice. */
static int mild(int r)
{
	return r == -ENOTCONN || r == -ENOSYS ? 0 : r;
}

/* Some effects are possible only before the first byte. */
static bool is_empty(const struct stat *st)
{
	return st->st_size == 0 && st->st_blocks == 0;
}

/* The parameters of a hint, what is not given left out. */
static void compose(char *msg, size_t size, uint64_t write_size, uint64_t file_size,
		    bool keep)
{
	int n = snprintf(msg, size, "{\"method\":\"io.writeback.Hint\",\"parameters\":{");

	if (write_size)
		n += snprintf(msg + n, size - (size_t)n, "\"write_size\":%" PRIu64,
			      write_size);
	if (file_size)
		n += snprintf(msg + n, size - (size_t)n, "%s\"file_size\":%" PRIu64,
			      write_size ? "," : "", file_size);
	(void)snprintf(msg + n, size - (size_t)n, "%s}}", keep ? ",\"keep\":true" : "");
}

static int64_t birth_of(int fd)
{
	struct statx sx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &sx) < 0 ||
	    !(sx.stx_mask & STATX_BTIME))
		return 0;
	return sx.stx_btime.tv_sec * (int64_t)1000000000 + sx.stx_btime.tv_nsec;
}

/* Of the file, made for it if need be; the lock is held. */
static struct wbi_recent *recent(struct wb *wb, int fd, const struct stat *st)
{
	struct wbi_recent *e = wb->recent;
	int64_t birth = is_empty(st) ? birth_of(fd) : 0;

	while (e < wb->recent + WBI_RECENT &&
	       (e->ino != st->st_ino || e->dev != st->st_dev))
		e++;
	if (e < wb->recent + WBI_RECENT && (!birth || birth == e->birth))
		return e;
	if (e == wb->recent + WBI_RECENT)
		e = &wb->recent[wb->next_recent++ % WBI_RECENT];
	*e = (struct wbi_recent){.dev = st->st_dev, .ino = st->st_ino, .birth = birth};
	return e;
}

/* The lock is held. */
static int call(struct wb *wb, int fd, const char *msg, bool wait)
{
	struct wbi_reply reply;
	int r = wbi_call(wb, msg, fd, wait ? &reply : NULL);

	return r == 0 && wait ? wbi_reply_errno(&reply) : r;
}

/* The daemon replaces what it has of a file: both sizes always go together. */
static int tell(struct wb *wb, int fd, const struct stat *st, uint64_t write_size,
		uint64_t file_size)
{
	struct wbi_recent *e = recent(wb, fd, st);
	char msg[WBI_CALL_MAX];
	int r;

	if (write_size)
		e->write_size = write_size;
	if (file_size)
		e->file_size = file_size;
	compose(msg, sizeof(msg), e->write_size, e->file_size, wb->keep);
	r = call(wb, fd, msg, is_empty(st));
	/* Only where the daemon manages it: the administrator's word. */
	if (r == 0 && is_empty(st))
		e->extsize = wbi_xfs_set(fd, e->write_size, e->file_size, e->extsize) ||
			     e->extsize;
	return r;
}

int wbi_hint(struct wb *wb, int fd, uint64_t write_size, uint64_t file_size)
{
	struct stat st;
	int r;

	if (nobody_hears(wb) &&
	    (!write_size ||
	     atomic_load_explicit(&wb->orders, memory_order_relaxed) == ORDERS_NO))
		return 0;
	r = wbi_check_fd(fd, &st);
	if (r < 0)
		return r;
	if (write_size) {
		write_size = round_write_size(write_size);
		(void)advise_order(wb, fd, write_size);
	}
	if (nobody_hears(wb))
		return 0;
	if (file_size > INT64_MAX)
		file_size = INT64_MAX;
	wbi_enter(wb);
	r = tell(wb, fd, &st, write_size, file_size);
	wbi_leave(wb);
	return mild(r);
}

int wb_hint_write_size(struct wb *wb, int fd, uint64_t bytes)
{
	KEEP_ERRNO;

	return wb && bytes ? wbi_hint(wb, fd, bytes, 0) : -EINVAL;
}

int wb_hint_file_size(struct wb *wb, int fd, uint64_t bytes)
{
	KEEP_ERRNO;

	return wb && bytes ? wbi_hint(wb, fd, 0, bytes) : -EINVAL;
}

/* The lock is held. */
static int forget(struct wb *wb, int fd, const struct stat *st)
{
	struct wbi_recent *e = recent(wb, fd, st);

	if (e->extsize && is_empty(st))
		wbi_xfs_unset(fd);
	*e = (struct wbi_recent){0};
	return call(wb, fd, "{\"method\":\"io.writeback.HintClear\",\"parameters\":{}}",
		    is_empty(st));
}

int wb_hint_clear(struct wb *wb, int fd)
{
	KEEP_ERRNO;
	struct stat st;
	int r;

	if (!wb)
		return -EINVAL;
	r = wbi_check_fd(fd, &st);
	if (r < 0)
		return r;
	(void)advise_order(wb, fd, 0);
	wbi_enter(wb);
	r = forget(wb, fd, &st);
	wbi_leave(wb);
	return mild(r);
}

/* ---- query
 * --------------------------------------------------------------------------------- */

static const char *absent_words(int r)
{
	switch (r) {
	case -ENOTCONN:
		return "the daemon does not run or cannot be reached";
	case -ETIMEDOUT:
		return "the daemon does not answer";
	case -ENOSYS:
		return "the daemon is older than hints";
	default:
		return "the daemon did not understand";
	}
}

/* What the daemon said, or why it said nothing; -errno if the descriptor is to blame. */
static int ask(struct wb *wb, int fd, struct wb_info *info)
{
	static const char msg[] = "{\"method\":\"io.writeback.Query\",\"parameters\":{}}";
	struct wbi_reply reply = {.info = {.context = -1, .group = -1}};
	int r;

	wbi_enter(wb);
	r = wbi_call(wb, msg, fd, &reply);
	wbi_leave(wb);
	if (r == 0) {
		reply.info.daemon = 1;
		r = wbi_reply_errno(&reply);
	}
	*info = reply.info;
	if (r == -EBADF)
		return r;
	if (r < 0)
		wbi_copy(info->why, sizeof(info->why),
			 reply.reason[0] ? reply.reason : absent_words(r));
	if (!info->engine[0])
		wbi_copy(info->engine, sizeof(info->engine), "none");
	return 0;
}

/*
 * The kernel is not asked what it knows: advice cannot be read.  With a daemon the hint
 * is given again, which changes nothing and gets the kernel's word.
 */
static void add_order(struct wb *wb, int fd, struct wb_info *info)
{
	struct wb_effect *e;
	int r = -ENODATA;

	for (uint32_t i = 0; i < info->n_effects; i++)
		if (!strcmp(info->effects[i].name, ORDER_EFFECT))
			return;
	if (info->n_effects == WB_EFFECTS_MAX)
		return;
	if (atomic_load(&wb->orders) == ORDERS_NO)
		r = -EINVAL;
	else if (info->write_size)
		r = advise_order(wb, fd, info->write_size);
	e = &info->effects[info->n_effects++];
	memset(e, 0, sizeof(*e));
	order_effect(e, r);
}

int wb_query(struct wb *wb, int fd, struct wb_info *info)
{
	KEEP_ERRNO;
	struct wb_info full = {0};
	uint32_t size;
	struct stat st;
	int r;

	if (!wb || !info || info->size < offsetof(struct wb_info, effects))
		return -EINVAL;
	r = wbi_check_fd(fd, &st);
	if (r == 0)
		r = ask(wb, fd, &full);
	if (r < 0)
		return r;
	add_order(wb, fd, &full);
	size = info->size < sizeof(full) ? info->size : sizeof(full);
	full.size = size;
	memcpy(info, &full, size);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Hints, and what became of them. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libwb/int.h"

/* ---- what a hint says -------------------------------------------------------------- */

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

/* What is not given is left out. */
static void compose(char *msg, size_t size, const struct wbi_recent *e, bool keep,
		    bool answered)
{
	int n = snprintf(msg, size, "{\"method\":\"io.writeback.Hint\",\"parameters\":{");

	if (e->write_size)
		n += snprintf(msg + n, size - (size_t)n, "\"write_size\":%" PRIu64,
			      e->write_size);
	if (e->file_size)
		n += snprintf(msg + n, size - (size_t)n, "%s\"file_size\":%" PRIu64,
			      e->write_size ? "," : "", e->file_size);
	(void)snprintf(msg + n, size - (size_t)n, "%s}%s}", keep ? ",\"keep\":true" : "",
		       answered ? "" : ",\"oneway\":true");
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

/* ---- how a hint is told; the lock is held ---------------------------------------- */

/* NULL: the daemon took no hint for this file system lately. */
static const struct wbi_trust *trusted(const struct wb *wb, dev_t dev)
{
	for (const struct wbi_trust *t = wb->trust; t < wb->trust + WBI_TRUST; t++)
		if (t->until_ms && t->dev == dev)
			return wbi_now_coarse_ms() < t->until_ms ? t : NULL;
	return NULL;
}

static void trust(struct wb *wb, int fd, dev_t dev)
{
	struct wbi_trust *t = wb->trust;

	while (t < wb->trust + WBI_TRUST && t->dev != dev)
		t++;
	if (t == wb->trust + WBI_TRUST)
		t = &wb->trust[wb->next_trust++ % WBI_TRUST];
	*t = (struct wbi_trust){dev, wbi_now_coarse_ms() + WBI_TRUST_MS,
				wbi_xfs_block(fd)};
}

/*
 * What XFS is asked to do is asked only where the daemon takes hints, which is the
 * administrator's word: it is waited for, but not for each of many new files.  After
 * a refusal of a hint that was not waited for, the next one hears of it.
 */
static enum wbi_answer answer_for(const struct wb *wb, const struct stat *st)
{
	if (wb->doubt || (is_empty(st) && !trusted(wb, st->st_dev)))
		return ANSWER_NOW;
	return wb->unanswered >= WBI_UNANSWERED ? ANSWER_LATER : ANSWER_NONE;
}

static int call(struct wb *wb, int fd, dev_t dev, const char *msg, enum wbi_answer answer)
{
	struct wbi_reply reply;
	int r = wbi_call(wb, msg, fd, answer, &reply);

	if (r < 0 || answer != ANSWER_NOW)
		return r;
	wb->doubt = false;
	r = wbi_reply_errno(&reply);
	if (r == 0)
		trust(wb, fd, dev);
	else
		memset(wb->trust, 0, sizeof(wb->trust));
	return r;
}

static void set_unit(const struct wb *wb, int fd, dev_t dev, struct wbi_recent *e)
{
	const struct wbi_trust *t = trusted(wb, dev);

	if (t && wbi_xfs_set(fd, t->xfs_block, e->write_size, e->file_size, e->extsize))
		e->extsize = true;
}

/* The daemon replaces what it has of a file: both sizes always go together. */
static int tell(struct wb *wb, int fd, const struct stat *st, uint64_t write_size,
		uint64_t file_size)
{
	struct wbi_recent *e = recent(wb, fd, st);
	const enum wbi_answer answer = answer_for(wb, st);
	char msg[WBI_CALL_MAX];
	int r;

	if (write_size)
		e->write_size = write_size;
	if (file_size)
		e->file_size = file_size;
	compose(msg, sizeof(msg), e, wb->keep, answer != ANSWER_NONE);
	r = call(wb, fd, st->st_dev, msg, answer);
	if (r == 0 && is_empty(st))
		set_unit(wb, fd, st->st_dev, e);
	return r;
}

static int untell(struct wb *wb, int fd, const struct stat *st)
{
	static const char quiet[] =
		"{\"method\":\"io.writeback.HintClear\",\"oneway\":true}";
	static const char msg[] = "{\"method\":\"io.writeback.HintClear\"}";
	const enum wbi_answer answer = answer_for(wb, st);
	struct wbi_recent *e = recent(wb, fd, st);

	if (e->extsize && is_empty(st))
		wbi_xfs_unset(fd);
	*e = (struct wbi_recent){0};
	return call(wb, fd, st->st_dev, answer == ANSWER_NONE ? quiet : msg, answer);
}

/* ---- hints
 * ------------------------------------------------------------------------------- */

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
		(void)wbi_order_advise(wb, fd, write_size);
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
	(void)wbi_order_advise(wb, fd, 0);
	wbi_enter(wb);
	r = untell(wb, fd, &st);
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
	r = wbi_call(wb, msg, fd, ANSWER_NOW, &reply);
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

/* The kernel itself says what it was told, so its word replaces the daemon's. */
static void add_order(struct wb *wb, int fd, struct wb_info *info)
{
	struct wb_effect e = {0};
	uint32_t at = 0;

	wbi_order_effect(wb, fd, &e);
	while (at < info->n_effects && strcmp(info->effects[at].name, e.name) != 0)
		at++;
	if (at == WB_EFFECTS_MAX)
		return;
	info->effects[at] = e;
	if (at == info->n_effects)
		info->n_effects++;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An engine on a file system of its own, on a loop device in memory, and a check of
 * all its counts and lists.  Only test_engine.c takes it in: other programs have a fake
 * engine.
 */
#ifndef WB_ENGINE_WORLD_H
#define WB_ENGINE_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/cleanup.h"
#include "daemon/cachestat.h"
#include "daemon/engine_int.h"

struct engine_world {
	struct ev_loop *loop;
	struct conf *conf;
	struct engine *e;
	const char *type;
	unsigned contexts; /* what the plan is made to say; 0: not managed */
	bool search, yields;
	char image[64], loopdev[64], mnt[64];
	dev_t dev;
	int fds; /* open before the engine was */
	/* the drain */
	struct engine_drain *drain;
	struct drain_progress last;
	unsigned calls;
	uint64_t seen; /* events */
	unsigned turns;
};

#define LIMIT_S 60.

static void world_until(struct engine_world *w, bool (*done)(struct engine_world *w));
static void world_apply(struct engine_world *w);
static void world_check(struct engine_world *w);

static int run(const char *fmt, ...) PRINTF(1, 2);
static int run(const char *fmt, ...)
{
	char cmd[512];
	va_list ap;
	int r;

	va_start(ap, fmt);
	(void)vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	r = system(cmd); /* NOLINT(cert-env33-c): a test, with words of its own */
	return WIFEXITED(r) ? WEXITSTATUS(r) : -1;
}

static int read_line(const char *cmd, char *buf, size_t len)
{
	FILE *f = popen(cmd, "re"); /* NOLINT(cert-env33-c) */
	bool got = f && fgets(buf, (int)len, f);

	if (f)
		(void)pclose(f);
	if (!got)
		return -1;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

/* ---- file system -------------------------------------------------------------- */

static const char *make_device(struct engine_world *w)
{
	char cmd[128];
	int fd;

	strcpy(w->image, "/dev/shm/wb-test-engine.XXXXXX");
	fd = mkstemp(w->image);
	if (fd < 0)
		return "no file can be made in /dev/shm";
	if (ftruncate(fd, 512 << 20) < 0)
		return "no room in /dev/shm";
	(void)close(fd);
	(void)snprintf(cmd, sizeof(cmd), "losetup -f --show %s 2>/dev/null", w->image);
	if (read_line(cmd, w->loopdev, sizeof(w->loopdev)) < 0) {
		w->loopdev[0] = '\0';
		return "no loop device is to be had";
	}
	return NULL;
}

static void world_mount(struct engine_world *w)
{
	assert_int_equal(mount(w->loopdev, w->mnt, w->type, 0, NULL), 0);
}

static bool is_unmounted(struct engine_world *w)
{
	if (umount(w->mnt) == 0)
		return true;
	assert_int_equal(errno, EBUSY);
	return false;
}

static void world_umount(struct engine_world *w)
{
	world_until(w, is_unmounted);
}

static const char *make_fs(struct engine_world *w)
{
	const char *force = !strcmp(w->type, "ext4") ? "-F" : "-f";

	if (run("mkfs.%s %s -q %s >/dev/null 2>&1", w->type, force, w->loopdev))
		return "mkfs failed";
	strcpy(w->mnt, "/tmp/wb-test-engine.XXXXXX");
	if (!mkdtemp(w->mnt)) {
		w->mnt[0] = '\0';
		return "no folder in /tmp";
	}
	if (mount(w->loopdev, w->mnt, w->type, 0, NULL) < 0)
		return "it cannot be mounted here";
	(void)umount(w->mnt);
	world_mount(w);
	return NULL;
}

/* ---- life ----------------------------------------------------------------------- */

static int world_open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	(void)closedir(d);
	return n;
}

static const char *make_engine(struct engine_world *w, enum conf_source source,
			       enum conf_io io)
{
	w->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	assert_int_equal(conf_default(&w->conf), 0);
	w->conf->source = source;
	w->conf->io = io;
	w->conf->in_flight = 2;
	/* Nothing happens by itself but what a test asks for. */
	w->conf->flush.after = CONF_OFF;
	w->conf->flush.age_ms = CONF_OFF;
	w->contexts = 4;
	w->fds = world_open_fds();
	assert_int_equal(engine_new(w->loop, w->conf, &w->e), 0);
	world_apply(w);
	if (!efs_find(w->e, w->dev))
		return "the engine cannot watch it";
	if (source == CONF_SOURCE_TRACE && efs_find(w->e, w->dev)->fan)
		return "the tracepoint is not to be had";
	if (io == CONF_IO_URING && strcmp(io_name(w->e->io), "io_uring") != 0)
		return "io_uring is not to be had";
	return NULL;
}

static const char *world_new(struct engine_world *w, const char *type,
			     enum conf_source source, enum conf_io io)
{
	const char *why = NULL;

	*w = (struct engine_world){.type = type};
	if (geteuid() != 0)
		return "must be root";
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return "no mount name space of its own";
	why = make_device(w);
	if (!why)
		why = make_fs(w);
	return why ? why : make_engine(w, source, io);
}

static void world_free(struct engine_world *w)
{
	w->drain = engine_drain_free(w->drain);
	w->e = engine_free(w->e);
	conf_free(w->conf);
	if (w->loop)
		ev_loop_destroy(w->loop);
	if (w->mnt[0]) {
		(void)umount2(w->mnt, MNT_DETACH);
		(void)rmdir(w->mnt);
	}
	if (w->loopdev[0])
		(void)run("losetup -d %s", w->loopdev);
	if (w->image[0])
		(void)unlink(w->image);
}

static void world_apply(struct engine_world *w)
{
	const struct plan_env env = {.cpus = 4, .user_engine = true};
	struct fsys_table *t;
	struct plan *p;

	assert_int_equal(fsys_scan("", &t), 0);
	assert_int_equal(plan_decide(t, w->conf, &env, &p), 0);
	for (size_t i = 0; i < p->n; i++) {
		bool ours = !strcmp(p->v[i].fs->target, w->mnt);

		p->v[i].managed = ours && w->contexts;
		if (!ours)
			continue;
		w->dev = p->v[i].fs->dev; /* btrfs: not that of stat(2) */
		p->v[i].contexts = w->contexts ? w->contexts : 1;
		p->v[i].flush = w->conf->flush;
		p->v[i].search = w->search;
		p->v[i].yields = w->yields;
	}
	assert_int_equal(engine_apply(w->e, w->conf, t, p), 0);
}

static void on_progress(const struct drain_progress *p, void *arg)
{
	struct engine_world *w = arg;

	assert_false(w->last.finished); /* nothing after the end */
	assert_true(p->inodes_done <= p->inodes_all);
	assert_true(p->bytes_done <= p->bytes_all);
	assert_true(p->inodes_done >= w->last.inodes_done);
	assert_true(p->bytes_done >= w->last.bytes_done);
	w->last = *p;
	w->calls++;
}

static void world_drain(struct engine_world *w)
{
	w->drain = engine_drain_free(w->drain);
	w->last = (struct drain_progress){0};
	w->calls = 0;
	assert_int_equal(engine_drain_start(w->e, w->dev, on_progress, w, &w->drain), 0);
	assert_int_equal(w->calls, 0); /* never from within the call */
}

static void on_turn(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop;
	(void)t;
	(void)revents;
}

static void world_until(struct engine_world *w, bool (*done)(struct engine_world *w))
{
	double end = engine_now() + LIMIT_S;
	ev_timer turn;

	ev_timer_init(&turn, on_turn, 0.005, 0.005);
	ev_timer_start(w->loop, &turn);
	while (!done(w)) {
		assert_true(engine_now() < end);
		ev_run(w->loop, EVRUN_ONCE);
		if (w->e)
			world_check(w);
	}
	ev_timer_stop(w->loop, &turn);
}

/* ---- files ------------------------------------------------------------------------ */

static int open_file(struct engine_world *w, unsigned n, int flags)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/d%u", w->mnt, n % 8);
	(void)mkdir(path, 0755);
	(void)snprintf(path, sizeof(path), "%s/d%u/f%u", w->mnt, n % 8, n);
	fd = open(path, flags | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	return fd;
}

static void world_write(struct engine_world *w, unsigned n, size_t size, unsigned salt)
{
	char *buf = malloc(size);

	for (unsigned i = 0; i < n; i++) {
		int fd = open_file(w, i, O_WRONLY | O_CREAT);

		memset(buf, (int)(i + salt), size);
		assert_int_equal(write(fd, buf, size), size);
		(void)close(fd);
	}
	free(buf);
}

static void world_sync(struct engine_world *w)
{
	int fd = open(w->mnt, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(syncfs(fd), 0);
	(void)close(fd);
}

static uint64_t world_dirty(struct engine_world *w, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++) {
		int fd = open_file(w, i, O_RDONLY);
		uint64_t dirty;

		assert_int_equal(cachestat_dirty(fd, &dirty), 0);
		sum += dirty;
		(void)close(fd);
	}
	return sum;
}

/* ---- is it all of a piece? -----------------------------------------------------------
 */

struct sums {
	uint64_t inodes, dirty, drain;
};

static void check_ctx(const struct engine *e, const struct ebdi *b, unsigned n)
{
	const struct ectx *c = &b->ctx[n];
	struct sums s = {0};
	unsigned ready = 0, flushes = 0;
	const struct eflush *fl;
	struct eflush *const *tail = (struct eflush *const *)&c->head;

	for (uint32_t i = itab_next(e->tab, 0); i != ITAB_NONE;
	     i = itab_next(e->tab, i + 1)) {
		const struct ino *r = itab_at(e->tab, i);

		if (e->fs[r->fs]->bdi != b || r->ctx != n)
			continue;
		s.inodes++;
		s.dirty += r->dirty;
		ready += r->state == INO_READY;
	}
	for (fl = c->head; fl; fl = fl->next, flushes++) {
		tail = &((struct eflush *)fl)->next;
		assert_ptr_equal(fl->ctx, c);
		assert_int_equal(itab_at(e->tab, fl->idx)->state, INO_QUEUED);
	}
	assert_ptr_equal(c->tail, tail);
	assert_int_equal(c->inodes, s.inodes);
	assert_int_equal(c->dirty, s.dirty);
	assert_int_equal(c->ready.n, ready);
	assert_int_equal(c->n_flush, flushes);
	assert_true(n < b->n || !c->ready.n); /* a context out of use gets nothing */
}

static void check_fs(const struct engine *e, const struct efs *f)
{
	struct sums s = {0};

	for (uint32_t i = itab_next(e->tab, 0); i != ITAB_NONE;
	     i = itab_next(e->tab, i + 1)) {
		const struct ino *r = itab_at(e->tab, i);

		if (r->fs != f->slot)
			continue;
		s.inodes++;
		s.dirty += r->dirty;
		s.drain += !!(r->flags & INO_F_DRAIN);
		assert_true(!f->gone || r->flags & INO_F_ORPHAN);
		assert_true(f->gone || r->ctx == efs_ctx(f, r->group)->id);
	}
	assert_true(f->refs > 0);
	assert_int_equal(f->stat.inodes, s.inodes);
	assert_int_equal(f->dirty, s.dirty);
	assert_int_equal(f->drain_left, s.drain);
	assert_true(f->drains || !f->gone || !f->drain_left || s.inodes);
}

static void world_check(struct engine_world *w)
{
	const struct engine *e = w->e;
	uint64_t active = 0, silenced = 0, waiting = 0;

	for (uint32_t i = itab_next(e->tab, 0); i != ITAB_NONE;
	     i = itab_next(e->tab, i + 1)) {
		const struct ino *r = itab_at(e->tab, i);

		assert_non_null(e->fs[r->fs]);
		active += !(r->flags & INO_F_LINGER);
		silenced += !!(r->flags & INO_F_SILENCED);
		waiting += r->state == INO_WAIT;
	}
	assert_int_equal(e->active, active);
	assert_int_equal(e->silenced, silenced);
	assert_int_equal(e->wheel.n, waiting);
	assert_true(!waiting || ev_is_active(&e->tick)); /* no wake-up is lost */
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		if (e->fs[i])
			check_fs(e, e->fs[i]);
	for (const struct ebdi *b = e->bdis; b; b = b->next)
		for (unsigned n = 0; n < CONF_CONTEXTS_MAX; n++)
			check_ctx(e, b, n);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See hint_fd.h.  The threads are detached and share an object that the last of
 * them frees, so that one that hangs for ever holds nobody up.  They come with the
 * work and leave soon after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/hint_fd.h"
#include "daemon/hint_file.h"

#define IDLE_SECONDS 5
#define STACK_BYTES  (64 * 1024)
#define SOON_S       0.01

/* Descriptors that are only to be closed. */
struct closing {
	struct hint_look l; /* first */
	unsigned n;
	int fd[HINT_FD_BATCH];
};

struct running {
	uid_t uid; /* NOBODY: idle */
	bool used;
	unsigned closing; /* descriptors of a batch */
};

#define NOBODY ((uid_t)-1)

struct hint_fds {
	struct ev_loop *loop;
	void (*room)(void *arg);
	void *arg;
	ev_io on_done;
	ev_timer later;
	struct closing *soon; /* to be submitted when it is full, or by the timer */
	int efd;

	pthread_mutex_t lock;
	pthread_cond_t work;
	struct hint_look *todo, **todo_tail;
	struct hint_look *finished;
	struct hint_mounts *mounts;
	struct running run[HINT_FD_THREADS];
	unsigned threads, idle, waiting, closing;
	bool wanted; /* somebody was told that there is no room */
	bool over;
};

static void destroy(struct hint_fds *h)
{
	struct hint_look *l;

	while ((l = h->todo)) {
		h->todo = l->next;
		free(l);
	}
	while ((l = h->finished)) {
		h->finished = l->next;
		free(l);
	}
	free(h->soon);
	hint_mounts_free(h->mounts);
	if (h->efd >= 0)
		(void)close(h->efd);
	pthread_cond_destroy(&h->work);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* ---- the threads ------------------------------------------------------------ */

static unsigned running_of(const struct hint_fds *h, uid_t uid)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HINT_FD_THREADS; i++)
		n += h->run[i].used && h->run[i].uid == uid;
	return n;
}

/* Descriptors that it closes. */
static unsigned closes(const struct hint_look *l)
{
	return l->close_only ? ((const struct closing *)l)->n : 0;
}

/* Ordinary users leave a thread to root. */
static bool may_run(const struct hint_fds *h, uid_t uid)
{
	unsigned ordinary = 0;

	for (unsigned i = 0; i < HINT_FD_THREADS; i++)
		ordinary += h->run[i].used && h->run[i].uid != NOBODY && h->run[i].uid;
	return running_of(h, uid) < HINT_FD_PER_UID &&
	       (uid == 0 || ordinary < HINT_FD_THREADS - 1);
}

/* The first whose user has a thread left; takes it off the list. */
static struct hint_look *next_look(struct hint_fds *h, unsigned slot)
{
	struct hint_look **p = &h->todo;

	while (*p && !may_run(h, (*p)->uid))
		p = &(*p)->next;
	if (*p) {
		struct hint_look *l = *p;

		*p = l->next;
		if (!*p)
			h->todo_tail = p;
		h->run[slot] = (struct running){l->uid, true, closes(l)};
		return l;
	}
	return NULL;
}

/* With the lock held.  NULL: the thread is to end. */
static struct hint_look *wait_look(struct hint_fds *h, unsigned slot)
{
	struct hint_look *l = NULL;
	struct timespec until;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_SECONDS;
	h->idle++;
	while (!h->over && !(l = next_look(h, slot)) && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&h->work, &h->lock, &until);
	h->idle--;
	return l;
}

static void finish(struct hint_fds *h, struct hint_look *l)
{
	bool tell = !l->close_only || h->wanted;
	uint64_t one = 1;

	if (l->close_only || h->over) {
		free(l);
	} else {
		l->next = h->finished;
		h->finished = l;
	}
	if (!tell || h->over)
		return;
	/* Full only when the loop has been told often enough. */
	if (write(h->efd, &one, sizeof(one)) < 0)
		return;
}

/* Without the lock. */
static void work_on(struct hint_fds *h, struct hint_look *l)
{
	if (l->close_only) {
		const struct closing *c = (struct closing *)l;

		for (unsigned i = 0; i < c->n; i++)
			(void)close(c->fd[i]);
		return;
	}
	l->error = hint_file_look(h->mounts, l->fd, &l->file);
	(void)close(l->fd);
}

static unsigned take_slot(struct hint_fds *h)
{
	unsigned i = 0;

	while (h->run[i].used)
		i++;
	h->run[i] = (struct running){NOBODY, true, 0};
	return i;
}

static void *thread(void *arg)
{
	struct hint_fds *h = arg;
	struct hint_look *l;
	unsigned slot;
	bool last;

	pthread_mutex_lock(&h->lock);
	slot = take_slot(h);
	while ((l = wait_look(h, slot))) {
		pthread_mutex_unlock(&h->lock);
		work_on(h, l);
		pthread_mutex_lock(&h->lock);
		h->run[slot] = (struct running){NOBODY, true, 0};
		h->waiting -= !l->close_only;
		h->closing -= closes(l);
		finish(h, l);
		if (h->todo) /* one that this user kept back may go */
			pthread_cond_signal(&h->work);
	}
	h->run[slot].used = false;
	last = !--h->threads && h->over;
	pthread_mutex_unlock(&h->lock);
	if (last)
		destroy(h);
	return NULL;
}

static int start_thread(struct hint_fds *h)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t t;
	int r;

	if (pthread_attr_init(&attr))
		return -ENOMEM;
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	h->threads++;
	r = pthread_create(&t, &attr, thread, h);
	if (r)
		h->threads--;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -r;
}

/* ---- the loop's side ----------------------------------------------------------- */

static void on_done(struct ev_loop *loop, ev_io *w, int revents)
{
	struct hint_fds *h = w->data;
	struct hint_look *l, *list = NULL;
	bool room;
	uint64_t n;

	(void)loop;
	(void)revents;
	if (read(h->efd, &n, sizeof(n)) < 0 && errno != EAGAIN)
		return;
	pthread_mutex_lock(&h->lock);
	while ((l = h->finished)) { /* the newest is first: turned round */
		h->finished = l->next;
		l->next = list;
		list = l;
	}
	room = h->wanted;
	h->wanted = false;
	pthread_mutex_unlock(&h->lock);
	while ((l = list)) {
		list = l->next;
		l->done(l);
	}
	if (room) /* each who still has none asks again */
		h->room(h->arg);
}

static void on_later(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop;
	(void)revents;
	hint_fds_flush(t->data);
}

int hint_fds_new(struct ev_loop *loop, void (*room)(void *arg), void *arg,
		 struct hint_fds **ret)
{
	struct hint_fds *h = calloc(1, sizeof(*h));
	pthread_condattr_t ca;

	if (!h)
		return -ENOMEM;
	h->loop = loop;
	h->room = room;
	h->arg = arg;
	h->todo_tail = &h->todo;
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&ca);
	pthread_condattr_setclock(&ca, CLOCK_MONOTONIC);
	pthread_cond_init(&h->work, &ca);
	pthread_condattr_destroy(&ca);
	h->efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	h->mounts = hint_mounts_new();
	if (h->efd < 0 || !h->mounts) {
		destroy(h);
		return -ENOMEM;
	}
	ev_io_init(&h->on_done, on_done, h->efd, EV_READ);
	ev_timer_init(&h->later, on_later, SOON_S, 0.);
	h->on_done.data = h->later.data = h;
	ev_io_start(loop, &h->on_done);
	*ret = h;
	return 0;
}

struct hint_fds *hint_fds_free(struct hint_fds *h)
{
	bool last;

	if (!h)
		return NULL;
	ev_io_stop(h->loop, &h->on_done);
	hint_fds_flush(h);
	pthread_mutex_lock(&h->lock);
	h->over = true;
	last = !h->threads;
	pthread_cond_broadcast(&h->work);
	pthread_mutex_unlock(&h->lock);
	if (last)
		destroy(h);
	return NULL;
}

int hint_fds_set_managed(struct hint_fds *h, const struct hint_managed *v, size_t n)
{
	return hint_mounts_set(h->mounts, v, n);
}

static bool has_room(const struct hint_fds *h, uid_t uid)
{
	unsigned n = running_of(h, uid);

	for (const struct hint_look *l = h->todo; l; l = l->next)
		n += !l->close_only && l->uid == uid;
	return h->waiting < HINT_FD_WAITING && n < HINT_FD_WAITING / 2;
}

/* With the lock held. */
static void submit(struct hint_fds *h, struct hint_look *l)
{
	l->next = NULL;
	*h->todo_tail = l;
	h->todo_tail = &l->next;
	h->waiting += !l->close_only;
	h->closing += closes(l);
	if (h->idle)
		pthread_cond_signal(&h->work);
	else if (h->threads < HINT_FD_THREADS)
		(void)start_thread(h); /* else it stays until one can be had */
}

int hint_fds_look(struct hint_fds *h, int fd, struct hint_look *l)
{
	bool room;

	hint_fds_flush(h); /* one who asks finds what was before dealt with */
	pthread_mutex_lock(&h->lock);
	room = has_room(h, l->uid);
	if (room) {
		l->fd = fd;
		l->close_only = false;
		submit(h, l);
	}
	pthread_mutex_unlock(&h->lock);
	if (room)
		return 0;
	hint_fds_close(h, l->uid, fd);
	return -EBUSY;
}

void hint_fds_flush(struct hint_fds *h)
{
	struct closing *c = h->soon;

	if (!c)
		return;
	h->soon = NULL;
	ev_timer_stop(h->loop, &h->later);
	pthread_mutex_lock(&h->lock);
	submit(h, &c->l);
	pthread_mutex_unlock(&h->lock);
}

static void close_soon(struct hint_fds *h, uid_t uid, int fd)
{
	struct closing *c = h->soon;

	if (c && c->l.uid != uid)
		hint_fds_flush(h);
	c = h->soon;
	if (!c)
		c = h->soon = calloc(1, sizeof(*c));
	if (!c) {
		(void)close(fd);
		return;
	}
	c->l.uid = uid;
	c->l.close_only = true;
	c->fd[c->n++] = fd;
	if (c->n == HINT_FD_BATCH) {
		hint_fds_flush(h);
	} else if (!ev_is_active(&h->later)) {
		ev_timer_set(&h->later, SOON_S, 0.);
		ev_timer_start(h->loop, &h->later);
	}
}

int hint_fds_glance(struct hint_fds *h, uid_t uid, int fd, struct hint_file *ret)
{
	int r = hint_file_glance(h->mounts, fd, ret);

	if (r == 0)
		close_soon(h, uid, fd);
	return r;
}

void hint_fds_close(struct hint_fds *h, uid_t uid, int fd)
{
	close_soon(h, uid, fd);
	hint_fds_flush(h);
}

/* With the lock held: what waits to be closed of @uid. */
static unsigned closing_of(const struct hint_fds *h, uid_t uid)
{
	unsigned n = h->soon && h->soon->l.uid == uid ? h->soon->n : 0;

	if (!h->closing)
		return n;
	for (unsigned i = 0; i < HINT_FD_THREADS; i++)
		n += h->run[i].uid == uid ? h->run[i].closing : 0;
	for (const struct hint_look *l = h->todo; l; l = l->next)
		n += l->uid == uid ? closes(l) : 0;
	return n;
}

bool hint_fds_room(struct hint_fds *h, uid_t uid)
{
	unsigned all = HINT_FD_CLOSING, n = h->soon ? h->soon->n : 0;
	bool room;

	pthread_mutex_lock(&h->lock);
	n += h->closing;
	room = n < (uid ? all - all / 8 : all) &&
	       (uid == 0 || closing_of(h, uid) < HINT_FD_CLOSING_UID);
	h->wanted |= !room;
	pthread_mutex_unlock(&h->lock);
	return room;
}

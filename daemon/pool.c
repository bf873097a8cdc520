/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounded pool of worker threads whose completions come back through libev. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <sys/eventfd.h>

#include "common/cleanup.h"
#include "daemon/ev.h"
#include "daemon/pool.h"

#define IDLE_SECONDS 5
#define STACK_BYTES  (128 * 1024)

struct queue {
	struct pool_job *head, **tail;
	unsigned n;
};

struct pool {
	struct ev_loop *loop;
	ev_io on_done;
	int efd;
	unsigned max, pending; /* loop's thread only */

	pthread_mutex_t lock;
	pthread_cond_t work, gone;
	struct queue todo, finished;
	unsigned threads, idle;
	bool stop;
};

static void queue_put(struct queue *q, struct pool_job *j)
{
	j->next = NULL;
	*q->tail = j;
	q->tail = &j->next;
	q->n++;
}

static struct pool_job *queue_get(struct queue *q)
{
	struct pool_job *j = q->head;

	if (j) {
		q->head = j->next;
		if (!q->head)
			q->tail = &q->head;
		q->n--;
	}
	return j;
}

static void queue_init(struct queue *q)
{
	q->head = NULL;
	q->tail = &q->head;
	q->n = 0;
}

/* @all: where the daemon may run (CPUAffinity= of its unit). */
static void pin_to(int cpu, int *now, const cpu_set_t *all)
{
	cpu_set_t set = *all;

	if (cpu == *now)
		return;
	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)cpu, &set);
	}
	if (!sched_setaffinity(0, sizeof(set), &set))
		*now = cpu;
}

/* Waits for a job with the lock held; NULL: this thread is to end. */
static struct pool_job *next_job(struct pool *p)
{
	struct timespec until;
	struct pool_job *j;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_SECONDS;
	p->idle++;
	while (!(j = queue_get(&p->todo)) && !p->stop && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&p->work, &p->lock, &until);
	p->idle--;
	return j;
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	struct pool_job *j;
	cpu_set_t all;
	int cpu = -1;

	CPU_ZERO(&all);
	(void)sched_getaffinity(0, sizeof(all), &all);
	pthread_mutex_lock(&p->lock);
	while ((j = next_job(p))) {
		bool first;

		pthread_mutex_unlock(&p->lock);
		pin_to(j->cpu, &cpu, &all);
		j->run(j);
		pthread_mutex_lock(&p->lock);
		first = !p->finished.head;
		queue_put(&p->finished, j);
		if (first)
			(void)eventfd_write(p->efd, 1);
	}
	p->threads--;
	pthread_cond_signal(&p->gone);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int thread_start(struct pool *p)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t id;
	int r;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&id, &attr, worker, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -r;
}

/* Takes what is finished, as one batch: done() may submit again. */
static void reap(struct pool *p)
{
	struct pool_job *j, *next;

	pthread_mutex_lock(&p->lock);
	j = p->finished.head;
	queue_init(&p->finished);
	pthread_mutex_unlock(&p->lock);
	for (; j; j = next) {
		next = j->next;
		p->pending--;
		j->done(j);
	}
}

static void on_done(struct ev_loop *loop, ev_io *w, int revents)
{
	struct pool *p = w->data;
	eventfd_t n;

	(void)loop;
	(void)revents;
	(void)eventfd_read(p->efd, &n);
	reap(p);
}

int pool_new(struct ev_loop *loop, unsigned max_threads, struct pool **ret)
{
	struct pool *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;

	if (!p)
		return -ENOMEM;
	p->efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->efd < 0) {
		int r = -errno;

		free(p);
		return r;
	}
	p->loop = loop;
	p->max = max_threads;
	queue_init(&p->todo);
	queue_init(&p->finished);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->work, &attr);
	pthread_cond_init(&p->gone, NULL);
	pthread_condattr_destroy(&attr);
	ev_io_init(&p->on_done, on_done, p->efd, EV_READ);
	p->on_done.data = p;
	ev_io_start(loop, &p->on_done);
	*ret = p;
	return 0;
}

void pool_set_max(struct pool *p, unsigned max_threads)
{
	p->max = max_threads;
}

static void run_here(struct pool *p, struct pool_job *job)
{
	job->run(job);
	pthread_mutex_lock(&p->lock);
	queue_put(&p->finished, job);
	pthread_mutex_unlock(&p->lock);
	(void)eventfd_write(p->efd, 1);
}

void pool_submit(struct pool *p, struct pool_job *job)
{
	bool none = false;

	p->pending++;
	pthread_mutex_lock(&p->lock);
	/* A thread that was called but has not come yet still counts as idle. */
	if (p->idle <= p->todo.n && p->threads < p->max) {
		if (thread_start(p) == 0)
			p->threads++;
		else
			none = p->threads == 0;
	}
	if (!none) {
		queue_put(&p->todo, job);
		pthread_cond_signal(&p->work);
	}
	pthread_mutex_unlock(&p->lock);
	if (none)
		run_here(p, job);
}

unsigned pool_threads(struct pool *p)
{
	unsigned n;

	pthread_mutex_lock(&p->lock);
	n = p->threads;
	pthread_mutex_unlock(&p->lock);
	return n;
}

unsigned pool_pending(const struct pool *p)
{
	return p->pending;
}

void pool_quiesce(struct pool *p)
{
	while (p->pending) {
		struct pollfd pfd = {.fd = p->efd, .events = POLLIN};
		eventfd_t n;

		(void)poll(&pfd, 1, -1);
		(void)eventfd_read(p->efd, &n);
		reap(p);
	}
}

struct pool *pool_free(struct pool *p)
{
	if (!p)
		return NULL;
	pool_quiesce(p);
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	while (p->threads)
		pthread_cond_wait(&p->gone, &p->lock);
	pthread_mutex_unlock(&p->lock);
	ev_io_stop(p->loop, &p->on_done);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->gone);
	(void)close(p->efd);
	free(p);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker threads for what can block.  Jobs are started in order; threads come
 * with the work and leave after some seconds without any, so that an idle daemon
 * has none.  All functions but the job itself run on the loop's thread.
 */
#ifndef WB_POOL_H
#define WB_POOL_H

#include <stdbool.h>

struct ev_loop;
struct pool;

/* Embedded in what the caller wants done; it must stay until done() was called. */
struct pool_job {
	void (*run)(struct pool_job *job);  /* on a worker */
	void (*done)(struct pool_job *job); /* on the loop */
	int cpu;                            /* run there, -1: anywhere */
	struct pool_job *next;
};

int pool_new(struct ev_loop *loop, unsigned max_threads, struct pool **ret);
void pool_set_max(struct pool *p, unsigned max_threads);
/* If not even one thread can be had, the job runs at once, on the caller. */
void pool_submit(struct pool *p, struct pool_job *job);
unsigned pool_threads(struct pool *p);
unsigned pool_pending(const struct pool *p); /* jobs not yet done() */
/* Waits for every job and calls its done(), also for jobs that these submit. */
void pool_quiesce(struct pool *p);
/* pool_quiesce(), then ends all threads. */
struct pool *pool_free(struct pool *p);

#endif

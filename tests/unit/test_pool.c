// SPDX-License-Identifier: GPL-2.0-or-later
/* Worker threads, with real ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/ev.h"
#include "daemon/pool.h"

struct world {
	struct ev_loop *loop;
	struct pool *pool;
	pthread_t main;
	atomic_uint running, most, ran;
	unsigned done, to_submit;
	uint64_t order;
	sem_t met[2];
	cpu_set_t seen;
};

struct job {
	struct pool_job job; /* must be first */
	struct world *w;
	unsigned n;
	bool met;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	w->main = pthread_self();
	sem_init(&w->met[0], 0, 0);
	sem_init(&w->met[1], 0, 0);
	*state = w;
	return pool_new(w->loop, 3, &w->pool);
}

static unsigned tasks(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	pool_free(w->pool);
	ev_loop_destroy(w->loop);
	free(w);
	return 0;
}

static void run(struct pool_job *job)
{
	struct world *w = ((struct job *)job)->w;
	unsigned now = ++w->running, most = w->most;

	assert_false(pthread_equal(pthread_self(), w->main));
	while (now > most && !atomic_compare_exchange_weak(&w->most, &most, now))
		;
	sched_yield();
	w->ran++;
	w->running--;
}

static void submit(struct world *w, unsigned n, void (*fn)(struct pool_job *),
		   void (*done)(struct pool_job *))
{
	struct job *j = calloc(1, sizeof(*j));

	j->job.run = fn;
	j->job.done = done;
	j->job.cpu = -1;
	j->w = w;
	j->n = n;
	pool_submit(w->pool, &j->job);
}

static void done(struct pool_job *job)
{
	struct world *w = ((struct job *)job)->w;

	assert_true(pthread_equal(pthread_self(), w->main));
	w->done++;
	free(job);
	if (w->to_submit) {
		w->to_submit--;
		submit(w, 0, run, done);
	}
}

static void spin(struct world *w, unsigned want)
{
	while (w->done < want)
		ev_run(w->loop, EVRUN_ONCE);
}

static void test_through_the_loop(void **state)
{
	struct world *w = *state;

	w->to_submit = 1000; /* from done() */
	for (unsigned n = 0; n < 1000; n++)
		submit(w, n, run, done);
	assert_int_equal(pool_pending(w->pool), 1000);
	spin(w, 2000);
	assert_int_equal(w->ran, 2000);
	assert_int_equal(pool_pending(w->pool), 0);
	assert_in_range(w->most, 1, 3);
	assert_in_range(pool_threads(w->pool), 1, 3);
}

static void test_quiesce(void **state)
{
	struct world *w = *state;

	pool_quiesce(w->pool); /* nothing to wait for */
	w->to_submit = 500;
	for (unsigned n = 0; n < 100; n++)
		submit(w, n, run, done);
	pool_quiesce(w->pool);
	assert_int_equal(w->done, 600);
	submit(w, 0, run, done); /* and it goes on */
	spin(w, 601);
}

static void done_in_order(struct pool_job *job)
{
	struct job *j = (struct job *)job;

	assert_int_equal(j->n, j->w->done);
	j->w->done++;
	free(job);
}

static void test_one_thread_keeps_order(void **state)
{
	struct world *w = *state;

	pool_set_max(w->pool, 1);
	for (unsigned n = 0; n < 300; n++)
		submit(w, n, run, done_in_order);
	spin(w, 300);
	assert_int_equal(w->most, 1);
}

/* Each of two waits for the other: they must run side by side. */
static void run_meet(struct pool_job *job)
{
	struct job *j = (struct job *)job;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	sem_post(&j->w->met[j->n]);
	j->met = sem_timedwait(&j->w->met[!j->n], &until) == 0;
}

static void done_meet(struct pool_job *job)
{
	struct job *j = (struct job *)job;

	assert_true(j->met);
	j->w->done++;
	free(job);
}

static void test_side_by_side(void **state)
{
	struct world *w = *state;

	for (unsigned round = 0; round < 50; round++) {
		unsigned before = w->done;

		/* One thread is idle from the round before; two jobs at once. */
		submit(w, 0, run_meet, done_meet);
		submit(w, 1, run_meet, done_meet);
		spin(w, before + 2);
		submit(w, 0, run, done);
		spin(w, before + 3);
	}
}

static void test_free_waits(void **state)
{
	struct world *w = *state;
	unsigned before = tasks();

	for (unsigned n = 0; n < 200; n++)
		submit(w, n, run, done);
	w->pool = pool_free(w->pool);
	assert_int_equal(w->done, 200);
	/* Detached threads are gone a moment after their last word. */
	while (tasks() > before)
		sched_yield();
	assert_null(pool_free(NULL));
}

static void run_where(struct pool_job *job)
{
	struct world *w = ((struct job *)job)->w;

	sched_getaffinity(0, sizeof(w->seen), &w->seen);
}

static cpu_set_t where(struct world *w, int cpu)
{
	struct job *j = calloc(1, sizeof(*j));

	*j = (struct job){.job = {.run = run_where, .done = done, .cpu = cpu}, .w = w};
	pool_submit(w->pool, &j->job);
	pool_quiesce(w->pool);
	return w->seen;
}

/* Pinned and let go again, a worker may run where the daemon may, and no more. */
static void test_affinity(void **state)
{
	struct world *w = *state;
	cpu_set_t all, mine, got;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&mine);
	CPU_SET(cpu, &mine);
	pool_set_max(w->pool, 1);
	assert_int_equal(sched_setaffinity(0, sizeof(mine), &mine), 0);
	got = where(w, -1);
	assert_true(CPU_EQUAL(&got, &mine));
	got = where(w, cpu);
	assert_true(CPU_EQUAL(&got, &mine));
	got = where(w, -1);
	assert_true(CPU_EQUAL(&got, &mine));
	sched_setaffinity(0, sizeof(all), &all);
}

static void run_counted(struct pool_job *job)
{
	((struct job *)job)->w->ran++;
}

static void done_counted(struct pool_job *job)
{
	((struct job *)job)->w->done++;
	free(job);
}

/* Where no thread can be had the caller does it, and done() still comes later. */
static int without_threads(struct world *w)
{
	const struct rlimit none = {0, 0};

	if (setuid(65534) < 0 || setrlimit(RLIMIT_NPROC, &none) < 0)
		return 2;
	submit(w, 0, run_counted, done_counted);
	submit(w, 1, run_counted, done_counted);
	if (w->ran != 2 || w->done || pool_threads(w->pool))
		return 3;
	ev_run(w->loop, EVRUN_ONCE);
	if (w->done != 2)
		return 4;
	submit(w, 0, run_counted, done_counted);
	pool_quiesce(w->pool);
	return w->done == 3 ? 0 : 5;
}

static void test_no_threads(void **state)
{
	int status;
	pid_t pid;

	if (geteuid() != 0) {
		print_message("must be root to become a user who may have no threads\n");
		skip();
	}
	pid = fork();
	if (pid == 0) {
		ev_loop_fork(((struct world *)*state)->loop);
		_exit(without_threads(*state));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_through_the_loop),
		TEST(test_quiesce),
		TEST(test_one_thread_keeps_order),
		TEST(test_side_by_side),
		TEST(test_free_waits),
		TEST(test_affinity),
		TEST(test_no_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

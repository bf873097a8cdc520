/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for the knee at work: knee.h has the decisions, here are the devices.
 *
 *   search.c        which devices are searched, sampling, what follows from it
 *   search_state.c  what is remembered, words for the journal and for --dry-run
 *   load.c          what a device does and what is dirty
 *   throttle.c      how long writers are made to pause
 *
 * decide takes the numbers from here (plan_env.search), and a step of the search is a
 * new plan: both engines then follow it as they follow any other.  While nothing is
 * dirty nobody looks: the user engine tells of dirty inodes, the kernel's tracepoint of
 * writers that pause.
 */
#ifndef WB_SEARCH_H
#define WB_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/conf.h"
#include "daemon/fsys.h"
#include "daemon/knee.h"
#include "daemon/knee_state.h"
#include "daemon/load.h"
#include "daemon/plan.h"

struct ev_loop;
struct searches;

/* What it asks of the rest of the daemon. */
struct search_ops {
	/* Does the user engine know of dirty inodes there? */
	bool (*active)(void *arg, const char *bdi);
	/* Has the kernel refused the number that was to be set there? */
	bool (*refused)(void *arg, const char *bdi);
	/* Some number is another one: plan again.  From the loop. */
	void (*changed)(void *arg);
	void *arg;
};

/* One device that is searched. */
struct search {
	struct bdev bdev;
	bool kernel;          /* engine */
	uint64_t bdi_id;      /* of its folder in sysfs: another device has another */
	char id[KNEE_ID_LEN]; /* its lasting name; "": it has none */
	struct knee k;
	unsigned cap;        /* of the plan; that of k may be less */
	unsigned remembered; /* contexts that it began with; 0: nothing was known */
	uint64_t depth_max;
	/* Sampling. */
	bool sampled; /* `last` is a reading */
	struct load_disks last;
	uint64_t last_ms;
	struct knee_obs obs; /* the newest; ms is 0 before the first */
	uint64_t samples;
	bool set; /* the number is in force */
};

/* @root must outlive it.  @sample_ms: between two looks under load; 0: KNEE_SAMPLE_MS.
 * Nothing is read yet. */
int searches_new(struct ev_loop *loop, const char *root, const char *state_dir,
		 unsigned sample_ms, const struct search_ops *ops, struct searches **ret);
struct searches *searches_free(struct searches *s);

/*
 * What decide is to know: one entry for each of @t's, in its order, to be freed; NULL
 * (and 0): @c searches nowhere.  Reads the state file when first needed.
 */
int searches_numbers(struct searches *s, const struct conf *c, const struct fsys_table *t,
		     struct plan_search **ret);
/* Begins, goes on and ends as @p says.  True: for some device @p has another number than
 * it should have by now. */
bool searches_follow(struct searches *s, const struct plan *p);
/* Something has become dirty on a device that is searched. */
void searches_wake(struct searches *s);

/* By the name of its bdi; NULL. */
const struct search *searches_find(const struct searches *s, const char *bdi);
/* Where found numbers are kept, and why not: NULL if they are. */
const char *searches_dir(const struct searches *s);
const char *searches_trouble(const struct searches *s);
/* For --dry-run: what a search would begin with on each device of @p. */
void searches_print(struct searches *s, const struct plan *p, FILE *f);

/* ---- for tests: what the timers do ---------------------------------------------- */

/* Takes a look at time @now_ms (monotonic); seconds until the next, 0: none is needed
 * before something wakes it. */
double searches_look(struct searches *s, uint64_t now_ms);

#endif

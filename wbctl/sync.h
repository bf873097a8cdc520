/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside wbctl sync.  Each file system has a child process of its own: open(),
 * syncfs() and sync() can hang in the kernel where nothing wakes them, and a
 * --timeout must return all the same.
 */
#ifndef WBCTL_SYNC_H
#define WBCTL_SYNC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wbctl/wbctl.h"

enum sync_kind { SYNC_ASKED, SYNC_PROGRESS, SYNC_NOTE, SYNC_RESULT };

/* What a child tells; shorter than PIPE_BUF, so each arrives whole. */
struct sync_msg {
	enum sync_kind kind;
	int error;          /* RESULT: 0 or errno */
	bool from_open;     /* RESULT: the mount point could not even be opened */
	bool drained;       /* RESULT: the daemon drained it */
	uint64_t done, all; /* bytes */
	char text[400];     /* NOTE */
};

struct sync_job {
	char *mount;    /* NULL: everything else, by sync(2) */
	char *device;   /* "MAJ:MIN" if known from the daemon */
	bool automatic; /* not named by the user */
	pid_t pid;
	int fd; /* what the child tells; -1: not started, or over */
	bool over;
	bool unanswered;      /* the daemon was asked and has said nothing yet */
	struct sync_msg last; /* progress or result */
	char *note;
};

/* Starts the child.  @use_daemon: ask for a drain first. */
int sync_job_start(struct sync_job *j, const struct opts *o, bool use_daemon);
/* Reads what came; sets over at the end. */
void sync_job_read(struct sync_job *j);
/* Ends a child that is not over, without waiting for it: it may hang. */
void sync_job_kill(struct sync_job *j);
void sync_job_clear(struct sync_job *j);

/* One line on a terminal for all jobs: bar, share, rate, estimate. */
struct sync_bar {
	bool on, drawn;
	int64_t start_ms, last_ms;
};
void sync_bar_init(struct sync_bar *b);
void sync_bar_draw(struct sync_bar *b, const struct sync_job *jobs, size_t n);
void sync_bar_wipe(struct sync_bar *b);
int64_t sync_now_ms(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer of the demo and the benchmarks.  A set of files is described by
 * numbers alone: file i of @files lies in dirs[i % n_dirs] and is called wNNNNNN,
 * so the same words on the command line write a set and check it.
 */
#ifndef WB_BENCH_WBLOAD_H
#define WB_BENCH_WBLOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load {
	char **dirs;
	unsigned n_dirs;
	unsigned files; /* in the set */
	uint64_t size;  /* bytes of each file */
	uint64_t block; /* bytes per write (seq, append, direct) */
	uint64_t seed;
	unsigned threads; /* thread t has the files with i % threads == t */
	double seconds;   /* overwrite, temp: how long */
	double rate;      /* overwrite: writes/s over all threads, temp: files/s; 0 = as
			   * fast as it goes */
	double life;      /* temp: seconds until a file is deleted */
	unsigned batches; /* latency */
	unsigned ops;     /* latency: writes per batch */
	bool half;        /* fio's kind of data, see pattern.h */
	bool in_place;    /* rand: files are not truncated first */
	bool keep_open;   /* append: files stay open between two writes */
	bool any_gen;     /* verify: blocks of any generation, and holes */
	bool sync;        /* sync(2) at the end */
};

/* One thread's share of a run. */
struct worker {
	const struct load *l;
	unsigned index;
	uint64_t bytes, ops, files, bad;
	uint64_t dirty;  /* bytes, by cachestat */
	uint64_t max_ns; /* the longest single write */
	int error;       /* first -errno */
	char where[256]; /* what it was doing then */
};

/* Each mode works on the files of its worker; 0 or -errno. */
int mode_seq(struct worker *w);
int mode_rand(struct worker *w);
int mode_append(struct worker *w);
int mode_direct(struct worker *w);
int mode_overwrite(struct worker *w);
int mode_temp(struct worker *w);
int mode_verify(struct worker *w);
int mode_dirty(struct worker *w);
int mode_nothing(struct worker *w);

/* One file, one thread: adds its own numbers to @out. */
int mode_latency(const struct load *l, json_t *out);

/* ---- what the modes share (wbload_util.c) -------------------------------- */

uint64_t now_ns(void);
void sleep_until_ns(uint64_t when);
/* Opens file @i of the set; -errno is noted in @w. */
int open_file(struct worker *w, unsigned i, int flags);
int fail(struct worker *w, int err, const char *what, unsigned i);
/* All of it, or -errno. */
int write_all(int fd, const void *buf, size_t len, uint64_t off);

#endif

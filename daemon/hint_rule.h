/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hints by rule, for programs that say nothing: the [hint] sections.
 *
 * All that a rule gives must match.  Of several rules that do, the one with most
 * characters that are no wildcard counts, then the first.
 *
 * Patterns: ? is one character but /, * any number of them, ** any number of any.
 *
 * Which process dirtied a file is only known while it does, where the file is only
 * when a worker has it open.  So the rules by process that fit are kept with the
 * inode as a small number (a class), and the path is matched at the look.
 */
#ifndef WB_HINT_RULE_H
#define WB_HINT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/conf.h"
#include "daemon/hint.h"

#define HINT_PROCESS_RULES 64   /* that name a program or a cgroup */
#define HINT_CLASSES       1024 /* different sets of them that are told apart */
#define HINT_COMM          16

struct hint_rule {
	char *label, *where;
	char *path, *program, *cgroup; /* NULL: any */
	struct hint hint;
	unsigned weight;
	int bit; /* of its class mask; -1: not by process */
};

struct hint_rules {
	struct hint_rule *v;
	size_t n;
	unsigned refs;
	unsigned n_process;
	bool by_path;
	/* The loop's: sets of rules by process that were met; the first is empty. */
	uint64_t class[HINT_CLASSES];
	unsigned n_class;
};

bool hint_glob(const char *pattern, const char *text);

/* NULL in *@ret: there are no rules.  -ENOMEM. */
int hint_rules_new(const struct conf *c, struct hint_rules **ret);
struct hint_rules *hint_rules_get(struct hint_rules *r); /* NULL gives NULL */
void hint_rules_put(struct hint_rules *r);

/* The class of a process; 0: no rule fits it (or there are too many classes). */
uint16_t hint_rules_class(struct hint_rules *r, const char *comm, const char *cgroup);
uint64_t hint_rules_mask(const struct hint_rules *r, uint16_t class);

/* Index of the rule that counts for a file at @path (NULL: not known) dirtied by a
 * process with @mask; -1: none.  For workers: only reads. */
int hint_rules_pick(const struct hint_rules *r, const char *path, uint64_t mask);

/* ---- processes (hint_proc.c) --------------------------------------------- */

struct hint_proc {
	char comm[HINT_COMM];
	char cgroup[256]; /* the unified hierarchy's, else the first named one's */
};
/* From ROOT/proc.  0 or -errno: gone, or hidden from us. */
int hint_proc_read(const char *root, pid_t pid, struct hint_proc *ret);

/* The class of a process, remembered for a second so that a flood of new files does
 * not read /proc for each of them. */
struct hint_proc_cache;
struct hint_proc_cache *hint_proc_cache_new(void);
struct hint_proc_cache *hint_proc_cache_free(struct hint_proc_cache *c);
void hint_proc_cache_clear(struct hint_proc_cache *c); /* other rules */
uint16_t hint_proc_class(struct hint_proc_cache *c, struct hint_rules *r,
			 const char *root, pid_t pid, double now);

#endif

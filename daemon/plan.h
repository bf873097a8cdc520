/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decide: observation -> plan.  A pure function, so that `wbd --dry-run`,
 * `wbctl plan`, the tests and the daemon itself run the very same code.
 */
#ifndef WB_PLAN_H
#define WB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "daemon/conf.h"
#include "daemon/fsys.h"
#include "daemon/kern.h"

#define PLAN_AUTO_CAP \
	8 /* most contexts that `auto` gives (issue: min(groups, CPUs, 8)) */

/* Contexts that the search for the knee has in force on a device, or begins with, by
 * engine; 0: nothing is known, so 1. */
struct plan_search {
	unsigned user, kernel;
};

/* What decide looks at beside the mount table and the configuration. */
struct plan_env {
	unsigned cpus;       /* online */
	bool user_engine;    /* some source of dirty inodes works here */
	const char *why_not; /* if !user_engine: one sentence */
	/* In the order of the table; NULL: the kernel engine does not work here. */
	const struct kern_state *kern;
	/* In the order of the table; NULL: nothing is known. */
	const struct plan_search *search;
};

/* What makes its contexts real. */
enum plan_engine { PLAN_ENGINE_NONE, PLAN_ENGINE_USER, PLAN_ENGINE_KERNEL };

/* Which rule decided; plan_rule_text() has the words. */
enum plan_rule {
	PLAN_AUTO,      /* managed: local, writable, not rotational */
	PLAN_NAMED,     /* managed because a section says manage = yes */
	PLAN_OFF,       /* engine = none */
	PLAN_FORBIDDEN, /* a section says manage = no */
	PLAN_EXCLUDED,  /* an [exclude] section matches */
	PLAN_ROTATIONAL,
	PLAN_ROTATION_UNKNOWN,
	PLAN_NETWORK,
	PLAN_FUSE,
	PLAN_STACKED,
	PLAN_MEMORY,
	PLAN_TYPE,     /* local, but of a type that nobody has tried */
	PLAN_READONLY, /* also when named: there is nothing to write */
	PLAN_SNAPSHOT,
	PLAN_NO_BDI,      /* no backing device could be named */
	PLAN_ONE_CONTEXT, /* one context is what the kernel has already */
	PLAN_NO_ENGINE,   /* plan_env.why_not */
	PLAN_NO_KERNEL,   /* mode = kernel, but it cannot divide this file system */
};

struct plan_fs {
	const struct fsys *fs; /* belongs to the table given to plan_decide() */
	bool managed;
	enum plan_rule rule;
	char where[256];   /* file:line of the section that decided, or "" */
	char label[64];    /* its label, or "" */
	unsigned contexts; /* of its bdi; 1 if not managed */
	unsigned shift;    /* context of group g = (g + shift) % contexts, so that
			    * several file systems of one bdi do not all start at 0 */
	struct conf_flush flush;
	bool fixed;          /* the configuration gives the number */
	bool search;         /* its contexts are what the search for the knee says */
	unsigned search_cap; /* at most so many */
	bool yields; /* the search has come to one: only the kernel's flusher is at work
		      */
	enum plan_engine engine;
	/* Of the kernel engine; what it would do were it not for the notes below. */
	struct gmap *map; /* NULL: by the number */
	int order;        /* wanted as folio_order_max; -1: left alone */
	struct kern_note {
		uint64_t id, bdi_id;  /* as in kern_fs */
		bool map_known;       /* else it stays as it is */
		bool contexts_manual; /* somebody else's, and so in force */
		bool map_manual;
	} kern;
};

struct plan {
	struct plan_fs *v; /* same order as the table */
	size_t n;
};

int plan_decide(const struct fsys_table *t, const struct conf *c,
		const struct plan_env *env, struct plan **ret);
struct plan *plan_free(struct plan *p);

/* Context of @group under the plan. */
static inline unsigned plan_context(const struct plan_fs *f, uint32_t group)
{
	if (f->engine == PLAN_ENGINE_KERNEL)
		return f->map ? gmap_context(f->map, group, f->contexts)
			      : group % f->contexts;
	return (unsigned)(((uint64_t)group + f->shift) % f->contexts);
}

/* A clause that completes "/mnt is not managed: ..." / "/mnt is managed: ...". */
const char *plan_rule_text(enum plan_rule r);
/* "user", "kernel"; NULL: none. */
const char *plan_engine_name(enum plan_engine e);
/* Stable word for machines: "rotational". */
const char *plan_rule_name(enum plan_rule r);
/* One aligned line per file system with its reason, for `wbd --dry-run`; control
 * characters and broken UTF-8 in names are printed as \xNN. */
void plan_print(const struct plan *p, FILE *f);

/* ---- plan_kern.c ------------------------------------------------------------ */

/* Which engine has entry @i; PLAN_ENGINE_NONE and the rule if none has. */
enum plan_engine plan_choose_engine(const struct conf *c, const struct plan_env *env,
				    size_t i, enum plan_rule *ret_rule);
/* The most contexts that the kernel allows for the bdi of entry @i; what somebody else
 * has set there counts in any case. */
unsigned plan_kern_contexts(const struct plan_env *env, const struct plan *p, size_t i,
			    unsigned contexts);
/* Is the number of contexts of entry @i's bdi for us to choose? */
bool plan_kern_free(const struct plan_env *env, const struct conf *c,
		    const struct plan *p, size_t i);
/* The map of entry @i, whose contexts and shift are settled.  @share: what file systems
 * before it bring to each context of the bdi. */
int plan_kern_map(const struct plan_env *env, struct plan *p, size_t i, double *share);

#endif

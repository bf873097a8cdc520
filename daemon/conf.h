/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration: wb.conf and its drop-ins, read whole, checked whole, then
 * used.  conf_table.c has one row per key; everything else follows from it.
 */
#ifndef WB_CONF_H
#define WB_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum conf_engine {
	CONF_ENGINE_AUTO,
	CONF_ENGINE_USER,
	CONF_ENGINE_NONE,
	CONF_ENGINE_KERNEL,
};
enum conf_source { CONF_SOURCE_AUTO, CONF_SOURCE_TRACE, CONF_SOURCE_FANOTIFY };
enum conf_io { CONF_IO_AUTO, CONF_IO_URING, CONF_IO_THREADS };
enum conf_manage { CONF_MANAGE_AUTO, CONF_MANAGE_YES, CONF_MANAGE_NO };

#define CONF_OFF          UINT64_MAX /* a size or time that is switched off */
#define CONF_CONTEXTS_MAX 64
#define CONF_SEARCH       (~0U) /* contexts: the search for the knee finds them */

/* When an inode is flushed; global in [flush], overridden per mount. */
struct conf_flush {
	uint64_t after;   /* bytes of dirty data of one inode, or CONF_OFF */
	uint64_t age_ms;  /* time dirty, or CONF_OFF */
	uint64_t cool_ms; /* not overwritten for so long: cold */
	uint64_t stride;  /* bytes per operation */
};

/* [device "LABEL"] */
struct conf_device {
	char *label;
	char *match; /* kernel name, MAJ:MIN, or /dev path (links followed at use) */
	enum conf_manage manage;
	unsigned contexts; /* 0 = auto; or CONF_SEARCH */
	char *where;       /* "file:line" of the section */
};

/* [mount "LABEL"] */
struct conf_mount {
	char *label;
	char *path; /* mount point, exact */
	enum conf_manage manage;
	struct conf_flush flush; /* already merged with the global values */
	char *where;
};

/* [exclude "LABEL"]: all that are given must match; a typo matches less. */
struct conf_exclude {
	char *label;
	char *path;   /* mount point, fnmatch(3) pattern; or NULL */
	char *device; /* as conf_device.match; or NULL */
	char *type;   /* file-system type; or NULL */
	char *where;
};

/* [hint "LABEL"]: all that are given must match; see hint_rule.h. */
struct conf_hint {
	char *label;
	char *path;                     /* a pattern, or NULL */
	char *program;                  /* a pattern for the process's name, or NULL */
	char *cgroup;                   /* a pattern, or NULL */
	uint64_t write_size, file_size; /* bytes, or CONF_OFF */
	char *where;
};

enum conf_restore { CONF_RESTORE_STOP, CONF_RESTORE_DISABLE, CONF_RESTORE_NEVER };
enum conf_tri { CONF_TRI_LEAVE, CONF_TRI_YES, CONF_TRI_NO };

/* [knob "LABEL"]: kernel settings of one backing device; CONF_OFF: left alone. */
struct conf_knob {
	char *label;
	char *device; /* as conf_device.match */
	uint64_t max_bytes, min_bytes, read_ahead;
	uint64_t dirty_ms; /* max_bytes as that much time at the measured bandwidth */
	enum conf_tri strict_limit;
	char *where;
};

struct conf {
	/* [engine] */
	enum conf_engine engine;
	unsigned contexts;  /* 0 = auto; or CONF_SEARCH */
	unsigned in_flight; /* operations per context */
	enum conf_source source;
	enum conf_io io;
	bool cpu_affinity;
	unsigned max_inodes;
	/* [flush] */
	struct conf_flush flush;
	/* [api] */
	char *api_group;
	unsigned api_connections;
	unsigned api_hints; /* leases in all */
	/* [knobs] */
	enum conf_restore restore;
	char *knobs_exclude; /* names, separated by commas and blanks; or NULL */
	char *cpumask;       /* of the writeback workqueue; or NULL */

	struct conf_device *device;
	size_t n_device;
	struct conf_mount *mount;
	size_t n_mount;
	struct conf_exclude *exclude;
	size_t n_exclude;
	struct conf_hint *hint;
	size_t n_hint;
	struct conf_knob *knob;
	size_t n_knob;

	struct conf_origin *origin; /* where each value came from; conf_print.c */
};

/* The word for it in wb.conf. */
const char *conf_engine_name(enum conf_engine e);

/* One finding: a sentence that begins with "file:line: " (or "file: "). */
struct conf_diag {
	bool error; /* false: a warning; the configuration can be used */
	char *text;
};
struct conf_diags {
	struct conf_diag *v;
	size_t n;
};

/*
 * Loads @path (NULL: the default search: /usr/lib/wb, /run/wb and /etc/wb below
 * @root, with wb.conf.d drop-ins as systemd has them).  On an error finding
 * returns -EINVAL and @ret is untouched; @diags gets every finding either way.
 */
int conf_load(const char *root, const char *path, struct conf **ret,
	      struct conf_diags *diags);
int conf_default(struct conf **ret);
struct conf *conf_free(struct conf *c);
void conf_diags_clear(struct conf_diags *d);

/* Effective values: "section key = value  # file:line" as rows for wbctl.
 * Calls @row for each; returns the first non-zero result or 0. */
struct conf_row {
	char section[64], key[32], value[256], where[256];
};
int conf_rows(const struct conf *c, int (*row)(const struct conf_row *r, void *arg),
	      void *arg);

#endif

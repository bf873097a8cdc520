/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel settings that the daemon writes: one way for all of them.
 *
 * Before the first write the value that was found is noted durably in the file
 * RUNTIME_DIR/knobs, with what identifies the device, so that a number that was
 * given to another device meanwhile is not taken for it.  Then the value is written
 * with one write(2), and what the kernel made of it is noted too.  If the kernel
 * later has another value than that, somebody else wrote it: it is theirs from then
 * on.  The file tells everything that wbctl verify and wbctl rollback need, so that
 * these work without a daemon.
 *
 *   knob.c          the table; reading, writing, errors, identity: one knob
 *   knob_journal.c  the file
 *   knob_plan.c     from the configuration to what is wanted; kern_want.c adds to it
 *   knob_apply.c    from what is wanted to what is written, and back
 *   knob_restore.c  one knob back
 *   knob_speed.c    bandwidth of a device, from its statistics
 *   knob_vm.c       vm.dirty_*: proposals only
 */
#ifndef WB_KNOB_H
#define WB_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/conf.h"

#define KNOB_VALUE 512
#define KNOB_DEV   40
#define KNOB_MAX   4096 /* entries in the file */

enum knob_kind {
	KNOB_MAX_BYTES,
	KNOB_MIN_BYTES,
	KNOB_STRICT_LIMIT,
	KNOB_READ_AHEAD,
	KNOB_CPUMASK,
	/* What the kernel engine writes; the device of the last two is a file system. */
	KNOB_CONTEXTS,
	KNOB_GROUP_MAP,
	KNOB_ORDER_MAX,
	KNOB_N
};

enum knob_state {
	KNOB_OK,
	KNOB_MANUAL,      /* somebody else wrote it */
	KNOB_UNSUPPORTED, /* this kernel does not have it */
	KNOB_GONE,        /* the device is not there */
	KNOB_REFUSED,     /* the kernel does not take the value, or not from us */
	KNOB_TRANSIENT,   /* tried again later */
};

/* What the configuration asks for. */
struct knob_want {
	enum knob_kind kind;
	char dev[KNOB_DEV]; /* name below /sys/class/bdi; "" for the work queue */
	char value[KNOB_VALUE];
	char where[256];
	char identity[80]; /* of the device that is meant; "": whatever is there now */
};

/* One line of the file. */
struct knob_entry {
	enum knob_kind kind;
	char dev[KNOB_DEV];
	char identity[80];
	char wanted[KNOB_VALUE];
	char where[256];
	/* As of the state file (see knob_state_path()); "" before it was read. */
	char original[KNOB_VALUE];
	char ours[KNOB_VALUE]; /* after our write */
	bool written;          /* the original is worth restoring */
	bool pending;          /* a write was begun: what is there now may be ours */
	enum knob_state state;
	int error;
	bool used; /* while a configuration is applied */
};

/* ---- one knob (knob.c) ---------------------------------------------------- */

const char *knob_name(enum knob_kind k);
int knob_find(const char *name); /* -1: there is none */
const char *knob_state_name(enum knob_state s);
enum knob_state knob_state_find(const char *name);
/* "sys/class/bdi/254:0/max_bytes", without the root. */
void knob_path(enum knob_kind k, const char *dev, char ret[256]);
/* The file that tells a change: max_bytes is computed anew from the memory there is
 * whenever it is read, the ratio behind it stays. */
void knob_state_path(enum knob_kind k, const char *dev, char ret[256]);

/* 0 or -errno; the value without its newline. */
int knob_read(const char *root, const char *path, char ret[KNOB_VALUE]);
/* One write(2) of the whole value. */
int knob_write(const char *root, const char *path, const char *value);
/* The same for @path of a knob, but only if its device is still the one of @identity:
 * else -ENODEV, and nothing is written, whatever happens meanwhile. */
int knob_put(const char *root, enum knob_kind k, const char *dev, const char *identity,
	     const char *path, const char *value);
/* What an error of either means; @root and @dev tell gone from unsupported. */
enum knob_state knob_classify(const char *root, enum knob_kind k, const char *dev,
			      int error);
/* What stays the same as long as the device is the same one. */
void knob_identity(const char *root, enum knob_kind k, const char *dev, char ret[80]);
/* Must it be given back after all others?  A map names contexts. */
bool knob_is_late(enum knob_kind k);
/* Is it below /sys/fs/writeback, for one file system? */
bool knob_of_fs(enum knob_kind k);
/* Do two texts of this knob mean the same? */
bool knob_same(enum knob_kind k, const char *a, const char *b);

/* ---- the file (knob_journal.c) --------------------------------------------- */

struct knob_journal {
	struct knob_entry *v;
	size_t n;
};

/* An empty one if there is no file, or it is of another boot.  -EBADMSG: it is not
 * ours or was damaged; -errno. */
int knob_journal_load(const char *root, const char *dir, struct knob_journal *ret);
/* Durable when it returns 0. */
int knob_journal_save(const char *root, const char *dir, const struct knob_journal *j);
void knob_journal_clear(struct knob_journal *j);
struct knob_entry *knob_journal_find(const struct knob_journal *j, enum knob_kind k,
				     const char *dev);
struct knob_entry *knob_journal_add(struct knob_journal *j); /* NULL: no memory, full */
void knob_journal_del(struct knob_journal *j, struct knob_entry *e);

/* ---- what is wanted (knob_plan.c) ------------------------------------------ */

struct knob_wants {
	struct knob_want *v;
	size_t n;
};

/* Bytes per second that device @bdi writes; 0: not known yet. */
typedef uint64_t knob_speed_fn(void *arg, const char *bdi);

int knob_plan(const char *root, const struct conf *c, knob_speed_fn *speed, void *arg,
	      struct knob_wants *ret);
void knob_wants_clear(struct knob_wants *w);
/* Does [knobs] exclude name it? */
bool knob_is_excluded(const struct conf *c, enum knob_kind k);
/* The bdi of a [knob] section's device.  -ENOENT. */
int knob_bdi_of(const char *root, const char *device, char ret[KNOB_DEV]);

/* ---- writing (knob_apply.c) ------------------------------------------------- */

struct ev_loop;
struct knobs;

/* Reads the file that an earlier daemon left.  Logs what is wrong with it. */
int knobs_new(struct ev_loop *loop, const char *root, const char *dir,
	      struct knobs **ret);
/* What an engine wants beside the configuration, from the next knobs_apply() on.  Takes
 * over what @w holds. */
void knobs_set_engine(struct knobs *k, struct knob_wants *w);
/* Tells of every value that is written, given back, refused, or found changed. */
struct knob_news {
	const struct knob_entry *e;
	const char *old, *new;
	const char *what; /* a sentence without the knob's name */
};
void knobs_listen(struct knobs *k, void (*fn)(const struct knob_news *n, void *arg),
		  void *arg);
/* The entry of a knob as it was last looked at; NULL: none. */
const struct knob_entry *knobs_find(const struct knobs *k, enum knob_kind kind,
				    const char *dev);
/* Has somebody else changed what we wrote there?  Looks at what the kernel has. */
bool knobs_manual(const struct knobs *k, enum knob_kind kind, const char *dev);
/* Follows the configuration, which must outlive the next call. */
void knobs_apply(struct knobs *k, const struct conf *c);
/* Restores what is to be restored on stop. */
struct knobs *knobs_free(struct knobs *k);

/* One entry gets its original back, if the value is still ours: 0; -EEXIST: it is
 * not; -errno of the write.  @dry: only says so. */
int knob_restore(const char *root, const struct knob_entry *e, bool dry);

/* ---- bandwidth (knob_speed.c) -------------------------------------------------- */

/* What a device's statistics say at one time. */
struct knob_stat {
	uint64_t written; /* bytes */
	uint64_t busy_ms; /* with requests under way */
};
struct knob_speed {
	char bdi[KNOB_DEV];
	struct knob_stat last;
	bool seen;
	uint64_t rate; /* bytes per second; 0: not known yet */
};
int knob_stat_read(const char *root, const char *bdi, struct knob_stat *ret);
/* Takes a new reading; true: the rate is another one. */
bool knob_speed_add(struct knob_speed *s, const struct knob_stat *now);
/* Bytes for a time at a rate, so that small changes change nothing: @now is what is
 * in force (0: nothing). */
uint64_t knob_bytes_for(uint64_t rate, uint64_t ms, uint64_t now);

/* ---- vm.dirty_* (knob_vm.c) ------------------------------------------------------ */

struct knob_vm {
	uint64_t memory;            /* bytes that may be dirty at all (available) */
	uint64_t background, limit; /* bytes in force */
	bool by_ratio;
};
struct knob_proposal {
	const char *name; /* "vm.dirty_background_bytes" */
	uint64_t now, proposed;
	const char *why;
};
int knob_vm_read(const char *root, struct knob_vm *ret);
/* At most two; returns how many. */
unsigned knob_vm_propose(const struct knob_vm *v, struct knob_proposal ret[2]);

#endif

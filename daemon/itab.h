/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of tracked inodes.  A record is a 32-bit index into slabs of fixed
 * size; it never moves, so an index stays good until itab_del().  Look-up is a
 * linear hash: buckets split one at a time as records are added, so that no
 * insertion pays for the whole table and no moment needs two copies of it.
 *
 * A record belongs to at most one list (struct ilist), by links of its own.
 */
#ifndef WB_ITAB_H
#define WB_ITAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ITAB_NONE       UINT32_MAX
#define ITAB_HANDLE_MAX 22

enum ino_state {
	INO_FREE,
	INO_WAIT,    /* on the wheel, to be looked at when due */
	INO_READY,   /* on its context's list, to be looked at next */
	INO_LOOKING, /* a worker has it */
	INO_QUEUED,  /* on its context's list of flushes, or being flushed */
};

enum ino_flag {
	INO_F_DRAIN = 1,    /* somebody waits for it: no policy, flush */
	INO_F_SILENCED = 2, /* carries a fanotify ignore mark */
	INO_F_LOOKED = 4,   /* size and dirty are from a look */
	INO_F_HOT = 8,      /* last look left it to cool */
	INO_F_LINGER = 16,  /* clean at the last look, but see engine_track.c */
	INO_F_ORPHAN = 32,  /* its file system was released while a worker had it */
	INO_F_AGAIN = 64,   /* dirtied while a worker had it */
	INO_F_KEYED = 128,  /* found by number alone: no handle is stored */
};

/* Sizes are in 4 KiB units ("pages" whatever the machine's are), saturated. */
struct ino {
	uint64_t ino;
	uint32_t hash_next;
	uint32_t next, prev; /* list links */
	uint32_t since;      /* tick when it became dirty */
	uint32_t due;        /* tick of the next look */
	uint32_t group;
	uint32_t dirty;   /* at the last look */
	uint32_t size;    /* at the last look */
	uint32_t flushed; /* an append stream is flushed up to here */
	uint16_t fs;      /* engine's file system slot */
	uint8_t state;    /* enum ino_state */
	uint8_t flags;    /* enum ino_flag */
	uint8_t ctx;
	uint8_t patience; /* consecutive looks that left it hot, or lingering */
	uint8_t events;   /* fanotify: notifications before it was silenced */
	uint8_t list;     /* which list it is on: 0 none; engine's business */
	uint8_t handle_type;
	uint8_t handle_len; /* 0 with INO_F_KEYED */
	uint8_t handle[ITAB_HANDLE_MAX];
	uint16_t class; /* of the process that dirtied it: hint_rule.h */
	uint16_t rule;  /* that its last look found, plus one; 0: none */
};

struct itab;

int itab_new(uint32_t max, struct itab **ret);
struct itab *itab_free(struct itab *t);
/* A lower limit than what is tracked refuses new records, it drops none. */
void itab_set_max(struct itab *t, uint32_t max);

uint32_t itab_count(const struct itab *t);
uint64_t itab_bytes(const struct itab *t); /* memory held */
struct ino *itab_at(const struct itab *t, uint32_t idx);

/* Record of inode @ino of file system slot @fs; @handle NULL matches any.
 * ITAB_NONE if there is none. */
uint32_t itab_find(const struct itab *t, uint16_t fs, uint64_t ino, const void *handle,
		   uint8_t len);
/* A new record, zeroed but for key, handle and state INO_WAIT; the caller has
 * looked first.  -ENOSPC at the limit, -ENOMEM, -EINVAL if @len is too long. */
int itab_add(struct itab *t, uint16_t fs, uint64_t ino, uint8_t type, const void *handle,
	     uint8_t len, uint32_t *ret);
/* The record must be on no list. */
void itab_del(struct itab *t, uint32_t idx);

/* Walks all records, also while the caller deletes the one it is given: start
 * with 0, stop at ITAB_NONE.  Records added meanwhile may be missed. */
uint32_t itab_next(const struct itab *t, uint32_t from);

/* ---- lists of records ---------------------------------------------------- */

struct ilist {
	uint32_t head, tail, n;
};

#define ILIST_INIT ((struct ilist){ITAB_NONE, ITAB_NONE, 0})

void ilist_add_tail(struct itab *t, struct ilist *l, uint32_t idx);
void ilist_remove(struct itab *t, struct ilist *l, uint32_t idx);
uint32_t ilist_pop(struct itab *t, struct ilist *l); /* ITAB_NONE if empty */

#endif

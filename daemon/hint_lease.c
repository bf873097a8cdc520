// SPDX-License-Identifier: GPL-2.0-or-later
/* See hint_lease.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/hint_lease.h"

#define FIRST_BUCKETS 64
#define UIDS          64 /* users that are counted one by one; the rest together */

/* Leases on one list, the newest last. */
struct list {
	struct hint_lease *head, **tail;
};

/* One connection's. */
struct owner {
	struct owner *next;
	uint64_t id;
	struct list own;
};

#define OWNER_BUCKETS 256

struct hint_leases {
	struct hint_lease **bucket;
	size_t n_buckets, cap; /* in use; allocated */
	size_t level;          /* power of two <= n_buckets */
	size_t n;
	struct owner *owner[OWNER_BUCKETS];
	struct list kept;  /* by last activity, the oldest first */
	struct list dying; /* their owners are gone */
	struct {
		uid_t uid;
		size_t n;
	} user[UIDS + 1]; /* the last: all others */
};

static void list_init(struct list *l)
{
	l->head = NULL;
	l->tail = &l->head;
}

static void list_add(struct list *l, struct hint_lease *x)
{
	x->list_next = NULL;
	x->list_prev = l->tail;
	*l->tail = x;
	l->tail = &x->list_next;
}

static void list_del(struct list *l, struct hint_lease *x)
{
	*x->list_prev = x->list_next;
	if (x->list_next)
		x->list_next->list_prev = x->list_prev;
	else
		l->tail = x->list_prev;
}

/* All of @from to the end of @to. */
static void list_move(struct list *to, struct list *from)
{
	if (!from->head)
		return;
	from->head->list_prev = to->tail;
	*to->tail = from->head;
	to->tail = from->tail;
	list_init(from);
}

/* ---- the hash ----------------------------------------------------------------- */

static uint64_t mix(dev_t dev, uint64_t ino)
{
	uint64_t h = (ino ^ ((uint64_t)dev << 32)) * 0x9e3779b97f4a7c15ULL;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

static size_t place(const struct hint_leases *t, uint64_t h)
{
	size_t i = h & (2 * t->level - 1);

	return i < t->n_buckets ? i : h & (t->level - 1);
}

/* One more bucket: it takes its share of the one it was folded into.  Without memory
 * the table stays as it is, with longer chains. */
static void split(struct hint_leases *t)
{
	struct hint_lease **p, **from, *x;
	size_t i = t->n_buckets;

	if (i == t->cap) {
		struct hint_lease **v = reallocarray(t->bucket, 2 * i, sizeof(*v));

		if (!v)
			return;
		t->bucket = v;
		t->cap = 2 * i;
	}
	if (i == 2 * t->level)
		t->level = i;
	t->bucket[i] = NULL;
	t->n_buckets++;
	from = &t->bucket[i & (t->level - 1)];
	for (p = from; (x = *p);) {
		if (place(t, mix(x->dev, x->ino)) != i) {
			p = &x->hash_next;
			continue;
		}
		*p = x->hash_next;
		x->hash_next = t->bucket[i];
		t->bucket[i] = x;
	}
}

static struct hint_lease **chain(const struct hint_leases *t, dev_t dev, uint64_t ino)
{
	return &t->bucket[place(t, mix(dev, ino))];
}

static void unhash(struct hint_leases *t, struct hint_lease *x)
{
	struct hint_lease **p = chain(t, x->dev, x->ino);

	while (*p != x)
		p = &(*p)->hash_next;
	*p = x->hash_next;
}

/* ---- users and owners ------------------------------------------------------------ */

static size_t *count_of(struct hint_leases *t, uid_t uid)
{
	size_t spare = UIDS;

	for (size_t i = 0; i < UIDS; i++) {
		if (t->user[i].n && t->user[i].uid == uid)
			return &t->user[i].n;
		if (!t->user[i].n && spare == UIDS)
			spare = i;
	}
	/* One that was counted with the others before may be counted twice as
	 * strictly, never less. */
	if (spare < UIDS)
		t->user[spare].uid = uid;
	return &t->user[spare].n;
}

static struct owner **find_owner(struct hint_leases *t, uint64_t id)
{
	struct owner **p = &t->owner[id % OWNER_BUCKETS];

	while (*p && (*p)->id != id)
		p = &(*p)->next;
	return p;
}

static struct owner *get_owner(struct hint_leases *t, uint64_t id)
{
	struct owner **p = find_owner(t, id);

	if (*p)
		return *p;
	*p = calloc(1, sizeof(**p));
	if (*p) {
		(*p)->id = id;
		list_init(&(*p)->own);
	}
	return *p;
}

/* ---- leases ---------------------------------------------------------------------- */

int hint_leases_new(struct hint_leases **ret)
{
	struct hint_leases *t = calloc(1, sizeof(*t));

	if (t)
		t->bucket = calloc(FIRST_BUCKETS, sizeof(*t->bucket));
	if (!t || !t->bucket) {
		free(t);
		return -ENOMEM;
	}
	t->n_buckets = t->cap = t->level = FIRST_BUCKETS;
	list_init(&t->kept);
	list_init(&t->dying);
	*ret = t;
	return 0;
}

static void free_lease(struct hint_leases *t, struct list *on, struct hint_lease *x)
{
	size_t slot = UIDS;

	for (size_t i = 0; i < UIDS && slot == UIDS; i++)
		if (t->user[i].n && t->user[i].uid == x->uid)
			slot = i;
	if (t->user[slot].n)
		t->user[slot].n--;
	list_del(on, x);
	unhash(t, x);
	t->n--;
	free(x);
}

struct hint_leases *hint_leases_free(struct hint_leases *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < t->n_buckets; i++)
		for (struct hint_lease *x = t->bucket[i], *next; x; x = next) {
			next = x->hash_next;
			free(x);
		}
	for (size_t i = 0; i < OWNER_BUCKETS; i++)
		for (struct owner *o = t->owner[i], *next; o; o = next) {
			next = o->next;
			free(o);
		}
	free(t->bucket);
	free(t);
	return NULL;
}

/* The list that @x is on. */
static struct list *list_of(struct hint_leases *t, const struct hint_lease *x)
{
	struct owner *o = x->keep ? NULL : *find_owner(t, x->owner);

	return x->keep ? &t->kept : o ? &o->own : &t->dying;
}

/* Of one connection on one inode there is one lease, and of one user one that is
 * kept. */
static bool is_same(const struct hint_lease *a, dev_t dev, uint64_t ino, uint64_t owner,
		    uid_t uid)
{
	return a->dev == dev && a->ino == ino &&
	       (a->owner == owner || (a->keep && a->uid == uid));
}

bool hint_leases_drop(struct hint_leases *t, dev_t dev, uint64_t ino, uint64_t owner,
		      uid_t uid)
{
	struct hint_lease *x = *chain(t, dev, ino), *next;
	bool dropped = false;

	for (; x; x = next) {
		next = x->hash_next;
		if (!is_same(x, dev, ino, owner, uid))
			continue;
		free_lease(t, list_of(t, x), x);
		dropped = true;
	}
	return dropped;
}

static int check_limits(struct hint_leases *t, uid_t uid, size_t max, size_t *ret_limit)
{
	if (t->n >= max) {
		*ret_limit = max;
		return -ENOSPC;
	}
	if (uid != 0 && *count_of(t, uid) >= (max + 1) / 2) {
		*ret_limit = (max + 1) / 2;
		return -ENOSPC;
	}
	return 0;
}

int hint_leases_put(struct hint_leases *t, const struct hint_lease *l, size_t max,
		    size_t *ret_limit)
{
	struct hint_lease *x, **head;
	struct owner *o = NULL;
	int r;

	hint_leases_drop(t, l->dev, l->ino, l->owner, l->uid);
	r = check_limits(t, l->uid, max, ret_limit);
	if (r < 0)
		return r;
	if (!l->keep)
		o = get_owner(t, l->owner);
	x = !l->keep && !o ? NULL : malloc(sizeof(*x));
	if (!x)
		return -ENOMEM;
	*x = *l;
	if (t->n >= t->n_buckets)
		split(t);
	head = chain(t, x->dev, x->ino);
	x->hash_next = *head; /* in front: the newest is found first */
	*head = x;
	list_add(o ? &o->own : &t->kept, x);
	(*count_of(t, x->uid))++;
	t->n++;
	return 0;
}

/* Splitting turns chains round, so the newest is told by its time, and of two of
 * the same second by the later connection. */
static bool is_newer(const struct hint_lease *a, const struct hint_lease *b)
{
	return !b || a->since > b->since || (a->since == b->since && a->owner > b->owner);
}

const struct hint_lease *hint_leases_find(const struct hint_leases *t, dev_t dev,
					  uint64_t ino)
{
	const struct hint_lease *found = NULL;

	for (const struct hint_lease *x = *chain(t, dev, ino); x; x = x->hash_next)
		if (x->dev == dev && x->ino == ino && is_newer(x, found))
			found = x;
	return found;
}

void hint_leases_touch(struct hint_leases *t, dev_t dev, uint64_t ino, uint32_t now)
{
	for (struct hint_lease *x = *chain(t, dev, ino); x; x = x->hash_next) {
		if (x->dev != dev || x->ino != ino || x->seen == now)
			continue;
		x->seen = now;
		if (!x->keep)
			continue;
		list_del(&t->kept, x);
		list_add(&t->kept, x);
	}
}

void hint_leases_end_owner(struct hint_leases *t, uint64_t owner)
{
	struct owner **p = find_owner(t, owner), *o = *p;

	if (!o)
		return;
	list_move(&t->dying, &o->own);
	*p = o->next;
	free(o);
}

bool hint_leases_sweep(struct hint_leases *t, uint32_t oldest, unsigned max)
{
	for (; max && t->dying.head; max--)
		free_lease(t, &t->dying, t->dying.head);
	for (; max && t->kept.head && t->kept.head->seen < oldest; max--)
		free_lease(t, &t->kept, t->kept.head);
	return !max;
}

bool hint_leases_pending(const struct hint_leases *t)
{
	return t->dying.head || t->kept.head;
}

size_t hint_leases_count(const struct hint_leases *t)
{
	return t->n;
}

uint64_t hint_leases_bytes(const struct hint_leases *t)
{
	/* malloc() adds 8 bytes and rounds up to 16. */
	size_t each = (sizeof(struct hint_lease) + 8 + 15) & ~(size_t)15;

	return sizeof(*t) + t->cap * sizeof(*t->bucket) + t->n * each;
}

void hint_leases_each(const struct hint_leases *t, size_t max,
		      void (*fn)(const struct hint_lease *l, void *arg), void *arg)
{
	for (size_t i = 0; i < t->n_buckets && max; i++)
		for (const struct hint_lease *x = t->bucket[i]; x && max;
		     x = x->hash_next) {
			fn(x, arg);
			max--;
		}
}

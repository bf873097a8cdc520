/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slabs of inode records and the linear hash over them; see itab.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "daemon/itab.h"

#define SLAB_BITS 12 /* records per slab: 4096 */
#define SLAB_N    (1u << SLAB_BITS)
#define SEG_BITS  12 /* buckets per segment */
#define SEG_N     (1u << SEG_BITS)
#define BASE_BITS SEG_BITS /* the table starts with one segment */

struct itab {
	uint32_t max, count;
	struct ino **slab;
	uint32_t n_slab, slots_used; /* slots_used: never handed out beyond */
	uint32_t free_head;          /* chained by hash_next */
	uint32_t **seg;
	uint32_t n_seg;
	uint32_t level_bits; /* buckets below split have level_bits + 1 bits */
	uint32_t split;
};

/* Pages straight from the kernel, so that what is freed is given back. */
static void *pages_get(size_t n)
{
	void *p =
		mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint32_t *seg_new(void)
{
	uint32_t *s = pages_get(SEG_N * sizeof(*s));

	for (uint32_t i = 0; s && i < SEG_N; i++)
		s[i] = ITAB_NONE;
	return s;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static uint32_t bucket_of(const struct itab *t, uint16_t fs, uint64_t ino)
{
	uint64_t h = mix(ino ^ ((uint64_t)fs << 48));
	uint32_t b = (uint32_t)(h & ((1u << t->level_bits) - 1));

	if (b < t->split)
		b = (uint32_t)(h & ((2u << t->level_bits) - 1));
	return b;
}

static uint32_t *bucket(const struct itab *t, uint32_t b)
{
	return &t->seg[b >> SEG_BITS][b & (SEG_N - 1)];
}

int itab_new(uint32_t max, struct itab **ret)
{
	struct itab *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->seg = calloc(1, sizeof(*t->seg));
	if (t->seg)
		t->seg[0] = seg_new();
	if (!t->seg || !t->seg[0]) {
		free(t->seg);
		free(t);
		return -ENOMEM;
	}
	t->n_seg = 1;
	t->level_bits = BASE_BITS;
	t->free_head = ITAB_NONE;
	t->max = max;
	*ret = t;
	return 0;
}

struct itab *itab_free(struct itab *t)
{
	if (!t)
		return NULL;
	for (uint32_t i = 0; i < t->n_slab; i++)
		(void)munmap(t->slab[i], SLAB_N * sizeof(struct ino));
	for (uint32_t i = 0; i < t->n_seg; i++)
		(void)munmap(t->seg[i], SEG_N * sizeof(uint32_t));
	free(t->slab);
	free(t->seg);
	free(t);
	return NULL;
}

void itab_set_max(struct itab *t, uint32_t max)
{
	t->max = max;
}

uint32_t itab_count(const struct itab *t)
{
	return t->count;
}

uint64_t itab_bytes(const struct itab *t)
{
	return sizeof(*t) +
	       (uint64_t)t->n_slab * (SLAB_N * sizeof(struct ino) + sizeof(*t->slab)) +
	       (uint64_t)t->n_seg * (SEG_N * sizeof(uint32_t) + sizeof(*t->seg));
}

struct ino *itab_at(const struct itab *t, uint32_t idx)
{
	return &t->slab[idx >> SLAB_BITS][idx & (SLAB_N - 1)];
}

static bool same(const struct ino *i, uint16_t fs, uint64_t ino, const void *handle,
		 uint8_t len)
{
	if (i->ino != ino || i->fs != fs)
		return false;
	return !handle || (i->handle_len == len && !memcmp(i->handle, handle, len));
}

uint32_t itab_find(const struct itab *t, uint16_t fs, uint64_t ino, const void *handle,
		   uint8_t len)
{
	uint32_t idx = *bucket(t, bucket_of(t, fs, ino));

	while (idx != ITAB_NONE) {
		const struct ino *i = itab_at(t, idx);

		if (same(i, fs, ino, handle, len))
			return idx;
		idx = i->hash_next;
	}
	return ITAB_NONE;
}

static int slab_grow(struct itab *t)
{
	struct ino **v = realloc(t->slab, (t->n_slab + 1) * sizeof(*v));
	struct ino *s;

	if (!v)
		return -ENOMEM;
	t->slab = v;
	s = pages_get(SLAB_N * sizeof(*s));
	if (!s)
		return -ENOMEM;
	t->slab[t->n_slab++] = s;
	return 0;
}

static int slot_get(struct itab *t, uint32_t *ret)
{
	int r;

	if (t->free_head != ITAB_NONE) {
		*ret = t->free_head;
		t->free_head = itab_at(t, *ret)->hash_next;
		return 0;
	}
	if (t->slots_used == t->n_slab << SLAB_BITS) {
		r = slab_grow(t);
		if (r < 0)
			return r;
	}
	*ret = t->slots_used++;
	return 0;
}

/* Splits one bucket where there are more records than buckets.  A failure only
 * makes chains longer. */
static void split_one(struct itab *t)
{
	uint32_t from = t->split, to = from + (1u << t->level_bits);
	uint32_t idx, keep = ITAB_NONE;

	if (t->count <= to)
		return;
	if (to >> SEG_BITS == t->n_seg) {
		uint32_t **v = realloc(t->seg, (t->n_seg + 1) * sizeof(*v));

		if (!v)
			return;
		t->seg = v;
		t->seg[t->n_seg] = seg_new();
		if (!t->seg[t->n_seg])
			return;
		t->n_seg++;
	}
	idx = *bucket(t, from);
	if (++t->split == 1u << t->level_bits) {
		t->split = 0;
		t->level_bits++;
	}
	while (idx != ITAB_NONE) {
		struct ino *i = itab_at(t, idx);
		uint32_t next = i->hash_next;
		uint32_t *head =
			bucket_of(t, i->fs, i->ino) == to ? bucket(t, to) : &keep;

		i->hash_next = *head;
		*head = idx;
		idx = next;
	}
	*bucket(t, from) = keep;
}

int itab_add(struct itab *t, uint16_t fs, uint64_t ino, uint8_t type, const void *handle,
	     uint8_t len, uint32_t *ret)
{
	uint32_t idx, *b;
	struct ino *i;
	int r;

	if (len > ITAB_HANDLE_MAX)
		return -EINVAL;
	if (t->count >= t->max)
		return -ENOSPC;
	r = slot_get(t, &idx);
	if (r < 0)
		return r;
	i = itab_at(t, idx);
	*i = (struct ino){.ino = ino,
			  .fs = fs,
			  .state = INO_WAIT,
			  .next = ITAB_NONE,
			  .prev = ITAB_NONE,
			  .handle_type = type,
			  .handle_len = len,
			  .flags = handle ? 0 : INO_F_KEYED};
	if (handle)
		memcpy(i->handle, handle, len);
	b = bucket(t, bucket_of(t, fs, ino));
	i->hash_next = *b;
	*b = idx;
	t->count++;
	split_one(t);
	*ret = idx;
	return 0;
}

/* Nothing is tracked: give back what a burst has taken. */
static void trim(struct itab *t)
{
	while (t->n_slab > 1)
		(void)munmap(t->slab[--t->n_slab], SLAB_N * sizeof(struct ino));
	while (t->n_seg > 1)
		(void)munmap(t->seg[--t->n_seg], SEG_N * sizeof(uint32_t));
	t->level_bits = BASE_BITS;
	t->split = 0;
	t->slots_used = 0;
	t->free_head = ITAB_NONE;
}

void itab_del(struct itab *t, uint32_t idx)
{
	struct ino *i = itab_at(t, idx);
	uint32_t *p = bucket(t, bucket_of(t, i->fs, i->ino));

	while (*p != idx)
		p = &itab_at(t, *p)->hash_next;
	*p = i->hash_next;
	i->state = INO_FREE;
	i->hash_next = t->free_head;
	t->free_head = idx;
	t->count--;
	if (!t->count)
		trim(t);
}

uint32_t itab_next(const struct itab *t, uint32_t from)
{
	for (; from < t->slots_used; from++)
		if (itab_at(t, from)->state != INO_FREE)
			return from;
	return ITAB_NONE;
}

void ilist_add_tail(struct itab *t, struct ilist *l, uint32_t idx)
{
	struct ino *i = itab_at(t, idx);

	i->next = ITAB_NONE;
	i->prev = l->tail;
	if (l->tail != ITAB_NONE)
		itab_at(t, l->tail)->next = idx;
	else
		l->head = idx;
	l->tail = idx;
	l->n++;
}

void ilist_remove(struct itab *t, struct ilist *l, uint32_t idx)
{
	struct ino *i = itab_at(t, idx);

	if (i->prev != ITAB_NONE)
		itab_at(t, i->prev)->next = i->next;
	else
		l->head = i->next;
	if (i->next != ITAB_NONE)
		itab_at(t, i->next)->prev = i->prev;
	else
		l->tail = i->prev;
	i->next = i->prev = ITAB_NONE;
	l->n--;
}

uint32_t ilist_pop(struct itab *t, struct ilist *l)
{
	uint32_t idx = l->head;

	if (idx != ITAB_NONE)
		ilist_remove(t, l, idx);
	return idx;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The bound for folio orders: see order.h. */
#include "daemon/order.h"

void order_init(struct order_state *s)
{
	*s = (struct order_state){.order = ORDER_START};
}

static bool step(struct order_state *s, unsigned order)
{
	bool other = order != s->order;

	s->order = order;
	s->calm = 0;
	return other;
}

bool order_look(struct order_state *s, const struct order_now *now)
{
	unsigned most = now->asked < ORDER_MAX ? now->asked : ORDER_MAX;

	if (most < ORDER_START)
		most = ORDER_START;
	if (now->stalled || now->scarce) {
		if (s->order > ORDER_START)
			return step(s, ORDER_START);
		return step(s, s->order ? s->order - 1 : 0);
	}
	if (++s->calm < ORDER_CALM)
		return false;
	/* What nobody needs any more is only an invitation. */
	if (s->order > most)
		return step(s, s->order - 1);
	if (s->order < most && now->plenty)
		return step(s, s->order + 1);
	s->calm = ORDER_CALM; /* it has been calm for long enough */
	return false;
}

unsigned order_of(uint64_t bytes, uint64_t page)
{
	unsigned order = 0;

	while (order < ORDER_MAX && page << (order + 1) <= bytes)
		order++;
	return order;
}

/* Bytes in free blocks that are at least that large, and in all. */
static uint64_t from(const struct order_memory *m, unsigned order)
{
	uint64_t sum = 0;

	for (unsigned i = order; i < ORDERS; i++)
		sum += m->free[i];
	return sum;
}

bool order_scarce(const struct order_memory *m, unsigned order)
{
	uint64_t large = from(m, order);

	return large < (4U << 20) || large < from(m, 0) / 20;
}

bool order_plenty(const struct order_memory *m, unsigned order)
{
	uint64_t large = from(m, order);

	return large >= (64U << 20) && large >= from(m, 0) / 4;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See wheel.h. */
#include "daemon/wheel.h"

void wheel_init(struct wheel *w)
{
	for (unsigned i = 0; i < WHEEL_SLOTS; i++)
		w->slot[i] = ILIST_INIT;
	w->tick = 0;
	w->n = 0;
}

void wheel_sync(struct wheel *w, uint32_t now)
{
	if (!w->n)
		w->tick = now;
}

void wheel_add(struct wheel *w, struct itab *t, uint32_t idx, uint32_t due)
{
	if ((int32_t)(due - w->tick) < 0)
		due = w->tick;
	if (due - w->tick >= WHEEL_SLOTS)
		due = w->tick + WHEEL_SLOTS - 1;
	itab_at(t, idx)->due = due;
	ilist_add_tail(t, &w->slot[due % WHEEL_SLOTS], idx);
	w->n++;
}

void wheel_remove(struct wheel *w, struct itab *t, uint32_t idx)
{
	ilist_remove(t, &w->slot[itab_at(t, idx)->due % WHEEL_SLOTS], idx);
	w->n--;
}

uint32_t wheel_take(struct wheel *w, struct itab *t, uint32_t now)
{
	wheel_sync(w, now);
	while ((int32_t)(now - w->tick) >= 0) {
		uint32_t idx = ilist_pop(t, &w->slot[w->tick % WHEEL_SLOTS]);

		if (idx != ITAB_NONE) {
			w->n--;
			return idx;
		}
		if (w->tick == now)
			break;
		w->tick++;
	}
	return ITAB_NONE;
}

uint32_t wheel_next(const struct wheel *w, uint32_t now)
{
	if (!w->n)
		return UINT32_MAX;
	for (uint32_t i = 0; i < WHEEL_SLOTS; i++) {
		uint32_t at = w->tick + i;

		if (w->slot[at % WHEEL_SLOTS].n)
			return (int32_t)(at - now) > 0 ? at - now : 0;
	}
	return UINT32_MAX;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timing wheel over inode records: putting one on, taking it off and finding
 * what is due cost the same whatever is tracked.
 */
#ifndef WB_WHEEL_H
#define WB_WHEEL_H

#include "daemon/itab.h"

#define WHEEL_SLOTS   1024
#define WHEEL_TICK_MS 100

struct wheel {
	struct ilist slot[WHEEL_SLOTS];
	uint32_t tick; /* everything before it has been taken off */
	uint32_t n;
};

void wheel_init(struct wheel *w);
/* An empty wheel stands still; call it before the first record is put on, so that
 * neither the time in between is walked through nor anything new seems overdue. */
void wheel_sync(struct wheel *w, uint32_t now);
/* Due at tick @due; what is further away than the wheel is long comes early. */
void wheel_add(struct wheel *w, struct itab *t, uint32_t idx, uint32_t due);
void wheel_remove(struct wheel *w, struct itab *t, uint32_t idx);
/* Next record that is due at or before @now, ITAB_NONE if there is none (left). */
uint32_t wheel_take(struct wheel *w, struct itab *t, uint32_t now);
/* Ticks from @now to the next slot that is not empty; UINT32_MAX: empty. */
uint32_t wheel_next(const struct wheel *w, uint32_t now);

#endif

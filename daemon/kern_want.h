/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the kernel engine's plan and the knobs: see kern.h. */
#ifndef WB_KERN_WANT_H
#define WB_KERN_WANT_H

#include "daemon/knob.h"
#include "daemon/plan.h"

/* What makes the kernel do what @p says: contexts first, then maps and orders.  0 or
 * -ENOMEM. */
int kern_wants(const struct plan *p, const struct conf *c, struct knob_wants *ret);
/* Marks in @s, which belongs to @t, what somebody else has changed. */
void kern_ask_knobs(const struct knobs *k, const struct fsys_table *t,
		    struct kern_state *s);
/* One line for each knob, for `wbd --dry-run`.  Changes @w. */
void kern_print(const char *root, struct knob_wants *w, FILE *f);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* One knob gets back what was found; the daemon does this, and wbctl without it. */
#include <errno.h>
#include <string.h>

#include "daemon/knob.h"

int knob_restore(const char *root, const struct knob_entry *e, bool dry)
{
	char state[256], now[KNOB_VALUE], identity[80];
	int r;

	if (!e->written)
		return -ENODATA;
	knob_identity(root, e->kind, e->dev, identity);
	if (strcmp(identity, e->identity) != 0)
		return -ENODEV;
	knob_state_path(e->kind, e->dev, state);
	r = knob_read(root, state, now);
	if (r < 0)
		return r;
	if (strcmp(now, e->original) == 0)
		return 0;
	if (!e->pending && strcmp(now, e->ours) != 0)
		return -EEXIST;
	if (dry)
		return 0;
	r = knob_put(root, e->kind, e->dev, e->identity, state, e->original);
	/* Interrupted: it is in force, the kernel does the rest by itself. */
	if (r == -EINTR && knob_read(root, state, now) == 0 &&
	    strcmp(now, e->original) == 0)
		r = 0;
	return r;
}

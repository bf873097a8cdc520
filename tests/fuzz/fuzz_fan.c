// SPDX-License-Identifier: GPL-2.0-or-later
/* Fanotify's event buffer as hostile bytes: what comes out points into it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/fan_events.h"
#include "daemon/itab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct buf {
	uint8_t *p;
	size_t len;
	unsigned events;
};

static void dirty(const struct source_event *ev, void *arg)
{
	struct buf *b = arg;
	const uint8_t *h = ev->handle;

	if (ev->fs != 7 || !ev->handle_len || ev->handle_len > ITAB_HANDLE_MAX ||
	    h < b->p || h + ev->handle_len > b->p + b->len)
		abort();
	b->events++;
}

static void lost(uint16_t fs, uint64_t n, void *arg)
{
	if (fs != 7 || n != 1)
		abort();
	((struct buf *)arg)->events++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf b = {.p = malloc(size ? size : 1), .len = size};
	const struct source_sink sink = {.dirty = dirty, .lost = lost, .arg = &b};

	memcpy(b.p, data, size);
	fan_events(b.p, size, 7, &sink);
	if (b.events > size) /* each takes some bytes: it ends */
		abort();
	free(b.p);
	return 0;
}

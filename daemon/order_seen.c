// SPDX-License-Identifier: GPL-2.0-or-later
/* How fragmented memory is, from /proc. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/fsys_sysfs.h"
#include "daemon/order.h"

/* "Node 0, zone   Normal   5  3 ...": blocks per order. */
static void add_zone(struct order_memory *m, const char *line, uint64_t page)
{
	const char *p = strstr(line, "zone");
	char *end;

	/* DMA is 16 MiB that nobody gets. */
	if (!p || strspn(p + 4, " ") == 0)
		return;
	p += 4 + strspn(p + 4, " ");
	if (!strncmp(p, "DMA ", 4))
		return;
	p += strcspn(p, " \n");
	for (unsigned order = 0;; order++) {
		unsigned long long n = strtoull(p, &end, 10);

		if (end == p || order > 30)
			return;
		m->free[order < ORDERS ? order : ORDERS - 1] += n * (page << order);
		p = end;
		if (*p == '\n' || p[strspn(p, " ")] == '\n')
			return;
	}
}

int order_memory_read(const char *root, struct order_memory *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct order_memory m = {0};
	char text[32768];
	const char *p;
	int r = sysfs_read(root, text, sizeof(text), "proc/buddyinfo");

	if (r < 0)
		return r;
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		add_zone(&m, line, page);
	}
	r = sysfs_read(root, text, sizeof(text), "proc/vmstat");
	if (r < 0)
		return r;
	p = strstr(text, "\ncompact_stall ");
	m.stalls = p ? strtoull(p + strlen("\ncompact_stall "), NULL, 10) : 0;
	*ret = m;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See pressure.h. */
#include <errno.h>
#include <stdlib.h>

#include "daemon/fsys_sysfs.h"
#include "daemon/pressure.h"

#define EXPIRE_DEFAULT_CS 3000
#define PERIOD_DEFAULT_CS 500

bool pressure_decide(bool was_on, uint64_t dirty, uint64_t background)
{
	if (!background)
		return false;
	return was_on ? dirty >= background / 4 * 3 : dirty >= background;
}

int pressure_read(const char *root, struct pressure *p)
{
	char text[16384] = "";
	int r = sysfs_read(root, text, sizeof(text), "proc/vmstat");

	if (r < 0)
		return r;
	if (!sysfs_field(text, "nr_dirty", &p->dirty) ||
	    !sysfs_field(text, "nr_dirty_background_threshold", &p->background))
		return -ENODATA;
	p->on = pressure_decide(p->on, p->dirty, p->background);
	return 0;
}

static uint64_t sysctl_cs(const char *root, const char *path, uint64_t fallback)
{
	char text[32];

	if (sysfs_read(root, text, sizeof(text), "%s", path) < 0)
		return fallback;
	return strtoull(text, NULL, 10);
}

uint64_t pressure_expire_ms(const char *root)
{
	uint64_t expire, period;

	expire = sysctl_cs(root, "proc/sys/vm/dirty_expire_centisecs", EXPIRE_DEFAULT_CS);
	period = sysctl_cs(root, "proc/sys/vm/dirty_writeback_centisecs",
			   PERIOD_DEFAULT_CS);
	return (expire + period) * 10;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See spare.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "common/cleanup.h"
#include "daemon/spare.h"

#define FIELDS 8 /* user nice system idle iowait irq softirq steal */

/* The io_uring workers are threads of ours, so their time is in it. */
static uint64_t own_jiffies(void)
{
	struct rusage ru;

	if (getrusage(RUSAGE_SELF, &ru) < 0)
		return 0;
	return ((uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000 +
		(uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec)) *
	       (uint64_t)sysconf(_SC_CLK_TCK) / 1000000;
}

static bool read_stat(const char *root, uint64_t *total, uint64_t *idle)
{
	CLEANUP(cleanup_fclosep) FILE *f = NULL;
	uint64_t v[FIELDS] = {0};
	char path[512];

	if (snprintf(path, sizeof(path), "%s/proc/stat", root) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (!f || fscanf(f,
			 "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			 &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 4)
		return false;
	*total = 0;
	for (int i = 0; i < FIELDS; i++)
		*total += v[i];
	*idle = v[3] + v[4];
	return true;
}

bool spare_decide(uint64_t total, uint64_t idle, uint64_t own)
{
	return total == 0 || (idle + own) * 100 >= total * SPARE_PERCENT;
}

void spare_sample(const char *root, struct spare *s)
{
	struct spare now = {.own = own_jiffies(), .enough = true};

	if (read_stat(root, &now.total, &now.idle) && s->total && now.total > s->total)
		now.enough = spare_decide(now.total - s->total,
					  now.idle > s->idle ? now.idle - s->idle : 0,
					  now.own - s->own);
	*s = now;
}

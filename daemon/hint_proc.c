// SPDX-License-Identifier: GPL-2.0-or-later
/* Which program and cgroup a process is: /proc, which no file system is behind. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/fsys_sysfs.h"
#include "daemon/hint_rule.h"

#define CACHE   256
#define FRESH_S 1.0

struct hint_proc_cache {
	struct {
		pid_t pid;
		uint16_t class;
		double until;
	} v[CACHE];
};

/* "0::/system.slice/x.service" is the unified hierarchy; "1:name=systemd:/..." the
 * one that systemd keeps beside the old controllers. */
static void find_cgroup(char *text, char *ret, size_t size)
{
	char *save = NULL;

	*ret = '\0';
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		bool unified = !strncmp(l, "0::", 3);
		char *path = strstr(l, ":/");

		if (!path || (!unified && !strstr(l, ":name=")))
			continue;
		/* Of both, the unified one comes last, and may be "/" for everybody. */
		if (unified && *ret && !strcmp(path + 1, "/"))
			return;
		(void)snprintf(ret, size, "%s", path + 1);
		if (unified && strcmp(ret, "/") != 0)
			return;
	}
}

int hint_proc_read(const char *root, pid_t pid, struct hint_proc *ret)
{
	struct hint_proc p = {0};
	char text[4096];
	int r;

	if (pid <= 0)
		return -ESRCH;
	r = sysfs_read(root, p.comm, sizeof(p.comm), "proc/%d/comm", (int)pid);
	if (r < 0)
		return r;
	if (sysfs_read(root, text, sizeof(text), "proc/%d/cgroup", (int)pid) > 0)
		find_cgroup(text, p.cgroup, sizeof(p.cgroup));
	*ret = p;
	return 0;
}

struct hint_proc_cache *hint_proc_cache_new(void)
{
	return calloc(1, sizeof(struct hint_proc_cache));
}

struct hint_proc_cache *hint_proc_cache_free(struct hint_proc_cache *c)
{
	free(c);
	return NULL;
}

void hint_proc_cache_clear(struct hint_proc_cache *c)
{
	memset(c, 0, sizeof(*c));
}

uint16_t hint_proc_class(struct hint_proc_cache *c, struct hint_rules *r,
			 const char *root, pid_t pid, double now)
{
	size_t i = (size_t)pid % CACHE;
	struct hint_proc p;

	if (c->v[i].pid == pid && now < c->v[i].until)
		return c->v[i].class;
	c->v[i].pid = pid;
	c->v[i].until = now + FRESH_S;
	c->v[i].class = 0;
	if (hint_proc_read(root, pid, &p) == 0)
		c->v[i].class = hint_rules_class(r, p.comm, p.cgroup);
	return c->v[i].class;
}

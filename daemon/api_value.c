// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that several answers of the API share, and how a file system is found. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/api_int.h"

json_t *api_dev(dev_t dev)
{
	char s[32];

	snprintf(s, sizeof(s), "%u:%u", major(dev), minor(dev));
	return json_string(s);
}

json_t *api_u64(uint64_t v)
{
	return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

json_t *api_errno(int error)
{
	return error ? vl_string(strerror(error < 0 ? -error : error)) : json_null();
}

json_t *api_setting(uint64_t v)
{
	return v == CONF_OFF ? json_null() : api_u64(v);
}

json_t *api_clause(const char *s)
{
	return s && *s ? vl_string(s) : json_null();
}

int api_parse_dev(const char *s, dev_t *ret)
{
	unsigned maj, min;
	int end = 0;

	if (strlen(s) > 20 || s[0] < '0' || s[0] > '9' ||
	    sscanf(s, "%u:%n", &maj, &end) != 1 || !end)
		return -EINVAL;
	s += end;
	if (s[0] < '0' || s[0] > '9' || sscanf(s, "%u%n", &min, &end) != 1 || s[end])
		return -EINVAL;
	*ret = makedev(maj, min);
	return 0;
}

const char *api_group_kind(const struct geom *g)
{
	switch (g->kind) {
	case GEOM_XFS:
		return "xfs";
	case GEOM_EXT4:
		return "ext4";
	case GEOM_HASH:
		break;
	}
	return "hash";
}

/* Adds a run of groups to a list, as long as there is room. */
static void list_run(char list[64], uint64_t first, uint64_t last)
{
	size_t len = strlen(list);
	char run[48];
	int n = first == last
			? snprintf(run, sizeof(run), "%s%" PRIu64, len ? "," : "", first)
			: snprintf(run, sizeof(run), "%s%" PRIu64 "-%" PRIu64,
				   len ? "," : "", first, last);

	if (len + (size_t)n < 64 - 4)
		memcpy(list + len, run, (size_t)n + 1);
	else if (len < 4 || strcmp(list + len - 4, ",...") != 0)
		memcpy(list + len, ",...", 5);
}

/* By a map, there is no formula. */
static uint64_t mapped_groups(const struct plan_fs *f, unsigned ctx, char ret_list[64])
{
	uint64_t groups = f->fs->geom.groups, count = 0, first;

	ret_list[0] = '\0';
	for (uint64_t g = 0; g < groups; g++) {
		if (plan_context(f, (uint32_t)g) != ctx)
			continue;
		first = g;
		while (g + 1 < groups && plan_context(f, (uint32_t)g + 1) == ctx)
			g++;
		list_run(ret_list, first, g);
		count += g - first + 1;
	}
	return count;
}

/* plan_context() turned round: the first group g with (g + shift) % n = ctx, and
 * then every n-th. */
uint64_t api_groups_of(const struct plan_fs *f, unsigned ctx, char ret_list[64])
{
	uint64_t n = f->contexts, groups = f->fs->geom.groups, first, count, last;
	uint64_t shift = f->engine == PLAN_ENGINE_KERNEL ? 0 : f->shift;

	if (f->engine == PLAN_ENGINE_KERNEL && f->map)
		return mapped_groups(f, ctx, ret_list);
	first = (ctx + n - shift % n) % n;
	ret_list[0] = '\0';
	if (first >= groups)
		return 0;
	count = (groups - first + n - 1) / n;
	last = first + (count - 1) * n;
	if (count == 1)
		snprintf(ret_list, 64, "%" PRIu64, first);
	else if (n == 1)
		snprintf(ret_list, 64, "%" PRIu64 "-%" PRIu64, first, last);
	else if (count == 2)
		snprintf(ret_list, 64, "%" PRIu64 ",%" PRIu64, first, last);
	else
		snprintf(ret_list, 64, "%" PRIu64 "-%" PRIu64 "/%" PRIu64, first, last,
			 n);
	return count;
}

const char *api_reason(const struct api *a, const struct plan_fs *f, char *buf,
		       unsigned len)
{
	if (f->rule == PLAN_NO_ENGINE && !feats_user_engine(&a->w->feats, buf, len))
		return buf;
	if (f->rule == PLAN_NO_KERNEL && !feats_kernel_engine(&a->w->feats, buf, len))
		return buf;
	return plan_rule_text(f->rule);
}

const struct plan_fs *api_find_dev(const struct api *a, dev_t dev)
{
	const struct plan *p = engine_plan(a->w->engine);

	for (size_t i = 0; p && i < p->n; i++)
		if (p->v[i].fs->dev == dev)
			return &p->v[i];
	return NULL;
}

const struct plan_fs *api_find_mount(const struct api *a, const char *mount)
{
	const struct plan *p = engine_plan(a->w->engine);
	const struct plan_fs *found = NULL;

	/* Of several mounted over each other, the newest is the one in sight. */
	for (size_t i = 0; p && i < p->n; i++)
		if (fsys_mounted_at(p->v[i].fs, mount) &&
		    (!found || p->v[i].fs->mnt_id > found->fs->mnt_id))
			found = &p->v[i];
	return found;
}

void api_fail_no_fs(struct vl_call *call, const char *what)
{
	vl_call_error(call, API_INTERFACE ".NoSuchFilesystem",
		      json_pack("{so}", "mount", vl_string(what)));
}

void api_fail_param(struct vl_call *call, const char *name)
{
	vl_call_error(call, API_SERVICE ".InvalidParameter",
		      json_pack("{so}", "parameter", vl_string(name)));
}

const struct plan_fs *api_fs_of_device(struct api *a, struct vl_call *call)
{
	const char *s = api_param_string(call, "device");
	const struct plan_fs *f;
	dev_t dev;

	if (!s || api_parse_dev(s, &dev) < 0) {
		api_fail_param(call, "device");
		return NULL;
	}
	f = api_find_dev(a, dev);
	if (!f)
		api_fail_no_fs(call, s);
	return f;
}

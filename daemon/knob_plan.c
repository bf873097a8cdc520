// SPDX-License-Identifier: GPL-2.0-or-later
/* From the [knobs] and [knob] sections to values for files below /sys. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/fsys.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/knob.h"

struct build {
	const char *root;
	const struct conf *c;
	struct knob_wants w;
	size_t cap;
};

void knob_wants_clear(struct knob_wants *w)
{
	free(w->v);
	*w = (struct knob_wants){0};
}

bool knob_is_excluded(const struct conf *c, enum knob_kind k)
{
	const char *name = knob_name(k);
	const char *p = c->knobs_exclude;
	size_t len = strlen(name);

	while (p && *p) {
		size_t n = strcspn(p, ", ");

		if (n == len && !memcmp(p, name, len))
			return true;
		p += n;
		p += strspn(p, ", ");
	}
	return false;
}

static int add(struct build *b, enum knob_kind kind, const char *dev, const char *where,
	       const char *value)
{
	struct knob_want *w;

	if (knob_is_excluded(b->c, kind))
		return 0;
	for (size_t i = 0; i < b->w.n; i++) /* two names of one device: the first */
		if (b->w.v[i].kind == kind && !strcmp(b->w.v[i].dev, dev))
			return 0;
	if (b->w.n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 16;
		struct knob_want *v = reallocarray(b->w.v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		b->w.v = v;
		b->cap = cap;
	}
	w = &b->w.v[b->w.n++];
	*w = (struct knob_want){.kind = kind};
	(void)snprintf(w->dev, sizeof(w->dev), "%s", dev);
	(void)snprintf(w->where, sizeof(w->where), "%s", where);
	(void)snprintf(w->value, sizeof(w->value), "%s", value);
	return 0;
}

static int add_number(struct build *b, enum knob_kind kind, const char *dev,
		      const char *where, uint64_t v)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRIu64, v);
	return add(b, kind, dev, where, text);
}

static bool last_part(const char *path, char ret[KNOB_DEV])
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return sysfs_name_ok(name) && snprintf(ret, KNOB_DEV, "%s", name) < KNOB_DEV;
}

int knob_bdi_of(const char *root, const char *device, char ret[KNOB_DEV])
{
	char name[64] = "", link[256], bdi[KNOB_DEV];

	if (sysfs_name_ok(device) && sysfs_exists(root, "sys/class/bdi/%s", device) &&
	    last_part(device, ret))
		return 0;
	if (fsys_device_name(root, device, name) < 0 || !sysfs_name_ok(name))
		return -ENOENT;
	/* A partition's is that of its disk. */
	if (sysfs_link(root, link, sizeof(link), "sys/class/block/%s/bdi", name) < 0 &&
	    sysfs_link(root, link, sizeof(link), "sys/class/block/%s/../bdi", name) < 0)
		return -ENOENT;
	if (!last_part(link, bdi))
		return -ENOENT;
	memcpy(ret, bdi, sizeof(bdi));
	return 0;
}

static uint64_t max_bytes_of(const struct conf_knob *k, uint64_t rate)
{
	if (k->max_bytes != CONF_OFF)
		return k->max_bytes;
	if (k->dirty_ms == CONF_OFF || !rate)
		return 0;
	return knob_bytes_for(rate, k->dirty_ms, 0);
}

static int add_section(struct build *b, const struct conf_knob *k, const char *bdi,
		       uint64_t rate)
{
	uint64_t max = max_bytes_of(k, rate);
	int r = 0;

	if (max)
		r = add_number(b, KNOB_MAX_BYTES, bdi, k->where, max);
	if (r == 0 && k->min_bytes != CONF_OFF)
		r = add_number(b, KNOB_MIN_BYTES, bdi, k->where, k->min_bytes);
	if (r == 0 && k->strict_limit != CONF_TRI_LEAVE)
		r = add_number(b, KNOB_STRICT_LIMIT, bdi, k->where,
			       k->strict_limit == CONF_TRI_YES);
	if (r == 0 && k->read_ahead != CONF_OFF)
		r = add_number(b, KNOB_READ_AHEAD, bdi, k->where, k->read_ahead >> 10);
	return r;
}

int knob_plan(const char *root, const struct conf *c, knob_speed_fn *speed, void *arg,
	      struct knob_wants *ret)
{
	struct build b = {.root = root, .c = c};
	int r = 0;

	if (c->cpumask)
		r = add(&b, KNOB_CPUMASK, "", "[knobs] writeback_cpumask", c->cpumask);
	for (size_t i = 0; i < c->n_knob && r == 0; i++) {
		char bdi[KNOB_DEV];

		/* A device that is not there now may come. */
		if (knob_bdi_of(root, c->knob[i].device, bdi) == 0)
			r = add_section(&b, &c->knob[i], bdi,
					speed ? speed(arg, bdi) : 0);
	}
	if (r < 0)
		knob_wants_clear(&b.w);
	else
		*ret = b.w;
	return r;
}

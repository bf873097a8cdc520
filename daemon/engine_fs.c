/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One managed file system: where its dirty inodes come from, how they are opened. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/engine_int.h"
#include "daemon/log.h"

#define SKIP_MAX 64

/* ---- the workers' view --------------------------------------------------- */

static struct ework *ework_new(void)
{
	struct ework *w = calloc(1, sizeof(*w));

	if (w)
		w->refs = 1;
	return w;
}

struct ework *ework_get(struct ework *w)
{
	w->refs++;
	return w;
}

void ework_put(struct ework *w)
{
	if (!w || --w->refs)
		return;
	hint_rules_put(w->fs.rules);
	free(w->target);
	free(w->skip);
	free(w);
}

/* Can an inode of this type be opened by its number alone? */
static enum work_open open_how(const char *type)
{
	static const char *const by_number[] = {"ext4", "ext3", "ext2", "f2fs"};

	if (!strcmp(type, "xfs"))
		return WORK_XFS;
	for (size_t i = 0; i < ARRAY_SIZE(by_number); i++)
		if (!strcmp(type, by_number[i]))
			return WORK_INO32;
	return WORK_HANDLE;
}

static int fill_skip(struct ework *w)
{
	struct fsys_inode v[SKIP_MAX];
	int n = fsys_swap_inodes("", v, SKIP_MAX);

	if (n <= 0)
		return n;
	w->skip = malloc((size_t)n * sizeof(*v));
	if (!w->skip)
		return -ENOMEM;
	memcpy(w->skip, v, (size_t)n * sizeof(*v));
	w->fs.skip = w->skip;
	w->fs.n_skip = (unsigned)n;
	return 0;
}

static int ework_make(const struct engine *e, const struct plan_fs *p, bool by_handle,
		      uint64_t linger_ms, struct ework **ret)
{
	struct ework *w = ework_new();
	int r;

	if (!w)
		return -ENOMEM;
	w->target = strdup(p->fs->target);
	r = w->target ? fill_skip(w) : -ENOMEM;
	if (r < 0) {
		ework_put(w);
		return r;
	}
	w->fs.target = w->target;
	w->fs.rules = hint_rules_get(e->rules);
	w->fs.mnt_id = p->fs->mnt_id;
	w->fs.how = by_handle ? WORK_HANDLE : open_how(p->fs->type);
	w->fs.geom = p->fs->geom;
	w->fs.dev = p->fs->dev;
	w->fs.fan_fd = -1;
	w->fs.marks = e->marks;
	w->fs.judge = (struct judge_conf){
		.after = p->yields ? JUDGE_OFF : p->flush.after,
		.age_ms = p->yields ? JUDGE_OFF : p->flush.age_ms,
		.cool_ms = p->flush.cool_ms,
		.stride = p->flush.stride,
		.linger_ms = linger_ms,
	};
	*ret = w;
	return 0;
}

/* ---- contexts ------------------------------------------------------------- */

static void ectx_init(struct ectx *c, struct ebdi *b, unsigned id)
{
	c->bdi = b;
	c->id = id;
	c->ready = ILIST_INIT;
	c->tail = &c->head;
	c->cpu = -1;
}

static int ebdi_get(struct engine *e, const char *name, struct ebdi **ret)
{
	struct ebdi *b;

	for (b = e->bdis; b; b = b->next) {
		if (strcmp(b->name, name))
			continue;
		b->refs++;
		*ret = b;
		return 0;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->e = e;
	b->refs = 1;
	(void)snprintf(b->name, sizeof(b->name), "%s", name);
	for (unsigned i = 0; i < CONF_CONTEXTS_MAX; i++)
		ectx_init(&b->ctx[i], b, i);
	b->next = e->bdis;
	e->bdis = b;
	*ret = b;
	return 0;
}

static void ebdi_put(struct engine *e, struct ebdi *b)
{
	struct ebdi **p = &e->bdis;

	if (!b || --b->refs)
		return;
	while (*p != b)
		p = &(*p)->next;
	*p = b->next;
	free(b);
}

static void set_contexts(struct efs *f, const struct plan_fs *p)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool changed = f->bdi->n != p->contexts || f->shift != p->shift;
	struct engine *e = f->e;
	struct ebdi *b = f->bdi;

	b->n = p->contexts;
	f->shift = p->shift;
	for (unsigned i = 0; i < CONF_CONTEXTS_MAX; i++)
		b->ctx[i].cpu = e->conf->cpu_affinity && cpus > 0
					? (int)(i % (unsigned)cpus)
					: -1;
	if (changed)
		track_remap(e, b);
}

struct ectx *efs_ctx(const struct efs *f, uint32_t group)
{
	return &f->bdi->ctx[((uint64_t)group + f->shift) % f->bdi->n];
}

/* ---- sources -------------------------------------------------------------- */

static const struct source_sink *sink_of(struct engine *e, struct source_sink *s)
{
	*s = (struct source_sink){.dirty = track_dirty, .lost = track_lost, .arg = e};
	return s;
}

static int trace_get(struct engine *e)
{
	struct source_sink s;

	if (!e->trace && !e->trace_error)
		e->trace_error = source_trace_new(e->loop, sink_of(e, &s), &e->trace);
	return e->trace ? 0 : e->trace_error;
}

static int use_trace(struct efs *f)
{
	int r = trace_get(f->e);

	if (r == 0)
		r = source_trace_add(f->e->trace, f->dev, f->slot);
	if (r == 0)
		f->stat.source = "trace";
	return r;
}

static int use_fanotify(struct efs *f, const struct plan_fs *p)
{
	struct source_sink s;
	int r = source_fan_new(f->e->loop, sink_of(f->e, &s), f->slot, p->fs->target,
			       p->fs->mnt_id, &f->fan);

	if (r < 0)
		return r;
	f->work->fs.fan_fd = source_fan_fd(f->fan);
	f->stat.source = "fanotify";
	return 0;
}

static bool trace_fits(const struct plan_fs *p)
{
	return open_how(p->fs->type) != WORK_HANDLE;
}

/*
 * The tracepoint where it fits and is to be had, else fanotify.  That a source
 * asked for in the configuration is not used is said, not hidden.
 */
static int start_source(struct efs *f, const struct plan_fs *p)
{
	enum conf_source want = f->e->conf->source;
	int r = -EOPNOTSUPP;

	if (want != CONF_SOURCE_FANOTIFY && trace_fits(p)) {
		r = ework_make(f->e, p, false, f->e->linger_ms, &f->work);
		if (r < 0)
			return r;
		r = use_trace(f);
		if (r == 0)
			return 0;
		ework_put(f->work);
		f->work = NULL;
	}
	if (want == CONF_SOURCE_TRACE)
		log_warn("%s: source = trace cannot be used here (%s); fanotify is",
			 p->fs->target, trace_fits(p) ? strerror(-r) : p->fs->type);
	/* No lingering: taking off the ignore mark makes it announced again. */
	r = ework_make(f->e, p, true, 0, &f->work);
	return r < 0 ? r : use_fanotify(f, p);
}

/* ---- life ------------------------------------------------------------------ */

static int slot_find(const struct engine *e)
{
	for (int i = 0; i < SLOTS_MAX; i++)
		if (!e->fs[i])
			return i;
	return -ENOSPC;
}

static void efs_destroy(struct efs *f)
{
	f->e->fs[f->slot] = NULL;
	source_fan_free(f->fan);
	ework_put(f->work);
	ebdi_put(f->e, f->bdi);
	free(f);
}

int efs_new(struct engine *e, const struct plan_fs *p, struct efs **ret)
{
	int slot = slot_find(e), r;
	struct efs *f;

	if (slot < 0)
		return slot;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->e = e;
	f->slot = (uint16_t)slot;
	f->refs = 1;
	f->dev = p->fs->dev;
	f->shift = p->shift;
	f->watched = p->search;
	f->drain_scan = ITAB_NONE;
	e->fs[slot] = f;
	r = ebdi_get(e, p->fs->bdev.bdi, &f->bdi);
	if (r == 0) {
		set_contexts(f, p);
		r = start_source(f, p);
	}
	if (r < 0) {
		efs_destroy(f);
		return r;
	}
	*ret = f;
	return 0;
}

struct efs *efs_find(const struct engine *e, dev_t dev)
{
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		if (e->fs[i] && !e->fs[i]->gone && e->fs[i]->dev == dev)
			return e->fs[i];
	return NULL;
}

bool efs_same(const struct efs *f, const struct plan_fs *p)
{
	const struct work_fs *w = &f->work->fs;

	return f->dev == p->fs->dev && w->mnt_id == p->fs->mnt_id &&
	       !strcmp(w->target, p->fs->target) &&
	       !strcmp(f->bdi->name, p->fs->bdev.bdi);
}

int efs_update(struct efs *f, const struct plan_fs *p)
{
	bool by_handle = f->fan != NULL, watched_only;
	struct ework *w;
	int r;

	r = ework_make(f->e, p, by_handle, f->work->fs.judge.linger_ms, &w);
	if (r < 0)
		return r;
	w->fs.fan_fd = f->work->fs.fan_fd;
	watched_only = track_only_watches(f);
	ework_put(f->work);
	f->work = w;
	f->watched = p->search;
	set_contexts(f, p);
	if (watched_only && !track_only_watches(f))
		track_hurry(f->e, f);
	/* Unmounted and mounted again before anybody looked, it has the same device
	 * and mount number, but the mark went with the superblock. */
	if (f->fan)
		(void)source_fan_renew(f->fan, w->target, w->fs.mnt_id);
	return 0;
}

void efs_get(struct efs *f)
{
	f->refs++;
}

void efs_put(struct efs *f)
{
	if (!--f->refs)
		efs_destroy(f);
}

void efs_release(struct efs *f)
{
	f->gone = true;
	if (!f->fan && f->e->trace)
		source_trace_remove(f->e->trace, f->dev);
	/* Workers may still use the descriptor of a fanotify group: it is closed,
	 * and its marks with it, when the last of them is through. */
	track_forget_fs(f->e, f);
	run_reap(f);
	drain_end_all(f);
	efs_put(f);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* decide, as far as the kernel engine is concerned. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/knob.h"
#include "daemon/plan.h"

static const struct kern_fs *kern_of(const struct plan_env *env, size_t i)
{
	return env->kern && i < env->kern->n ? &env->kern->v[i] : NULL;
}

enum plan_engine plan_choose_engine(const struct conf *c, const struct plan_env *env,
				    size_t i, enum plan_rule *ret_rule)
{
	const struct kern_fs *k = kern_of(env, i);

	*ret_rule = PLAN_NO_KERNEL;
	if (c->engine != CONF_ENGINE_USER && k && k->usable)
		return PLAN_ENGINE_KERNEL;
	if (c->engine == CONF_ENGINE_KERNEL)
		return PLAN_ENGINE_NONE;
	*ret_rule = PLAN_NO_ENGINE;
	return env->user_engine ? PLAN_ENGINE_USER : PLAN_ENGINE_NONE;
}

unsigned plan_kern_contexts(const struct plan_env *env, const struct plan *p, size_t i,
			    unsigned contexts)
{
	const struct kern_fs *k = kern_of(env, i);

	if (p->v[i].engine != PLAN_ENGINE_KERNEL || !k)
		return contexts;
	if (k->contexts_manual)
		return k->contexts;
	return contexts < k->contexts_max ? contexts : k->contexts_max;
}

bool plan_kern_free(const struct plan_env *env, const struct conf *c,
		    const struct plan *p, size_t i)
{
	const struct kern_fs *k = kern_of(env, i);

	return p->v[i].engine != PLAN_ENGINE_KERNEL || !k ||
	       (!k->contexts_manual && !knob_is_excluded(c, KNOB_CONTEXTS));
}

static int keep_map(struct plan_fs *f, const struct gmap *m)
{
	if (!m->n)
		return 0;
	f->map = malloc(sizeof(*f->map));
	if (!f->map)
		return -ENOMEM;
	*f->map = *m;
	return 0;
}

int plan_kern_map(const struct plan_env *env, struct plan *p, size_t i, double *share)
{
	const struct kern_fs *k = kern_of(env, i);
	struct plan_fs *f = &p->v[i];
	struct gmap_ret m = {0};
	int r = 0;

	if (f->engine != PLAN_ENGINE_KERNEL || !k)
		return 0;
	f->order = k->large_folios ? (int)k->order_want : -1;
	f->kern.id = k->id;
	f->kern.bdi_id = k->bdi_id;
	f->kern.map_known = k->map_known && k->groups;
	f->kern.contexts_manual = k->contexts_manual;
	f->kern.map_manual = k->map_manual;
	m.map = k->map;
	if (f->kern.map_known && !k->map_manual) {
		struct gmap_ask a = {
			.groups = k->groups,
			.contexts = f->contexts,
			.shift = f->shift,
			.found = k->map.n > 0,
			.start = k->map,
			.load = k->load,
			.share = share,
		};

		r = gmap_choose(&a, &m);
	}
	/* Too long for its file: what is there stays. */
	return r == -ENOMEM ? r : keep_map(f, &m.map);
}

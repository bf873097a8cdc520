// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hints in the engine: leases are asked for on the loop before a look, rules by
 * path on the worker that has the file open, rules by process when it is dirtied.
 */
#include <errno.h>

#include "daemon/engine_int.h"

/* Rules are numbered, and so are classes: those of the rules before mean nothing. */
static void forget_numbers(struct engine *e)
{
	for (uint32_t idx = itab_next(e->tab, 0); idx != ITAB_NONE;
	     idx = itab_next(e->tab, idx + 1)) {
		struct ino *i = itab_at(e->tab, idx);

		i->class = 0;
		i->rule = 0;
	}
}

static bool same_rules(const struct engine *e, const struct conf *c)
{
	/* The mount table changes far more often than the configuration. */
	return e->rules_conf == c;
}

int hint_set_rules(struct engine *e, const struct conf *c)
{
	struct hint_rules *r;
	int error;

	if (same_rules(e, c))
		return 0;
	if (!e->procs)
		e->procs = hint_proc_cache_new();
	error = e->procs ? hint_rules_new(c, &r) : -ENOMEM;
	if (error < 0)
		return error;
	if (e->rules)
		forget_numbers(e);
	hint_rules_put(e->rules);
	e->rules = r;
	e->rules_conf = c;
	hint_proc_cache_clear(e->procs);
	return 0;
}

void hint_note_process(struct engine *e, struct ino *i, pid_t pid)
{
	uint16_t class;

	if (!e->rules || !e->rules->n_process || pid <= 0)
		return;
	class = hint_proc_class(e->procs, e->rules, "", pid, ev_now(e->loop));
	/* The kernel's own threads dirty inodes too: they do not take it away. */
	if (class)
		i->class = class;
}

void hint_fill(struct engine *e, const struct efs *f, const struct ino *i,
	       struct work_item *it)
{
	if (e->hints && !e->hints->find(e->hints->arg, f->dev, i->ino,
					!(i->flags & INO_F_LINGER), &it->hint))
		it->hint = (struct hint){0};
	if (e->rules)
		it->processes = hint_rules_mask(e->rules, i->class);
}

void engine_set_hints(struct engine *e, const struct engine_hints *h)
{
	e->hints = h;
}

const struct hint_rules *engine_hint_rules(const struct engine *e)
{
	return e->rules;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What the searches remember, and what they say of themselves. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/units.h"
#include "daemon/log.h"
#include "daemon/log_ids.h"
#include "daemon/search_int.h"

const char *search_engine(bool kernel)
{
	return kernel ? "kernel" : "user";
}

/* ---- memory --------------------------------------------------------------------- */

void search_load(struct searches *s)
{
	char why[KNEE_WHY_LEN];
	int r;

	if (s->loaded)
		return;
	s->loaded = true;
	r = knee_store_load(s->state_dir, &s->store, why);
	if (r == 0)
		return;
	(void)snprintf(s->trouble, sizeof(s->trouble),
		       "%.90s/knee.json cannot be used: %s", s->state_dir, why);
	log_warn("%s; the search for the number of contexts begins anew%s", s->trouble,
		 r == -EBADMSG ? ", and the file will be kept as knee.json.refused" : "");
}

unsigned search_remembered(struct searches *s, bool kernel, const char *id)
{
	const struct knee_memory *m =
		knee_store_get(&s->store, search_engine(kernel), id);

	return m ? m->contexts : 0;
}

static int save(struct searches *s)
{
	if (mkdir(s->state_dir, 0750) < 0 && errno != EEXIST)
		return -errno;
	return knee_store_save(s->state_dir, &s->store);
}

void search_remember(struct searches *s, const struct search *d)
{
	struct knee_memory m = {
		.contexts = knee_settled(&d->k),
		.rate = knee_rate(&d->k, knee_settled(&d->k)),
		.found = (uint64_t)time(NULL),
	};
	int r;

	if (!d->id[0])
		return;
	(void)snprintf(m.id, sizeof(m.id), "%s", d->id);
	(void)snprintf(m.engine, sizeof(m.engine), "%s", search_engine(d->kernel));
	r = knee_store_put(&s->store, &m);
	if (r >= 0)
		r = save(s);
	s->trouble[0] = '\0';
	if (r >= 0)
		return;
	(void)snprintf(s->trouble, sizeof(s->trouble),
		       "%.90s/knee.json cannot be written: %s", s->state_dir,
		       strerror(-r));
	log_warn("%s; the number of contexts found for %s is forgotten at the next start",
		 s->trouble, d->bdev.name);
}

/* ---- words ------------------------------------------------------------------------ */

static void put_rate(uint64_t rate, char ret[UNITS_LEN + 3])
{
	char size[UNITS_LEN];

	units_human_size(rate, size);
	(void)snprintf(ret, UNITS_LEN + 3, "%s/s", size);
}

void search_log_begin(const struct search *d)
{
	char start[48] = "";

	if (d->remembered)
		(void)snprintf(start, sizeof(start), ", beginning with the %u remembered",
			       d->remembered);
	if (d->k.state == KNEE_OFF)
		log_info("%s (bdi %s): 1 context: %s", d->bdev.name, d->bdev.bdi,
			 knee_why_text(d->k.why));
	else
		log_info("%s (bdi %s): the number of contexts is searched, up to %u%s",
			 d->bdev.name, d->bdev.bdi, d->k.conf.cap, start);
}

void search_log_trial(const struct search *d)
{
	const struct knee_trial *t = knee_trial_get(&d->k, 0);
	char lo[UNITS_LEN + 3], hi[UNITS_LEN + 3];
	struct log_field fields[] = {
		{"WB_BDI", d->bdev.bdi},
		{"WB_REASON", NULL},
		{NULL, NULL},
	};

	/* The newest one may have been begun by the same sample. */
	if (t && t->verdict == KNEE_V_RUNNING)
		t = knee_trial_get(&d->k, 1);
	if (!t)
		return;
	fields[1].value = knee_verdict_text(t->verdict);
	put_rate(t->rate_lo, lo);
	put_rate(t->rate_hi, hi);
	log_decision(LOG_INFO, LOG_ID_TRIAL, fields,
		     "%s (bdi %s): tried %u contexts against %u: %s against %s, %+.1f %% "
		     "(error %.1f %%) in %u samples: %s",
		     d->bdev.name, d->bdev.bdi, t->hi, t->lo, hi, lo, t->gain * 100,
		     t->error * 100, t->samples, knee_verdict_text(t->verdict));
}

void search_log_found(const struct search *d)
{
	char rate[UNITS_LEN + 3];
	const struct log_field fields[] = {
		{"WB_BDI", d->bdev.bdi},
		{"WB_REASON", knee_why_text(d->k.why)},
		{NULL, NULL},
	};
	unsigned n = knee_settled(&d->k);

	put_rate(knee_rate(&d->k, n), rate);
	log_decision(LOG_INFO, LOG_ID_CONTEXTS, fields,
		     "%s (bdi %s): %u context%s found, %s: %s", d->bdev.name, d->bdev.bdi,
		     n, n == 1 ? "" : "s", rate, knee_why_text(d->k.why));
}

static bool is_printed(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (p->v[k].search && !strcmp(p->v[k].fs->bdev.bdi, p->v[i].fs->bdev.bdi))
			return true;
	return false;
}

void searches_print(struct searches *s, const struct plan *p, FILE *f)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct plan_fs *fs = &p->v[i];
		const struct bdev *b = &fs->fs->bdev;
		bool kernel = fs->engine == PLAN_ENGINE_KERNEL;
		char id[KNEE_ID_LEN];

		if (!fs->search || is_printed(p, i))
			continue;
		if (b->rotational != 0) {
			fprintf(f, "%s (bdi %s): 1 context: %s\n", b->name, b->bdi,
				knee_why_text(b->rotational > 0
						      ? KNEE_W_ROTATIONAL
						      : KNEE_W_ROTATION_UNKNOWN));
			continue;
		}
		fprintf(f, "%s (bdi %s): contexts searched, up to %u; ", b->name, b->bdi,
			fs->search_cap);
		if (knee_identify(s->root, b->name, id) < 0)
			fprintf(f, "begins with 1: it has no lasting name to be "
				   "remembered by\n");
		else if (search_remembered(s, kernel, id))
			fprintf(f, "begins with %u, remembered\n", fs->contexts);
		else
			fprintf(f, "begins with 1: nothing is remembered\n");
	}
}

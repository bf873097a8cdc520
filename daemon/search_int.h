/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The searches from inside. */
#ifndef WB_SEARCH_INT_H
#define WB_SEARCH_INT_H

#include "daemon/ev.h"
#include "daemon/search.h"
#include "daemon/throttle.h"

struct searches {
	struct ev_loop *loop;
	const char *root;
	char *state_dir;
	struct search_ops ops;
	struct search **v;
	size_t n;
	ev_timer timer;
	double period;  /* seconds between looks under load */
	unsigned quiet; /* looks in a row at which nothing was dirty */
	struct throttle *throttle;
	bool throttle_tried; /* once is enough */
	bool loaded;
	struct knee_store store;
	char trouble[KNEE_WHY_LEN + 128]; /* with the state file; "" none */
};

/* ---- search_state.c ---- */
void search_load(struct searches *s);
/* What is remembered for @id with this engine; 0: nothing. */
unsigned search_remembered(struct searches *s, bool kernel, const char *id);
/* A search has ended. */
void search_remember(struct searches *s, const struct search *d);
void search_log_trial(const struct search *d);
void search_log_found(const struct search *d);
void search_log_begin(const struct search *d);
const char *search_engine(bool kernel);

#endif

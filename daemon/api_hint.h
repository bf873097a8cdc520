/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the API's part on hints. */
#ifndef WB_API_HINT_H
#define WB_API_HINT_H

#include "daemon/api_int.h"
#include "daemon/ev.h"
#include "daemon/hint_fd.h"
#include "daemon/hint_lease.h"

#define API_HINT_CALLERS 16

struct api_hints {
	struct api *api;
	struct hint_fds *fds;
	struct hint_leases *leases;
	struct engine_hints ask; /* how the engine asks */
	uint64_t plans;          /* whose file systems the threads know */
	struct hint_call *waiting;
	ev_timer sweep;    /* leases that end */
	ev_timer patience; /* calls that wait for a descriptor to be looked at */
	/* Programs of some connections. */
	struct api_hint_caller {
		uint64_t conn;
		char comm[16];
	} callers[API_HINT_CALLERS];
};

uint32_t api_hints_now(void); /* seconds that only go on */
/* Sees to it that leases that end are freed. */
void api_hints_arm(struct api_hints *h);
/* The effects of @hint on a file; @file is NULL where it was not looked at. */
json_t *api_effects(const struct plan_fs *f, const struct hint *hint,
		    const struct hint_file *file);

/* api_hint_call.c */
void api_hint_calls_patience(struct ev_loop *loop, ev_timer *t, int revents);

#endif

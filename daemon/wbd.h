/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's world: what main() builds and every request may look at. */
#ifndef WB_WBD_H
#define WB_WBD_H

#include <stdbool.h>
#include "daemon/ev.h"

#include "daemon/conf.h"
#include "daemon/engine.h"
#include "daemon/feats.h"
#include "daemon/fsys.h"
#include "daemon/knob.h"
#include "daemon/search.h"

#define STATE_DIR "var/lib/wb" /* below the root */

struct wbd_opts {
	const char *conf_path;   /* --config FILE, NULL: the default search */
	const char *root;        /* --root DIR: a fake tree; only with --dry-run */
	const char *runtime_dir; /* --runtime-dir DIR, default /run/wb */
	const char *state_dir;   /* --state-dir DIR, default /var/lib/wb below the root */
	unsigned sample_ms;      /* --sample MS; 0: the default */
	const char *socket;      /* --socket PATH, default RUNTIME_DIR/io.writeback */
	bool dry_run;
	int log_level;
};

struct api;

struct wbd {
	struct wbd_opts opts;
	struct ev_loop *loop;
	struct conf *conf;
	struct feats feats;
	struct engine *engine;
	struct fsys_watch *watch;
	struct api *api;
	struct knobs *knobs; /* NULL: their file cannot be used */
	struct searches *searches;
	struct orders *orders; /* NULL: all are what they begin with */
	bool kern_told; /* that the kernel engine cannot be used although it is there */
	struct notify_watchdog *watchdog;
	int lock_fd;
	ev_signal on_term, on_int, on_hup;
	ev_timer rescan;         /* sysfs needs a moment after a mount */
	ev_periodic far_off;     /* lets libev sleep for longer than a minute */
	char *last_reload_error; /* NULL: the last (re)load was good */
	uint64_t reloads;
	uint64_t plans; /* how often one was applied */
};

/* Observes, decides, applies.  0 or -errno, having logged. */
int wbd_rescan(struct wbd *w);
/* Loads the configuration and logs every finding.  0 or -EINVAL. */
int wbd_load(struct wbd *w, struct conf **ret);
/* Makes w->searches, which follow each plan from then on. */
int wbd_search_new(struct wbd *w);
/* Observes, decides, prints. */
int wbd_dry_run(struct wbd *w);
/* As SIGHUP does: 0, or -EINVAL and the old configuration stays in force. */
int wbd_reload(struct wbd *w);

/* ---- api.c: the Varlink interface io.writeback ------------------------- */
int api_new(struct wbd *w, struct api **ret); /* binds, or takes the passed socket */
struct api *api_free(struct api *a);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wbd: options, start, loop, stop.  What is started in a fixed order is ended in
 * the reverse of it; each requirement that is not met stops the start with one
 * sentence.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/units.h"
#include "daemon/lock.h"
#include "daemon/log.h"
#include "daemon/log_ids.h"
#include "daemon/notify.h"
#include "daemon/order_watch.h"
#include "daemon/wbd.h"

#define RUNTIME_DIR    "/run/wb"

/* A device's attributes may come a moment after its mount. */
#define RESCAN_AGAIN_S 1.0

static const char usage[] =
	"Usage: wbd [OPTION...]\n"
	"Writes dirty page cache back in several contexts per backing device.\n"
	"\n"
	"  --config FILE      read this configuration only (default: wb.conf and "
	"drop-ins\n"
	"                     in /usr/lib/wb, /run/wb and /etc/wb)\n"
	"  --dry-run          print what would be done, and end\n"
	"  --root DIR         with --dry-run: a recorded system instead of this one\n"
	"  --runtime-dir DIR  lock and socket (default " RUNTIME_DIR ")\n"
	"  --state-dir DIR    what is remembered (default /" STATE_DIR ")\n"
	"  --socket PATH      the API's socket (default RUNTIME-DIR/io.writeback)\n"
	"  --sample TIME      length of one sample of the search for contexts (default "
	"1s)\n"
	"  --log-level LEVEL  err, warning, info or debug (default info)\n"
	"  --version, --help\n"
	"\n"
	"See wbd(8), wb.conf(5) and wbctl(8).\n";

static int parse_level(const char *s)
{
	static const struct {
		const char *name;
		int level;
	} levels[] = {{"err", LOG_ERR},
		      {"warning", LOG_WARNING},
		      {"info", LOG_INFO},
		      {"debug", LOG_DEBUG}};

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(s, levels[i].name))
			return levels[i].level;
	return -EINVAL;
}

/* As long as an observation may be (knee.h). */
static int parse_sample(const char *s, unsigned *ret)
{
	char err[UNITS_ERR_LEN];
	uint64_t ms;

	if (units_parse_time(s, &ms, err) < 0 || ms < 250 || ms > 4000) {
		(void)fprintf(stderr, "wbd: --sample '%s' is not from 250ms to 4s\n", s);
		return -EINVAL;
	}
	*ret = (unsigned)ms;
	return 0;
}

enum opt {
	OPT_CONFIG = 256,
	OPT_DRY_RUN,
	OPT_ROOT,
	OPT_RUNTIME,
	OPT_STATE,
	OPT_SAMPLE,
	OPT_SOCKET,
	OPT_LEVEL
};

static const struct option options[] = {
	{"config", required_argument, NULL, OPT_CONFIG},
	{"dry-run", no_argument, NULL, OPT_DRY_RUN},
	{"root", required_argument, NULL, OPT_ROOT},
	{"runtime-dir", required_argument, NULL, OPT_RUNTIME},
	{"state-dir", required_argument, NULL, OPT_STATE},
	{"sample", required_argument, NULL, OPT_SAMPLE},
	{"socket", required_argument, NULL, OPT_SOCKET},
	{"log-level", required_argument, NULL, OPT_LEVEL},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static int take_option(struct wbd_opts *o, int c)
{
	switch (c) {
	case OPT_CONFIG:
		o->conf_path = optarg;
		return 0;
	case OPT_DRY_RUN:
		o->dry_run = true;
		return 0;
	case OPT_ROOT:
		o->root = optarg;
		return 0;
	case OPT_RUNTIME:
		o->runtime_dir = optarg;
		return 0;
	case OPT_STATE:
		o->state_dir = optarg;
		return 0;
	case OPT_SAMPLE:
		return parse_sample(optarg, &o->sample_ms);
	case OPT_SOCKET:
		o->socket = optarg;
		return 0;
	case OPT_LEVEL:
		o->log_level = parse_level(optarg);
		if (o->log_level >= 0)
			return 0;
		(void)fprintf(stderr,
			      "wbd: --log-level '%s' is none of err, warning, info, "
			      "debug\n",
			      optarg);
		return -EINVAL;
	default:
		return -EINVAL;
	}
}

/* 0: go on; 1: done, successfully; -EINVAL: a usage error was printed. */
static int parse_options(int argc, char **argv, struct wbd_opts *o)
{
	int c;

	while ((c = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		if (c == 'h' || c == 'V') {
			(void)fputs(c == 'h' ? usage : "wbd " WB_VERSION "\n", stdout);
			return 1;
		}
		if (take_option(o, c) < 0)
			return -EINVAL;
	}
	if (optind < argc) {
		(void)fprintf(stderr, "wbd: unexpected argument '%s'; see wbd --help\n",
			      argv[optind]);
		return -EINVAL;
	}
	if (o->root && !o->dry_run) {
		(void)fputs("wbd: --root can only be used with --dry-run\n", stderr);
		return -EINVAL;
	}
	return 0;
}

/* ---- loop -------------------------------------------------------------------- */

static void on_stop(struct ev_loop *loop, ev_signal *s, int revents)
{
	(void)s;
	(void)revents;
	ev_break(loop, EVBREAK_ALL);
}

static void on_reload(struct ev_loop *loop, ev_signal *s, int revents)
{
	(void)loop;
	(void)revents;
	(void)wbd_reload(s->data);
}

static void on_rescan(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop;
	(void)revents;
	(void)wbd_rescan(t->data);
}

static void on_orders(void *arg)
{
	(void)wbd_rescan(arg);
}

static void on_mounts(void *arg)
{
	struct wbd *w = arg;

	(void)wbd_rescan(w);
	ev_timer_stop(w->loop, &w->rescan);
	ev_timer_set(&w->rescan, RESCAN_AGAIN_S, 0.);
	ev_timer_start(w->loop, &w->rescan);
}

static void watch_signals(struct wbd *w)
{
	ev_signal_init(&w->on_term, on_stop, SIGTERM);
	ev_signal_init(&w->on_int, on_stop, SIGINT);
	ev_signal_init(&w->on_hup, on_reload, SIGHUP);
	ev_timer_init(&w->rescan, on_rescan, RESCAN_AGAIN_S, 0.);
	w->on_hup.data = w->rescan.data = w;
	ev_signal_start(w->loop, &w->on_term);
	ev_signal_start(w->loop, &w->on_int);
	ev_signal_start(w->loop, &w->on_hup);
}

/* ---- start and stop ------------------------------------------------------------ */

static int fail(const char *what, const char *why, const char *todo)
{
	log_err("%s: %s%s%s", what, why, *todo ? "; " : "", todo);
	return -1;
}

static int take_lock(struct wbd *w)
{
	const char *dir = w->opts.runtime_dir;
	pid_t pid = 0;
	int r;

	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return fail(dir, strerror(errno),
			    "it must be possible to create it "
			    "(--runtime-dir names another)");
	r = lock_take(dir, &pid);
	if (r == -EBUSY) {
		log_err("%s/wbd.lock: another wbd runs with pid %d; stop it first", dir,
			(int)pid);
		return r;
	}
	if (r < 0)
		return fail(dir, strerror(-r),
			    "wbd must be able to write there "
			    "(--runtime-dir names another)");
	w->lock_fd = r;
	return 0;
}

static int need_engine(struct wbd *w)
{
	char why[256];

	if (w->conf->engine == CONF_ENGINE_NONE)
		return 0;
	if (w->conf->engine != CONF_ENGINE_USER &&
	    feats_kernel_engine(&w->feats, why, sizeof(why)))
		return 0;
	if (w->conf->engine != CONF_ENGINE_KERNEL &&
	    feats_user_engine(&w->feats, why, sizeof(why)))
		return 0;
	log_err("nothing can be done here: %s; %s (`wbctl features` tells more)", why,
		w->conf->engine == CONF_ENGINE_KERNEL
			? "set [engine] mode = auto for the user engine"
			: "run wbd as root or as wbd.service does");
	return -EPERM;
}

/* Marks, rings and handles take descriptors; the soft limit is often 1024. */
static void raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max < 65536 ? l.rlim_max : 65536;
		(void)setrlimit(RLIMIT_NOFILE, &l);
	}
}

static void on_far_off(struct ev_loop *loop, ev_periodic *p, int revents)
{
	(void)revents;
	ev_periodic_set(p, ev_now(loop) + 1e9, 0., NULL);
	ev_periodic_again(loop, p);
}

/*
 * libev wakes up once a minute to see whether somebody has set the clock, unless a
 * periodic watcher is active: then it has the kernel tell it (a timerfd that is cancelled
 * by the change), and an idle daemon sleeps for weeks.
 */
static void sleep_long(struct wbd *w)
{
	ev_periodic_init(&w->far_off, on_far_off, ev_now(w->loop) + 1e9, 0., NULL);
	ev_periodic_start(w->loop, &w->far_off);
	ev_unref(w->loop);
}

static int start(struct wbd *w)
{
	int r;

	w->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	if (!w->loop)
		return fail("event loop", strerror(errno), "");
	sleep_long(w);
	r = engine_new(w->loop, w->conf, &w->engine);
	if (r < 0)
		return fail("engine", strerror(-r), "");
	(void)knobs_new(w->loop, "", w->opts.runtime_dir, &w->knobs); /* or without */
	r = orders_new(w->loop, "", on_orders, w, &w->orders);
	if (r < 0)
		return fail("memory", strerror(-r), "");
	r = wbd_search_new(w);
	if (r < 0)
		return fail("memory", strerror(-r), "");
	watch_signals(w);
	r = fsys_watch_new(w->loop, on_mounts, w, &w->watch);
	if (r < 0)
		return fail("watching the mount table", strerror(-r), "");
	r = wbd_rescan(w);
	if (r < 0)
		return r;
	r = api_new(w, &w->api); /* has said what was wrong */
	if (r < 0)
		return r;
	return notify_watchdog_new(w->loop, &w->watchdog);
}

static void stop(struct wbd *w)
{
	w->watchdog = notify_watchdog_free(w->watchdog);
	w->api = api_free(w->api);
	w->watch = fsys_watch_free(w->watch);
	w->knobs = knobs_free(w->knobs);
	w->orders = orders_free(w->orders);
	if (w->engine)
		engine_on_dirty(w->engine, NULL, NULL);
	w->searches = searches_free(w->searches);
	w->engine = engine_free(w->engine);
	if (w->loop)
		ev_loop_destroy(w->loop);
	w->conf = conf_free(w->conf);
	free(w->last_reload_error);
	if (w->lock_fd >= 0)
		(void)close(w->lock_fd);
}

static int run(struct wbd *w)
{
	static const struct log_field none[] = {{NULL, NULL}};
	struct engine_stat st;

	engine_get_stat(w->engine, &st);
	log_decision(LOG_INFO, LOG_ID_START, none,
		     "wbd " WB_VERSION " started, flushing by %s", st.io);
	notify_ready();
	ev_run(w->loop, 0);
	notify_stopping();
	log_decision(LOG_INFO, LOG_ID_STOP, none, "stopping");
	return 0;
}

static int serve(struct wbd *w)
{
	int r = take_lock(w);

	if (r == 0)
		r = need_engine(w);
	if (r == 0)
		r = start(w);
	if (r == 0)
		r = run(w);
	stop(w);
	return r;
}

int main(int argc, char **argv)
{
	struct wbd w = {
		.opts = {.runtime_dir = RUNTIME_DIR, .log_level = LOG_INFO},
		.lock_fd = -1,
	};
	int r = parse_options(argc, argv, &w.opts);

	if (r)
		return r < 0 ? 2 : 0;
	log_open(w.opts.log_level);
	raise_files();
	if (wbd_load(&w, &w.conf) < 0) {
		log_err("the configuration cannot be used: nothing was started");
		free(w.last_reload_error);
		return 1;
	}
	feats_probe(&w.feats);
	if (w.opts.dry_run) {
		r = wbd_dry_run(&w);
		searches_free(w.searches);
		conf_free(w.conf);
		return r < 0;
	}
	return serve(&w) < 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Talking to the service manager: readiness, status, watchdog, passed socket. */
#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "common/escape.h"
#include "daemon/notify.h"

struct notify_watchdog {
	struct ev_loop *loop;
	ev_timer timer;
};

void notify_ready(void)
{
	(void)sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
			 (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000);
}

void notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1");
}

/* Escaped, so that a newline in a mount point cannot become an assignment. */
void notify_status(const char *fmt, ...)
{
	char text[512], clean[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	escape_text(text, (size_t)n, clean, sizeof(clean));
	(void)sd_notifyf(0, "STATUS=%s", clean);
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop;
	(void)t;
	(void)revents;
	(void)sd_notify(0, "WATCHDOG=1");
}

int notify_watchdog_new(struct ev_loop *loop, struct notify_watchdog **ret)
{
	struct notify_watchdog *w;
	uint64_t usec = 0;
	double half;
	int r = sd_watchdog_enabled(0, &usec);

	if (r < 0)
		return r;
	if (r == 0) {
		*ret = NULL;
		return 0;
	}
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	half = (double)usec / 2e6;
	w->loop = loop;
	ev_timer_init(&w->timer, on_timer, half, half);
	ev_timer_start(loop, &w->timer);
	*ret = w;
	return 0;
}

struct notify_watchdog *notify_watchdog_free(struct notify_watchdog *w)
{
	if (w) {
		ev_timer_stop(w->loop, &w->timer);
		free(w);
	}
	return NULL;
}

int notify_listen_fd(void)
{
	int n = sd_listen_fds(0);

	if (n < 0)
		return n;
	if (n == 0)
		return -ENOENT;
	if (n > 1 || sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_STREAM, 1, NULL, 0) <= 0)
		return -EINVAL;
	return SD_LISTEN_FDS_START;
}

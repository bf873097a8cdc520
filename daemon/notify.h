/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Talking to the service manager (sd_notify); each is a no-op without one. */
#ifndef WB_NOTIFY_H
#define WB_NOTIFY_H

#include "common/cleanup.h"

struct ev_loop;
struct notify_watchdog;

void notify_ready(void);
void notify_reloading(void); /* RELOADING=1 with MONOTONIC_USEC; then notify_ready() */
void notify_stopping(void);
void notify_status(const char *fmt, ...) PRINTF(1, 2);

/* WATCHDOG=1 at half the interval asked for, from the loop, so only while it
 * turns.  *@ret is NULL where no watchdog is asked for.  0 or -errno. */
int notify_watchdog_new(struct ev_loop *loop, struct notify_watchdog **ret);
struct notify_watchdog *notify_watchdog_free(struct notify_watchdog *w);

/* The socket passed by the service manager (wbd.socket): fd, -ENOENT if none,
 * -EINVAL if it is not one listening Unix stream socket. */
int notify_listen_fd(void);

#endif

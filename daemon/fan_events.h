/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What read(2) on a fanotify group gives, taken apart. */
#ifndef WB_FAN_EVENTS_H
#define WB_FAN_EVENTS_H

#include <stddef.h>

#include "daemon/source.h"

/* Tells @sink of every inode and of every loss in @len bytes at @buf; an event that does
 * not make sense is passed over. */
void fan_events(const void *buf, size_t len, uint16_t fs, const struct source_sink *sink);

#endif

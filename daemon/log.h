/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the daemon says: to the journal with fields where stderr is connected to
 * it (JOURNAL_STREAM), else as plain lines on stderr.  Only daemon code logs.
 */
#ifndef WB_LOG_H
#define WB_LOG_H

#include <syslog.h>

#include "common/cleanup.h"

struct log_field {
	const char *name;  /* "WB_MOUNT", "WB_BDI", "WB_REASON", ... */
	const char *value; /* NULL: left out */
};

void log_open(int max_level); /* LOG_ERR .. LOG_DEBUG */
void log_set_level(int max_level);
void log_msg(int level, const char *fmt, ...) PRINTF(2, 3);

/* One decision: @id is one of the MESSAGE_IDs in log_ids.h, @fields ends with a
 * NULL name.  Off the journal the fields are not printed. */
void log_decision(int level, const char *id, const struct log_field *fields,
		  const char *fmt, ...) PRINTF(4, 5);

#define log_err(...)   log_msg(LOG_ERR, __VA_ARGS__)
#define log_warn(...)  log_msg(LOG_WARNING, __VA_ARGS__)
#define log_info(...)  log_msg(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_msg(LOG_DEBUG, __VA_ARGS__)

#endif

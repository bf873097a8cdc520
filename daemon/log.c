// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log lines to the journal or to stderr.  Whatever a file name, a mount point or
 * a client put into the text, one message stays one line without control
 * characters.
 */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "common/escape.h"
#include "daemon/log.h"

#define TEXT_MAX   2048 /* longer messages are cut */
#define FIELDS_MAX 16

/* The one mutable global of the daemon: how much to say, and to whom. */
static struct {
	int level;
	bool journal;
} log_to = {.level = LOG_INFO};

/* A decimal number at *@p that @end follows; *@p is then behind that. */
static bool take_number(const char **p, char end, uint64_t *ret)
{
	char *stop;

	if (**p < '0' || **p > '9')
		return false;
	errno = 0;
	*ret = strtoull(*p, &stop, 10);
	if (errno || *stop != end)
		return false;
	*p = stop + 1;
	return true;
}

/* $JOURNAL_STREAM is the device and inode of what stderr was when we were
 * started; a redirection since then makes them differ. */
static bool stderr_is_journal(void)
{
	const char *env = getenv("JOURNAL_STREAM");
	uint64_t dev, ino;
	struct stat st;

	if (!env || !take_number(&env, ':', &dev) || !take_number(&env, '\0', &ino))
		return false;
	return fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

void log_open(int max_level)
{
	log_to.level = max_level;
	log_to.journal = stderr_is_journal();
}

void log_set_level(int max_level)
{
	log_to.level = max_level;
}

static const char *level_word(int level)
{
	if (level <= LOG_ERR)
		return "error: ";
	if (level == LOG_WARNING)
		return "warning: ";
	return level == LOG_DEBUG ? "debug: " : "";
}

/* One write(2), so that lines of several processes do not mix. */
static void to_stderr(int level, const char *text)
{
	char line[TEXT_MAX + 32];
	int n = snprintf(line, sizeof(line), "wbd: %s%s\n", level_word(level), text);

	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nobody left to tell */
}

struct entry {
	struct iovec iov[4 + FIELDS_MAX];
	int n;
	bool nomem;
};

static void PRINTF(2, 3) add(struct entry *e, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		e->nomem = true;
		return;
	}
	e->iov[e->n++] = (struct iovec){.iov_base = s, .iov_len = (size_t)n};
}

/* False: the journal did not take it. */
static bool to_journal(int level, const char *id, const struct log_field *f,
		       const char *text)
{
	struct entry e = {.n = 0};
	int r = -1;

	add(&e, "MESSAGE=%s", text);
	add(&e, "PRIORITY=%d", level);
	add(&e, "SYSLOG_IDENTIFIER=wbd");
	if (id)
		add(&e, "MESSAGE_ID=%s", id);
	for (int left = FIELDS_MAX; f && f->name && left; f++) {
		if (!f->value)
			continue;
		add(&e, "%s=%s", f->name, f->value);
		left--;
	}
	if (!e.nomem)
		r = sd_journal_sendv(e.iov, e.n);
	for (int i = 0; i < e.n; i++)
		free(e.iov[i].iov_base);
	return r >= 0;
}

static void emit(int level, const char *id, const struct log_field *fields,
		 const char *fmt, va_list ap) PRINTF(4, 0);

static void emit(int level, const char *id, const struct log_field *fields,
		 const char *fmt, va_list ap)
{
	char raw[TEXT_MAX], text[TEXT_MAX];
	int n;

	if (level > log_to.level)
		return;
	n = vsnprintf(raw, sizeof(raw), fmt, ap);
	if (n < 0)
		return;
	escape_text(raw, strlen(raw), text, sizeof(text));
	if (!log_to.journal || !to_journal(level, id, fields, text))
		to_stderr(level, text);
}

void log_msg(int level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(level, NULL, NULL, fmt, ap);
	va_end(ap);
}

void log_decision(int level, const char *id, const struct log_field *fields,
		  const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(level, id, fields, fmt, ap);
	va_end(ap);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wbctl: what its subcommands share. */
#ifndef WBCTL_H
#define WBCTL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"
#include "wbctl/table.h"

#define WBCTL_SCHEMA     1
#define WBCTL_SOCKET     "/run/wb/io.writeback"
#define WBCTL_TIMEOUT_MS 10000 /* for an answer that needs no work */

/* Documented in wbctl(8). */
enum wbctl_exit {
	WBCTL_OK = 0,
	WBCTL_FAILED = 1,
	WBCTL_USAGE = 2,
	WBCTL_NO_DAEMON = 3,
	WBCTL_PARTLY = 4,
	WBCTL_TIMED_OUT = 5,
};

struct opts {
	const char *socket;
	const char *columns; /* -o, or NULL */
	bool json, noheadings, bytes, color;
	bool print;         /* --print */
	int64_t timeout_ms; /* --timeout; -1: none */
};

struct command {
	const char *name;
	const char *args; /* for the help */
	const char *help;
	int (*run)(const struct opts *o, int argc, char **argv); /* argv[0]: the first */
	int args_min, args_max;                                  /* -1: any number */
	bool takes_timeout;
	bool takes_print;
	const struct column *cols; /* for the help of -o; or NULL */
	unsigned n_cols;
};

/* Rows of the command table, one per file cmd_NAME.c. */
extern const struct command cmd_status, cmd_sync, cmd_explain, cmd_plan, cmd_features,
	cmd_config, cmd_monitor, cmd_hint, cmd_hints, cmd_verify, cmd_rollback,
	cmd_version;

/* ---- Saying things ---------------------------------------------------------- */

/* "wbctl: SENTENCE" on stderr; every argument's control characters are written out. */
void complain(const char *fmt, ...) PRINTF(1, 2);
/* A copy that a terminal shows and does not obey: control characters and what is not
 * UTF-8 become "\xNN".  free() it; NULL only without memory. */
char *escaped(const char *s);
void human_ms(uint64_t ms, char ret[48]);
/* "10" (seconds), "10s", "500ms", "2min", "1h" in milliseconds; -EINVAL. */
int parse_time(const char *s, int64_t *ret_ms);

/* ---- The daemon (daemon.c) ---------------------------------------------------- */

struct vl_client;
struct vl_answer;

/* Each returns WBCTL_OK or the exit code, having said why. */
int daemon_open(const struct opts *o, struct vl_client **ret);
int daemon_call(const struct opts *o, const char *method, json_t *params, json_t **ret);
/* As daemon_call(), but says nothing and returns -ENOENT if no daemon runs. */
int daemon_call_if_running(const struct opts *o, const char *method, json_t *params,
			   json_t **ret);
bool daemon_is_absent(int error); /* what vl_client_open() said */
/* What an error reply says, as one clause without a dot.  free() it. */
char *daemon_error_text(const struct vl_answer *a);

/* Values of an answer, with what to take if they are missing. */
const char *get_str(const json_t *j, const char *key); /* NULL if not a string */
uint64_t get_u64(const json_t *j, const char *key);
bool get_bool(const json_t *j, const char *key);

/* ---- Files --------------------------------------------------------------------- */

/* The device of the file system @fd is on, "MAJ:MIN" as mountinfo prints it (on
 * btrfs st_dev is another number).  0 or -errno. */
int device_of_fd(int fd, char ret[32]);

/* Is it a block device, or the name of one (zram0, 254:0, a bdi's)?  @ret is what the
 * daemon knows it by. */
bool explain_is_device(const char *what, char ret[64]);
int explain_device(const struct opts *o, const char *what, const char *device);

/* One JSON document with "schema"; steals @j. */
int print_json(json_t *j);

#endif

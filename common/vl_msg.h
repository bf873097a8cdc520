/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Varlink messages: a JSON text to and from calls and replies. */
#ifndef WB_VL_MSG_H
#define WB_VL_MSG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define VL_NESTING_MAX 32

/*
 * Parses one message.  -EBADMSG: not one JSON object (bad UTF-8 and duplicate
 * keys count as bad), -E2BIG: nested deeper than VL_NESTING_MAX.  @why gets a
 * clause about it.
 */
int vl_parse(const char *msg, size_t len, json_t **ret, const char **ret_why);

struct vl_request {
	const char *method; /* belongs to the message */
	json_t *params;     /* an object; belongs to the message; NULL: none given */
	bool more, oneway, upgrade;
};
/* 0, or -EBADMSG and a clause in *@ret_why. */
int vl_request_read(json_t *msg, struct vl_request *ret, const char **ret_why);

/* One text with its NUL (@ret_len includes it); free() it.  Steals @msg, which
 * may be NULL (out of memory: NULL is returned). */
char *vl_dump(json_t *msg, size_t *ret_len);

/* A reply or an error around @params (stolen; NULL: out of memory). */
json_t *vl_reply(json_t *params, bool continues);
json_t *vl_error(const char *error, json_t *params);

/* A JSON string of any bytes: those that are not UTF-8 become "\xNN".  NULL gives
 * a JSON null. */
json_t *vl_string(const char *s);

#endif

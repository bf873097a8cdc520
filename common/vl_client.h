/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A blocking Varlink client: one connection, one call at a time. */
#ifndef WB_VL_CLIENT_H
#define WB_VL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

struct vl_client;

/* -ENOENT and -ECONNREFUSED: nobody listens at @path; -ENOTSOCK; -ENAMETOOLONG. */
int vl_client_open(const char *path, struct vl_client **ret);
struct vl_client *vl_client_free(struct vl_client *c);
/* To poll for input beside others; vl_client_receive() without a time then reads. */
int vl_client_fd(const struct vl_client *c);

/* Sends a call; steals @params (NULL: none).  @timeout_ms < 0 waits for ever. */
int vl_client_send(struct vl_client *c, const char *method, json_t *params, bool more,
		   int timeout_ms);

/* The same with descriptor @fd, which stays the caller's, in one sendmsg(2). */
int vl_client_send_fd(struct vl_client *c, const char *method, json_t *params, int fd);

struct vl_answer {
	json_t *params; /* an object */
	char *error;    /* NULL: a reply */
	bool continues;
};
/* Waits for the next reply; fill-in is released by vl_answer_clear().
 * -ETIMEDOUT, -ECONNRESET (the server hung up), -EBADMSG (not Varlink). */
int vl_client_receive(struct vl_client *c, int timeout_ms, struct vl_answer *ret);
void vl_answer_clear(struct vl_answer *a);

/* Sends and waits for the only reply. */
int vl_client_call(struct vl_client *c, const char *method, json_t *params,
		   int timeout_ms, struct vl_answer *ret);

#endif

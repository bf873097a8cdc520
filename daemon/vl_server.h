/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Varlink server on libev that no client can hold up: every buffer is bounded,
 * a reader that does not read is cut off, a message that does not end times out.
 * With no client there is no timer and no wake-up.
 *
 * A message may carry one descriptor, where the method takes one.  Any other is
 * handed to drop_fd() and its call refused.
 *
 * One call of a connection is answered at a time, in order, as Varlink wants it.
 * While one is deferred (a stream, a drain) later ones wait in the input buffer.
 */
#ifndef WB_VL_SERVER_H
#define WB_VL_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ev_loop;
struct vl_server;
struct vl_call;

#define VL_MESSAGE_MAX (64U << 10) /* a message from a client */
#define VL_QUEUE_MAX   (1U << 20)  /* of answers; then the client is cut off */

struct vl_server_ops {
	/* Connections allowed now (asked at each new one). */
	unsigned (*connections)(void *arg);
	/* Answers @call, or defers it, before it returns. */
	void (*call)(struct vl_call *call, void *arg);
	/* May a descriptor come with @method?  NULL: with none. */
	bool (*takes_fd)(const char *method, void *arg);
	/* Closes a descriptor that a client sent, without waiting for it: even
	 * close(2) may wait for ever on a file system the client runs.  NULL:
	 * close(2). */
	void (*drop_fd)(uid_t uid, int fd, void *arg);
	/* Asked before each read; false: too many descriptors of that user are not
	 * closed yet, so nothing is read of him until vl_server_resume() is called.
	 * (Unseen ones would be closed by the kernel, on the loop.)  Where even root
	 * (0) has no room, nobody new is let in.  NULL: always. */
	bool (*room_fd)(uid_t uid, void *arg);
	/* Connection @id is over.  NULL: nobody asks. */
	void (*closed)(uint64_t id, void *arg);
};

/* Takes over @listen_fd also on failure.  @ops must outlive the server.
 * @prefix is the interface whose TooManyConnections and ProtocolError are sent. */
int vl_server_new(struct ev_loop *loop, int listen_fd, const char *prefix,
		  const struct vl_server_ops *ops, void *arg, struct vl_server **ret);
/* Hangs up on every client; deferred calls are told (gone). */
struct vl_server *vl_server_free(struct vl_server *s);
/* There may be room again for descriptors. */
void vl_server_resume(struct vl_server *s);
unsigned vl_server_connections(const struct vl_server *s);
/* Seconds that a message may take to end, or a reader not to read (default 10). */
void vl_server_set_patience(struct vl_server *s, double seconds);

const char *vl_call_method(const struct vl_call *c);
json_t *vl_call_params(const struct vl_call *c); /* an object or NULL */
bool vl_call_more(const struct vl_call *c);
bool vl_call_oneway(const struct vl_call *c);
/* The one descriptor that came with the call, now the caller's; -1: none, or not
 * with a method that takes one. */
int vl_call_take_fd(struct vl_call *c);
/* A number that no other connection of this server has or had. */
uint64_t vl_call_conn_id(const struct vl_call *c);
pid_t vl_call_pid(const struct vl_call *c);
uid_t vl_call_uid(const struct vl_call *c);
/* Whether the caller had @gid, as its group or a supplementary one, when it connected. */
bool vl_call_in_group(const struct vl_call *c, gid_t gid);

/* The only or last reply, or an error: the call is over and @c must not be used
 * any more.  @params are stolen; NULL means out of memory: the client is cut off. */
void vl_call_reply(struct vl_call *c, json_t *params);
void vl_call_error(struct vl_call *c, const char *error, json_t *params);
/* One reply of a stream. */
void vl_call_continue(struct vl_call *c, json_t *params);
/* The same with a whole message that was made once for many clients. */
void vl_call_continue_text(struct vl_call *c, const char *text, size_t len);

/* The reply comes later.  If the client goes first, @gone(@arg) is called once
 * and @c must not be used any more. */
void vl_call_defer(struct vl_call *c, void (*gone)(void *arg), void *arg);

#endif

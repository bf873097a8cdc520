/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Varlink server in a thread of its own that answers as a test tells it to, and keeps
 * what it was asked.
 */
#ifndef WB_TEST_LIBWB_SERVER_H
#define WB_TEST_LIBWB_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum server_mood {
	SERVER_ANSWERS, /* with `reply` */
	SERVER_SILENT,
	SERVER_HANGS_UP, /* on the first message */
	SERVER_HANGS_UP_HALFWAY,
};

struct server {
	char dir[64], path[96];
	int listen_fd, wake[2];
	pthread_t thread;
	bool runs;
	_Atomic int mood;
	_Atomic(const char *) reply; /* with its NUL inside the text if there are more */
	_Atomic size_t reply_len;
	_Atomic unsigned connections, messages, descriptors;
	_Atomic uint64_t ino; /* of the last descriptor */
	char last[512];       /* message; read it when nothing is under way */
	char hint[512];       /* the last that was one */
};

void server_start(struct server *s);
/* Ends it and every connection; the socket's name stays. */
void server_kill(struct server *s);
/* Listens anew at the same place. */
void server_again(struct server *s);
void server_remove(struct server *s);
void server_reply(struct server *s, const char *text);
void server_reply_bytes(struct server *s, const char *bytes, size_t len);

#endif

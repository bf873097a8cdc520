/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside libwb.  wbi_ is what its files share; nothing of it is exported.
 *
 * The public functions keep errno (KEEP_ERRNO), take the handle's lock with
 * wbi_enter() and know after it that the handle is this process's own.
 */
#ifndef WBI_INT_H
#define WBI_INT_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "include/wb/wb.h"
#include "libwb/xfs.h"

#define WBI_SOCKET    "/run/wb/io.writeback"
#define WBI_REPLY_MAX (16U << 10) /* bytes of one reply, its NUL included */
#define WBI_CALL_MAX  512         /* of one call */

static inline void wbi_restore_errno(const int *saved)
{
	errno = *saved;
}
#define KEEP_ERRNO __attribute__((cleanup(wbi_restore_errno), unused)) int errno_ = errno

/* ---- what the daemon answers (reply.c) ------------------------------------------ */

struct wbi_reply {
	char error[72];   /* name of the error; "" is a reply */
	char reason[120]; /* of the error */
	bool continues;
	bool finished;
	struct wb_info info;
	struct wb_progress progress;
};

/* -EBADMSG: not a Varlink reply. */
int wbi_reply_parse(const char *text, size_t len, struct wbi_reply *ret);
/* The -errno that stands for an error's name, 0 for a reply. */
int wbi_reply_errno(const struct wbi_reply *r);

/* ---- one connection (conn.c) ------------------------------------------------------ */

struct wbi_conn {
	int fd; /* -1: none */
	/* The socket's own identity: the application may have closed the number and
	 * opened something else there. */
	dev_t dev;
	ino_t ino;
	unsigned owed; /* replies that are still to come */
	bool slow;     /* one of them is late */
	bool heard;    /* there was one */
	size_t have;   /* bytes in @in */
	char in[WBI_REPLY_MAX];
};

void wbi_conn_init(struct wbi_conn *c);
/* Never blocks: a full backlog is -EAGAIN. */
int wbi_conn_open(struct wbi_conn *c, const char *path);
/* Hangs up, also for children that have inherited the socket (@shut). */
void wbi_conn_close(struct wbi_conn *c, bool shut);
/* Sends @len bytes, NUL included, with @fd (-1: none) at the first; counts a reply as
 * owed if @answered.  -EPIPE and the like: the connection is of no use any more. */
int wbi_conn_send(struct wbi_conn *c, const char *msg, size_t len, int fd, bool answered);
/* The next message into @ret.  @deadline_ms of wbi_now_ms(), 0: do not wait.
 * -ETIMEDOUT, -ECONNRESET, -EBADMSG. */
int wbi_conn_receive(struct wbi_conn *c, int64_t deadline_ms, struct wbi_reply *ret);

int64_t wbi_now_ms(void);
int64_t wbi_now_coarse_ms(void);

/* ---- the handle (wb.c) ------------------------------------------------------------- */

/* A file that was hinted not long ago: a hint of one size must not take back the other,
 * and what libwb itself has set is known. */
#define WBI_RECENT 64
struct wbi_recent {
	dev_t dev;
	ino_t ino;
	int64_t birth; /* ns; numbers of inodes are used again; 0: not known */
	uint64_t write_size, file_size;
	bool extsize; /* set by us */
};

/* A file system of which the daemon took a hint not long ago: the next need not wait
 * for its word. */
#define WBI_TRUST    4
#define WBI_TRUST_MS 10000
struct wbi_trust {
	dev_t dev;
	int64_t until_ms;   /* coarse clock */
	uint32_t xfs_block; /* bytes; 0: no XFS */
};

enum wbi_orders { ORDERS_UNKNOWN, ORDERS_NO, ORDERS_YES };

/* So many calls in a row get no answer: the next tells whether the daemon keeps up, and
 * whether it refuses. */
#define WBI_UNANSWERED 15

enum wbi_answer {
	ANSWER_NONE,  /* there will be none */
	ANSWER_LATER, /* is read some time */
	ANSWER_NOW,   /* is waited for */
};

struct wb {
	pthread_mutex_t lock;
	int cancel_state; /* of who holds the lock */
	/* In a page of its own that the kernel zeroes in a child: see wbi_enter(). */
	_Atomic int *owner;
	bool wipes;
	_Atomic int64_t retry_at_ms; /* no attempt to connect before; coarse clock */
	unsigned backoff_ms;
	_Atomic int orders; /* enum wbi_orders: does the kernel take order hints? */
	_Atomic bool keep;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct wbi_recent recent[WBI_RECENT];
	unsigned next_recent; /* the oldest */
	struct wbi_trust trust[WBI_TRUST];
	unsigned next_trust;
	unsigned unanswered; /* calls since the last that gets one */
	bool doubt;          /* the daemon refused one that was not waited for */
	struct wbi_conn conn;
};

void wbi_enter(struct wb *wb);
void wbi_leave(struct wb *wb);

/*
 * One call over the handle's connection, which is made if need be; the lock is held.
 * @msg must be one-way if @answer is ANSWER_NONE; @ret is for ANSWER_NOW.  -ENOTCONN:
 * there is no daemon, and it is not yet time to look again.
 */
int wbi_call(struct wb *wb, const char *msg, int fd, enum wbi_answer answer,
	     struct wbi_reply *ret);

/* ---- folio orders (order.c) ----------------------------------------------------------
 */

/* Gives the kernel the advice that needs no daemon.  0 or -errno. */
int wbi_order_advise(struct wb *wb, int fd, uint64_t bytes);
/* What became of it. */
void wbi_order_effect(struct wb *wb, int fd, struct wb_effect *ret);

/* Tells the kernel and the daemon; a size of 0 is left as it is.  See wb_hint_*(). */
int wbi_hint(struct wb *wb, int fd, uint64_t write_size, uint64_t file_size);

/* A regular file that is open for writing and on something that is written back. */
int wbi_check_fd(int fd, struct stat *ret);

/* Copies what fits and ends it; @size is at least 1. */
void wbi_copy(char *to, size_t size, const char *from);

#endif

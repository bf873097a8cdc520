// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The handle: lock, fork, connection and back-off.
 *
 * Fork.  The child has a copy of everything: a lock that a thread which no longer
 * exists may hold, and the parent's own connection, on which both would talk at once.
 * So one word, `owner`, lies in a page that the kernel gives to a child full of zeroes
 * (MADV_WIPEONFORK): whoever finds the zero makes the handle anew.  That costs a load
 * per call where getpid() would cost a system call; it is asked only where the kernel
 * has no such pages.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libwb/int.h"

#define ANSWER_MS      1000 /* how long a call waits */
#define OWED_LOOK      1    /* replies owed before they are looked for */
#define OWED_MAX       4    /* ... before they are waited for */
#define BACKOFF_MIN_MS 50
#define BACKOFF_MAX_MS 10000

#define OWNER_ANEW     (-1) /* being made anew by some thread */

/* ---- making and giving back -------------------------------------------------------- */

static int owner_now(const struct wb *wb)
{
	return wb->wipes ? 1 : (int)getpid();
}

static int map_owner(struct wb *wb)
{
	size_t len = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	wb->owner = p;
	wb->wipes = madvise(p, len, MADV_WIPEONFORK) == 0;
	atomic_store(wb->owner, owner_now(wb));
	return 0;
}

int wb_open(struct wb **ret)
{
	const char *path = secure_getenv("WB_SOCKET");
	KEEP_ERRNO;
	struct wb *wb;

	if (!ret)
		return -EINVAL;
	if (!path || !*path)
		path = WBI_SOCKET;
	if (strlen(path) >= sizeof(wb->path))
		return -ENAMETOOLONG;
	wb = calloc(1, sizeof(*wb));
	if (!wb)
		return -ENOMEM;
	strcpy(wb->path, path);
	wbi_conn_init(&wb->conn);
	if (map_owner(wb) < 0) {
		free(wb);
		return -ENOMEM;
	}
	(void)pthread_mutex_init(&wb->lock, NULL);
	*ret = wb;
	return 0;
}

struct wb *wb_close(struct wb *wb)
{
	KEEP_ERRNO;

	if (!wb)
		return NULL;
	/* In a child, the parent's connection is not ours to end. */
	wbi_enter(wb);
	wbi_conn_close(&wb->conn, true);
	wbi_leave(wb);
	(void)pthread_mutex_destroy(&wb->lock);
	(void)munmap(wb->owner, (size_t)sysconf(_SC_PAGESIZE));
	free(wb);
	return NULL;
}

int wb_set_keep(struct wb *wb, int keep)
{
	KEEP_ERRNO;

	if (!wb)
		return -EINVAL;
	wb->keep = keep != 0;
	return 0;
}

/* ---- lock and fork ----------------------------------------------------------------- */

static void make_anew(struct wb *wb)
{
	(void)pthread_mutex_init(&wb->lock, NULL);
	wbi_conn_close(&wb->conn, false);
	wb->backoff_ms = 0;
	atomic_store(&wb->retry_at_ms, 0);
}

void wbi_enter(struct wb *wb)
{
	int state, me = owner_now(wb), owner = atomic_load(wb->owner);

	while (owner != me) {
		if (owner == OWNER_ANEW) {
			(void)sched_yield();
			owner = atomic_load(wb->owner);
		} else if (atomic_compare_exchange_strong(wb->owner, &owner,
							  OWNER_ANEW)) {
			make_anew(wb);
			atomic_store(wb->owner, me);
			owner = me;
		}
	}
	/* A thread that is cancelled must not keep the lock. */
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	(void)pthread_mutex_lock(&wb->lock);
	wb->cancel_state = state;
}

void wbi_leave(struct wb *wb)
{
	int state = wb->cancel_state;

	(void)pthread_mutex_unlock(&wb->lock);
	(void)pthread_setcancelstate(state, NULL);
}

/* ---- calls --------------------------------------------------------------------------
 */

static void back_off(struct wb *wb)
{
	wbi_conn_close(&wb->conn, true);
	wb->backoff_ms = wb->backoff_ms ? wb->backoff_ms * 2 : BACKOFF_MIN_MS;
	if (wb->backoff_ms > BACKOFF_MAX_MS)
		wb->backoff_ms = BACKOFF_MAX_MS;
	atomic_store(&wb->retry_at_ms, wbi_now_coarse_ms() + wb->backoff_ms);
}

static int connect_now(struct wb *wb)
{
	if (wb->conn.fd >= 0)
		return 0;
	if (wbi_now_coarse_ms() < atomic_load(&wb->retry_at_ms))
		return -ENOTCONN;
	if (wbi_conn_open(&wb->conn, wb->path) < 0) {
		back_off(wb);
		return -ENOTCONN;
	}
	/* Another daemon, perhaps with other rules. */
	memset(wb->trust, 0, sizeof(wb->trust));
	wb->unanswered = WBI_UNANSWERED;
	wb->doubt = false;
	return 0;
}

/* Reads replies until at most @max are owed; those of hints that were only sent are
 * nobody's, but after a refusal the next one is waited for. */
static int settle(struct wb *wb, unsigned max, int64_t deadline_ms)
{
	struct wbi_reply reply;
	int r = 0;

	while (r == 0 && wb->conn.owed > max) {
		r = wbi_conn_receive(&wb->conn, deadline_ms, &reply);
		if (r == 0) {
			wb->backoff_ms = 0;
			wb->doubt = wb->doubt || reply.error[0];
		}
	}
	return r;
}

static int make_room(struct wb *wb)
{
	int r = 0;

	if (!wb->conn.owed && wb->conn.have)
		return -EBADMSG; /* more answers than questions */
	if (wb->conn.owed >= OWED_LOOK || wb->conn.slow)
		r = settle(wb, 0, 0);
	if (r == -ETIMEDOUT && !wb->conn.slow)
		r = settle(wb, OWED_MAX, wbi_now_ms() + ANSWER_MS);
	return r;
}

static int call_once(struct wb *wb, const char *msg, int fd, enum wbi_answer answer,
		     struct wbi_reply *ret)
{
	int64_t deadline = 0;
	int r = answer == ANSWER_NONE && !wb->conn.slow ? 0 : make_room(wb);

	if (r == 0)
		r = wbi_conn_send(&wb->conn, msg, strlen(msg) + 1, fd,
				  answer != ANSWER_NONE);
	if (r < 0)
		return r;
	wb->unanswered = answer == ANSWER_NONE ? wb->unanswered + 1 : 0;
	if (answer != ANSWER_NOW)
		return 0;
	deadline = wbi_now_ms() + ANSWER_MS;
	r = settle(wb, 1, deadline); /* what is ours is the last */
	while (r == 0 && wb->conn.owed)
		r = wbi_conn_receive(&wb->conn, deadline, ret);
	if (r == 0)
		wb->backoff_ms = 0;
	return r;
}

int wbi_call(struct wb *wb, const char *msg, int fd, enum wbi_answer answer,
	     struct wbi_reply *ret)
{
	int r;

	/* The second attempt is for a daemon that was started anew meanwhile; one that
	 * never said a word turns us away, or is none. */
	for (bool heard = true; heard;) {
		r = connect_now(wb);
		if (r < 0)
			return r;
		r = call_once(wb, msg, fd, answer, ret);
		if (r == 0 || r == -ETIMEDOUT || r == -EAGAIN || r == -EBADF)
			return r == -EAGAIN ? -ETIMEDOUT : r;
		heard = wb->conn.heard;
		wbi_conn_close(&wb->conn, true);
	}
	back_off(wb);
	return -ENOTCONN;
}

/* ---- descriptors and text ------------------------------------------------------------
 */

/* Nothing there is ever written back. */
static bool in_memory(int fd)
{
	struct statfs sf;

	if (fstatfs(fd, &sf) < 0)
		return false;
	switch ((unsigned long)sf.f_type) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case HUGETLBFS_MAGIC:
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
		return true;
	default:
		return false;
	}
}

int wbi_check_fd(int fd, struct stat *ret)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (fstat(fd, ret) < 0)
		return -EBADF;
	if (!S_ISREG(ret->st_mode))
		return -EOPNOTSUPP;
	/* Only a device without a number of its own can be one in memory. */
	return major(ret->st_dev) == 0 && in_memory(fd) ? -EOPNOTSUPP : 0;
}

void wbi_copy(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	memcpy(to, from, n);
	to[n] = '\0';
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors that clients send.  Whose file system one is on is not known before
 * it is asked, and a FUSE server that its client runs may answer never: not to
 * fstat(2), not even to close(2).  So nothing is done with one on the loop, nor on
 * the engine's workers: a few threads that may be lost do it all.
 *
 * What is known without asking is asked first: /proc/self/fdinfo names the mount.
 * If this name space has it, the mount table says whether its file system is
 * managed, and one that is not is only closed.
 *
 * The exception is a one-way hint for a file system that is managed and tells a file's
 * number from memory: the loop takes it at a glance, which saves two switches of
 * threads per hint.
 *
 * No descriptor is kept: each is closed before its answer comes, or, where none will,
 * some milliseconds later, several at once.
 *
 * Those that wait to be closed are counted, per user and in all: while there is no
 * room the server does not read what that user sends.  As with connections, root
 * always has some left.
 */
#ifndef WB_HINT_FD_H
#define WB_HINT_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ev_loop;
struct hint_fds;

#define HINT_FD_THREADS     8   /* ordinary users together have all but one */
#define HINT_FD_PER_UID     2   /* at work for one user at once */
#define HINT_FD_WAITING     256 /* looks; one user may have half of them */
#define HINT_FD_BATCH       16  /* closed at once */
/* To be closed, of one ordinary user and in all, of which ordinary users have seven
 * eighths.  What comes with one more message may go beyond it. */
#define HINT_FD_CLOSING_UID 64
#define HINT_FD_CLOSING     1024

/* What was found. */
struct hint_file {
	dev_t dev; /* of the superblock, as mountinfo has it; 0: not known */
	uint64_t ino;
	bool writable;
	uint32_t block;   /* bytes */
	bool xfs;         /* the next three are known */
	uint32_t extsize; /* bytes; 0: no hint */
	uint32_t extents;
	bool realtime;
	int order;     /* of the folios it asks for; -1: this kernel has no such hints */
	int order_max; /* what its file system allows; -1: not known */
	bool large_folios; /* the kernel was built with them */
};

/* A superblock that may be touched. */
struct hint_managed {
	dev_t dev;
	bool quick; /* stat of an open file waits for no disk and no server */
};

struct hint_look {
	uid_t uid;
	struct hint_file file;
	/* 0; -EXDEV: not on a managed file system (file.dev, if it is known);
	 * -EBADF: O_PATH; -EISDIR; -EINVAL: no regular file; another -errno. */
	int error;
	void (*done)(struct hint_look *l); /* on the loop; frees it */
	/* the rest is hint_fd.c's */
	int fd;
	bool close_only;
	struct hint_look *next;
};

/* @room(@arg) is called on the loop when there may be room again for somebody for
 * whom there was none. */
int hint_fds_new(struct ev_loop *loop, void (*room)(void *arg), void *arg,
		 struct hint_fds **ret);
/* Waits for nothing: threads that hang are left behind, done() is not called for
 * what is under way. */
struct hint_fds *hint_fds_free(struct hint_fds *h);

/* The superblocks that may be touched: now and whenever the plan changes. */
int hint_fds_set_managed(struct hint_fds *h, const struct hint_managed *v, size_t n);

/* Looks at @fd and closes it; takes it over in any case.  -EBUSY: too many already
 * wait, of this user or in all (then @l stays the caller's). */
int hint_fds_look(struct hint_fds *h, int fd, struct hint_look *l);
/* What can be told of @uid's @fd at once (dev, ino, writable), which is then closed
 * soon; -EAGAIN: it has to be looked at, and stays the caller's. */
int hint_fds_glance(struct hint_fds *h, uid_t uid, int fd, struct hint_file *ret);
/* Only closes it. */
void hint_fds_close(struct hint_fds *h, uid_t uid, int fd);
/* Closes what was to be closed soon. */
void hint_fds_flush(struct hint_fds *h);
/* False: so many wait to be closed that no more of @uid's should be received. */
bool hint_fds_room(struct hint_fds *h, uid_t uid);

#endif

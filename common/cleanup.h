/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound release of what a leaf function owns, so that every return path
 * is the right one.  errno is kept, because these run after a failed call.
 */
#ifndef WB_CLEANUP_H
#define WB_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn)   __attribute__((cleanup(fn)))
#define MUST_CHECK    __attribute__((warn_unused_result))
#define PRINTF(a, b)  __attribute__((format(printf, a, b)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void cleanup_freep(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_closep(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = saved;
}

static inline void cleanup_fclosep(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

/* Gives up ownership: returns the descriptor and leaves -1 behind. */
static inline int take_fd(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}

#endif

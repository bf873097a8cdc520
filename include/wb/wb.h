/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libwb: an application says how large its writes are.
 *
 * Every function returns 0 or a positive number, or -errno; errno itself, signals and
 * the terminal are left alone, and nothing is written anywhere but where the caller
 * says.  The library starts no threads and never ends the process.
 *
 * Threads: a handle (struct wb) may be used by any number of threads at once; calls on
 * it take turns.  A stream (struct wb_stream) belongs to one thread at a time.
 * Fork: a child may go on using a handle, it makes a connection of its own; streams
 * stay with the parent.  No function is safe within a signal handler.
 */
#ifndef WB_WB_H
#define WB_WB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WB_API __attribute__((visibility("default")))
#else
#define WB_API
#endif

struct wb;
struct wb_stream;

/*
 * Makes a handle.  It succeeds without a daemon; the connection is made when it is
 * first needed and again, with back-off, after it was lost.  -ENOMEM.
 *
 * The socket is /run/wb/io.writeback, or what the environment variable WB_SOCKET names
 * (not in set-user-ID programs).
 */
WB_API int wb_open(struct wb **ret);

/* Gives back the handle and the hints made through it (but see wb_set_keep()).
 * Accepts and returns NULL. */
WB_API struct wb *wb_close(struct wb *wb);

/*
 * Hints made from now on outlive the handle (@keep not 0): until the file is closed by
 * all, or idle.  Otherwise, the default, they end with it.
 */
WB_API int wb_set_keep(struct wb *wb, int keep);

#define WB_WRITE_SIZE_MAX ((uint64_t)1 << 30)

/*
 * "This file is written in runs of about @bytes."  Rounded up to whole pages, at most
 * WB_WRITE_SIZE_MAX.
 *
 * "This file will have about @bytes in the end."  At most INT64_MAX.
 *
 * A hint is advice: nothing is promised, and without a daemon these return 0 and cost a
 * look at the clock.  On an empty file they wait for the daemon's answer, because some
 * effects must be there before the first byte; once it took one, hints for other files
 * of that file system do not wait for some seconds.  Else the hint is only sent:
 * wb_query() tells what became of it, and after a refusal one of the next hints waits.
 *
 *  -EBADF       @fd is not open, or not open for writing
 *  -EINVAL      @bytes is 0, or @wb is NULL
 *  -EOPNOTSUPP  not a regular file, or one that is never written back (tmpfs)
 *  -ENODEV      the daemon leaves this file system alone
 *  -EDQUOT      too many hints, of this user or in all
 *  -ETIMEDOUT   the daemon did not answer within a second
 *  -EPROTO      the daemon refuses for a reason that is not known here
 */
WB_API int wb_hint_write_size(struct wb *wb, int fd, uint64_t bytes);
WB_API int wb_hint_file_size(struct wb *wb, int fd, uint64_t bytes);

/* Takes back both hints.  Errors as above. */
WB_API int wb_hint_clear(struct wb *wb, int fd);

#define WB_EFFECTS_MAX 8

struct wb_effect {
	char name[24];     /* "folio-order", "extent-size", "flush-stride", ... */
	char why[120];     /* why it is not in force; or a remark; or empty */
	uint32_t in_force; /* 1 or 0 */
	uint32_t reserved;
};

struct wb_info {
	uint32_t size;       /* set by the caller: sizeof(struct wb_info) */
	uint32_t daemon;     /* 1: a daemon answered */
	uint64_t write_size; /* bytes, 0: no hint known */
	uint64_t file_size;
	int32_t context; /* -1: none */
	int32_t group;   /* -1: none */
	char engine[16]; /* "user", "kernel" or "none" */
	char why[120];   /* why nobody but the kernel takes care of it, or empty */
	uint32_t n_effects;
	uint32_t reserved;
	struct wb_effect effects[WB_EFFECTS_MAX];
};

/*
 * What is known of the file and which effects its hints have.  Everything sent before
 * has been dealt with when it returns.  Without a daemon it succeeds and says so in
 * @info.  Errors as for the hints, but a file system that is left alone is no error.
 */
WB_API int wb_query(struct wb *wb, int fd, struct wb_info *info);

struct wb_progress {
	uint32_t size;   /* of what the library filled in */
	uint32_t daemon; /* 1: the daemon is at it, 0: syncfs() alone */
	uint64_t bytes_done, bytes_all;
	uint64_t inodes_done, inodes_all;
};

/* Not 0 ends the sync early, with -ECANCELED; what is under way goes on. */
typedef int (*wb_progress_fn)(const struct wb_progress *progress, void *arg);

/*
 * Brings everything dirty of the file system of @fd to the device: the daemon drains
 * it in parallel, if there is one, then syncfs(2) is called on @fd.  Guarantee and
 * errors are those of syncfs: it tells what failed since @fd was opened.  @flags must
 * be 0; @fn may be NULL.  -EBADF, -EINVAL, -ECANCELED, -EIO, -ENOSPC, -EDQUOT.
 */
WB_API int wb_sync(struct wb *wb, int fd, unsigned int flags, wb_progress_fn fn,
		   void *arg);

/*
 * A paced writer for a long file: what is written is brought to the device chunk by
 * chunk while more comes, so that never more than a bounded amount is dirty.
 */
#define WB_STREAM_PREALLOCATE 1U /* allocate file_size bytes at the start */
#define WB_STREAM_DATASYNC    2U /* fdatasync(2) at the end */
#define WB_STREAM_NO_URING    4U /* plain system calls only */

struct wb_stream_options {
	uint32_t size;      /* set by the caller: sizeof(struct wb_stream_options) */
	uint32_t flags;     /* WB_STREAM_* */
	uint64_t file_size; /* bytes there will be in the end, 0: unknown */
	uint64_t chunk;     /* bytes, 0: 1 MiB; from 64 KiB to 1 GiB, whole pages */
	uint64_t dirty_max; /* bytes, 0: 8 MiB; at least two chunks */
};

/*
 * Starts at @fd's file offset, or at the end with O_APPEND.  @fd stays the caller's: it
 * must stay open until the stream is closed, and nobody else may write the file
 * meanwhile.  @wb (may be NULL) is told the chunk and the file size; it is not needed
 * later.  @options may be NULL.
 *
 *  -EBADF       @fd is not open for writing
 *  -EINVAL      bad options, or O_DIRECT
 *  -EOPNOTSUPP  not a regular file
 *  -ENOSPC      no room to preallocate
 */
WB_API int wb_stream_open(struct wb *wb, int fd, const struct wb_stream_options *options,
			  struct wb_stream **ret);

/*
 * Takes all of @len bytes.  They may stay in the stream's memory until
 * wb_stream_flush() or wb_stream_close().  An error may be that of an earlier write;
 * after it the stream takes nothing more and returns that error again.
 */
WB_API int wb_stream_write(struct wb_stream *s, const void *data, size_t len);

/* Leaves a hole of @bytes (data that is there stays).  -ESPIPE with O_APPEND. */
WB_API int wb_stream_skip(struct wb_stream *s, uint64_t bytes);

/* Hands what is held in memory to the kernel, so that others can read it. */
WB_API int wb_stream_flush(struct wb_stream *s);

/*
 * Writes the rest, waits until all of it is on the device, and frees the stream
 * whatever it returns: 0, or the first error of the stream's life, be it of a write or
 * of a write-back.  Only with WB_STREAM_DATASYNC does it also survive a power cut.
 * The file offset is then at the end of what was written.  NULL gives 0.
 */
WB_API int wb_stream_close(struct wb_stream *s);

#ifdef __cplusplus
}
#endif
#endif

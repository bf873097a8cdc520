// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many buffered writes in one system call, by the kernel's own asynchronous I/O: the
 * kernel carries them out at once, one after the other.  In a guest a system call costs
 * ten times what the write in it does, and would hide what the write costs.
 */
#include "bench/wbload.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/pattern.h"

#define MOST 256u

/* Waits for @n writes; 0 or -errno. */
static int reap(aio_context_t aio, unsigned n)
{
	struct io_event events[MOST];

	for (unsigned done = 0; done < n;) {
		long r = syscall(SYS_io_getevents, aio, 1L, (long)(n - done), events,
				 NULL);

		if (r < 0)
			return -errno;
		for (long i = 0; i < r; i++)
			if (events[i].res != PATTERN_BLOCK)
				return events[i].res < 0 ? (int)events[i].res : -EIO;
		done += (unsigned)r;
	}
	return 0;
}

static int submit(aio_context_t aio, int fd, const void *block, const uint64_t *where,
		  unsigned n)
{
	struct iocb iocb[MOST], *list[MOST];

	memset(iocb, 0, n * sizeof(*iocb));
	for (unsigned i = 0; i < n; i++) {
		iocb[i].aio_lio_opcode = IOCB_CMD_PWRITE;
		iocb[i].aio_fildes = (uint32_t)fd;
		iocb[i].aio_buf = (uintptr_t)block;
		iocb[i].aio_nbytes = PATTERN_BLOCK;
		iocb[i].aio_offset = (int64_t)(where[i] * PATTERN_BLOCK);
		list[i] = &iocb[i];
	}
	for (unsigned done = 0; done < n;) {
		long r = syscall(SYS_io_submit, aio, (long)(n - done), list + done);

		if (r < 0)
			return -errno;
		done += (unsigned)r;
	}
	return reap(aio, n);
}

int batches_start(unsigned long *ret)
{
	aio_context_t aio = 0;

	if (syscall(SYS_io_setup, MOST, &aio) < 0)
		return -errno;
	*ret = aio;
	return 0;
}

int write_batched(const struct load *l, unsigned long aio, int fd, const void *block,
		  uint64_t *state)
{
	uint64_t blocks = l->size / PATTERN_BLOCK;
	int r = 0;

	for (unsigned done = 0, n; done < l->ops && !r; done += n) {
		uint64_t where[MOST];

		n = MIN(MIN(l->batch, MOST), l->ops - done);
		for (unsigned i = 0; i < n; i++)
			where[i] = pattern_next(state) % blocks;
		r = submit(aio, fd, block, where, n);
	}
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Let User Mode Linux of 6.12 run on processors with AMX.  boot-um preloads it.
 *
 * Such a kernel keeps the floating-point state of what runs in it in 2696 bytes: all that
 * there was before AMX.  It reads the state of its processes cut off at that length,
 * which ptrace(2) allows, and writes it back as long, which it refuses with EFAULT where
 * the processor has more. Here what is beyond is taken from the process itself.
 * (Linux 6.13 asks for the length.)
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

typedef long ptrace_fn(enum __ptrace_request request, ...);

/* The kernel's stacks are too small for it.  Its one CPU is one thread, and no signal
 * gets in between; that thread is the only one that comes here. */
static char whole[64 << 10];

static long set_whole(ptrace_fn *real, pid_t pid, void *type, const struct iovec *part)
{
	struct iovec iov = {.iov_base = whole, .iov_len = sizeof(whole)};
	long r = real(PTRACE_GETREGSET, pid, type, &iov);

	if (r < 0)
		return r;
	if (part->iov_len >= iov.iov_len) {
		errno = EFAULT; /* it was refused for another reason */
		return -1;
	}
	memcpy(whole, part->iov_base, part->iov_len);
	return real(PTRACE_SETREGSET, pid, type, &iov);
}

static long set_xstate(ptrace_fn *real, pid_t pid, void *type, struct iovec *part)
{
	sigset_t all, before;
	int error;
	long r;

	r = real(PTRACE_SETREGSET, pid, type, part);
	if (r == 0 || errno != EFAULT)
		return r;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	r = set_whole(real, pid, type, part);
	error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return r;
}

long ptrace(enum __ptrace_request request, ...)
{
	ptrace_fn *real = (ptrace_fn *)dlsym(RTLD_NEXT, "ptrace");
	void *addr, *data;
	va_list ap;
	pid_t pid;

	va_start(ap, request);
	pid = va_arg(ap, pid_t);
	addr = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	if (request == PTRACE_SETREGSET && addr == (void *)NT_X86_XSTATE)
		return set_xstate(real, pid, addr, data);
	return real(request, pid, addr, data);
}

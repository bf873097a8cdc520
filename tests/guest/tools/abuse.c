// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call the kernel series' system calls with what they have to refuse: a tool of the guest
 * tests.
 *
 *	abuse FILE CONTEXTS OTHER	OTHER is a file that has no contexts
 *
 * Names every call that did not end as it should, and fails if there is one.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool.h"
#include "wb/uapi.h"

#define GET FS_IOC_WRITEBACK_CONTEXT_GET
#define SET FS_IOC_WRITEBACK_CONTEXT_SET

struct abuse {
	int fd, readonly, path, other, pipe[2];
	unsigned int contexts;
	char *readable, *end; /* memory that can be read only, and where memory ends */
	int wrong, calls;
};

static void expect(struct abuse *a, const char *what, long detail, int ret, int want)
{
	int got = ret < 0 ? errno : 0;

	a->calls++;
	if (got == want)
		return;
	a->wrong++;
	printf("%s (%#lx): %s, should be %s\n", what, (unsigned long)detail,
	       got ? strerrorname_np(got) : "no error",
	       want ? strerrorname_np(want) : "no error");
}

static int set(int fd, unsigned int flags, unsigned int context)
{
	struct fs_writeback_context arg = {.flags = flags, .context = context};

	return ioctl(fd, SET, &arg);
}

static void bad_pointers(struct abuse *a)
{
	expect(a, "get to NULL", 0, ioctl(a->fd, GET, NULL), EFAULT);
	expect(a, "set from NULL", 0, ioctl(a->fd, SET, NULL), EFAULT);
	expect(a, "get to the kernel", 0, ioctl(a->fd, GET, (void *)-4096L), EFAULT);
	expect(a, "set from the kernel", 0, ioctl(a->fd, SET, (void *)-4096L), EFAULT);
	expect(a, "get to what cannot be written", 0, ioctl(a->fd, GET, a->readable),
	       EFAULT);
	for (size_t i = 1; i < sizeof(struct fs_writeback_context); i += 7) {
		expect(a, "get to the end of memory", (long)i,
		       ioctl(a->fd, GET, a->end - i), EFAULT);
		expect(a, "set from the end of memory", (long)i,
		       ioctl(a->fd, SET, a->end - i), EFAULT);
	}
}

static void bad_values(struct abuse *a)
{
	const unsigned int contexts[] = {a->contexts, 64,        65,  254,
					 255,         256,       257, 1u << 16,
					 0x80000000,  0xffffffff};
	struct fs_writeback_context arg;

	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		expect(a, "pin to a context that is not there", contexts[i],
		       set(a->fd, FS_WRITEBACK_CONTEXT_PINNED, contexts[i]), ERANGE);
	for (int bit = 2; bit < 32; bit++)
		expect(a, "set with a flag that is not there", bit,
		       set(a->fd, 1u << bit, 0), EINVAL);
	/* every byte of what is reserved */
	for (size_t i = 0; i < sizeof(arg.reserved); i++) {
		memset(&arg, 0, sizeof(arg));
		((char *)arg.reserved)[i] = 1;
		expect(a, "set with something reserved", (long)i, ioctl(a->fd, SET, &arg),
		       EINVAL);
	}
	for (unsigned int nr = 0; nr < 4; nr++)
		expect(a, "call of another size", nr,
		       ioctl(a->fd, _IOR(0x15, 32, char[8]) + nr, &arg), ENOTTY);
}

static void bad_files(struct abuse *a)
{
	struct fs_writeback_context arg;

	expect(a, "get from no descriptor", 0, ioctl(-1, GET, &arg), EBADF);
	expect(a, "get with O_PATH", 0, ioctl(a->path, GET, &arg), EBADF);
	expect(a, "set with O_PATH", 0, set(a->path, 0, 0), EBADF);
	expect(a, "get from another file", 0, ioctl(a->other, GET, &arg), EOPNOTSUPP);
	expect(a, "set of another file", 0, set(a->other, 0, 0), EOPNOTSUPP);
	expect(a, "get from a pipe", 0, ioctl(a->pipe[0], GET, &arg), EOPNOTSUPP);
	expect(a, "set of a pipe", 0, set(a->pipe[1], 0, 0), EOPNOTSUPP);
}

static int advise(int fd, off_t offset, off_t size)
{
	errno = posix_fadvise(fd, offset, size, POSIX_FADV_WRITE_SIZE);
	return errno ? -1 : 0;
}

static unsigned int order(struct abuse *a)
{
	struct fs_writeback_context arg;

	if (ioctl(a->fd, GET, &arg))
		fail("get");
	return arg.folio_order;
}

static void bad_hints(struct abuse *a)
{
	unsigned int most;

	expect(a, "hint", 65536, advise(a->fd, 0, 65536), 0);
	expect(a, "hint with an offset", 1, advise(a->fd, 1, 65536), EINVAL);
	expect(a, "hint with an offset", -1, advise(a->fd, -1, 65536), EINVAL);
	expect(a, "negative hint", -1, advise(a->fd, 0, -1), EINVAL);
	expect(a, "hint by a reader", 0, advise(a->readonly, 0, 65536), EBADF);
	expect(a, "hint with O_PATH", 0, advise(a->path, 0, 65536), EBADF);
	expect(a, "hint for a pipe", 0, advise(a->pipe[1], 0, 65536), ESPIPE);
	errno = posix_fadvise(a->fd, 0, 65536, POSIX_FADV_WRITE_SIZE + 1);
	expect(a, "advice that is not there", 0, errno ? -1 : 0, EINVAL);
	if (order(a) != 4)
		fail("the hint is of order %u after what was refused", order(a));

	/* however large, it stays an order that there can be */
	expect(a, "largest hint", 0, advise(a->fd, 0, 0x7fffffffffffffff), 0);
	most = order(a);
	if (most < 4 || most > 20)
		fail("the largest hint is of order %u", most);
	expect(a, "smallest hint", 0, advise(a->fd, 0, 4095), 0);
	if (order(a))
		fail("the smallest hint is of order %u", order(a));
}

static void good_calls(struct abuse *a)
{
	struct fs_writeback_context arg = {
		.flags = FS_WRITEBACK_CONTEXT_PINNED | FS_WRITEBACK_CONTEXT_GROUP,
		.context = a->contexts - 1,
		.group = 0xffffffff,
		.folio_order = 0xffffffff,
	};

	/* what is not for setting is ignored, and any descriptor will do */
	expect(a, "pin", a->contexts - 1, ioctl(a->readonly, SET, &arg), 0);
	expect(a, "get", 0, ioctl(a->readonly, GET, &arg), 0);
	if (arg.context != a->contexts - 1 ||
	    !(arg.flags & FS_WRITEBACK_CONTEXT_PINNED) || arg.folio_order)
		fail("context %u, flags %#x, order %u after pinning", arg.context,
		     arg.flags, arg.folio_order);
	expect(a, "unpin", 0, set(a->readonly, 0, 0), 0);
}

int main(int argc, char **argv)
{
	struct abuse a = {.wrong = 0};

	if (argc != 4)
		return 2;
	a.contexts = (unsigned int)atoi(argv[2]);
	a.fd = open(argv[1], O_RDWR);
	a.readonly = open(argv[1], O_RDONLY);
	a.path = open(argv[1], O_PATH);
	a.other = open(argv[3], O_RDONLY);
	a.end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	a.readable = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (a.fd < 0 || a.readonly < 0 || a.path < 0 || a.other < 0 || pipe(a.pipe) ||
	    a.end == MAP_FAILED || a.readable == MAP_FAILED || munmap(a.end + 4096, 4096))
		fail("cannot start");
	a.end += 4096;

	bad_pointers(&a);
	bad_values(&a);
	bad_files(&a);
	bad_hints(&a);
	good_calls(&a);
	printf("%d of %d calls ended as they should\n", a.calls - a.wrong, a.calls);
	return a.wrong ? 1 : 0;
}

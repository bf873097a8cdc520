// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random operations on one file, each compared with what memory says the file should be:
 * a tool of the guest tests.
 *
 *	fsx FILE SEED OPERATIONS|SECONDSs MAX_BYTES >MANIFEST
 *
 * Write, also with O_DIRECT and through a mapping, read in the same ways, truncate,
 *punch, zero and preallocate, fsync, drop from memory, give another hint on the size of
 *writes. What a file system or kernel cannot do is left out, which standard error says at
 *the end.
 */
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"
#include "wb/uapi.h"

#define HISTORY 24
#define DIRECT  4096

enum op {
	OP_WRITE,
	OP_APPEND,
	OP_WRITE_DIRECT,
	OP_WRITE_MAP,
	OP_READ,
	OP_READ_DIRECT,
	OP_READ_MAP,
	OP_TRUNCATE,
	OP_PUNCH,
	OP_ZERO,
	OP_ALLOCATE,
	OP_FSYNC,
	OP_DROP,
	OP_HINT,
	OPS
};

static const char *const names[OPS] = {
	"write",       "append",   "write direct", "write map", "read",
	"read direct", "read map", "truncate",     "punch",     "zero",
	"allocate",    "fsync",    "drop",         "hint",
};

/* How often an operation is chosen, in parts of their sum. */
static const int weights[OPS] = {12, 8, 4, 8, 8, 4, 6, 5, 4, 3, 4, 3, 4, 2};

struct record {
	enum op op;
	size_t at, size;
};

struct fsx {
	int fd, direct; /* direct is -1 where O_DIRECT is not possible */
	unsigned int seed;
	size_t max, size;
	unsigned char *want; /* max bytes, 0 from size on */
	unsigned char *got;
	unsigned long done[OPS], refused[OPS];
	unsigned long n;
	struct record history[HISTORY];
};

__attribute__((noreturn)) static void give_up(const struct fsx *x, const char *what)
{
	int error = errno;

	fprintf(stderr,
		"operation %lu, %s: %s (%s); the size is %zu, before that were:\n", x->n,
		names[x->history[x->n % HISTORY].op], what, strerror(error), x->size);
	for (unsigned long i = x->n < HISTORY ? 0 : x->n - HISTORY + 1; i <= x->n; i++) {
		const struct record *r = &x->history[i % HISTORY];

		fprintf(stderr, "  %lu %s at %#zx, %#zx bytes\n", i, names[r->op], r->at,
			r->size);
	}
	exit(1);
}

static size_t below(struct fsx *x, size_t bound)
{
	return bound ? ((size_t)rand_r(&x->seed) << 15 ^ (size_t)rand_r(&x->seed)) % bound
		     : 0;
}

/* Small and large ranges are equally likely, and so are ends on and off boundaries. */
static struct record choose(struct fsx *x, enum op op, size_t bound)
{
	struct record r = {.op = op, .at = below(x, bound)};
	size_t room = (size_t)1 << (below(x, 22) + 1);

	if (!below(x, 3))
		r.at &= ~(size_t)4095;
	if (room > bound - r.at)
		room = bound - r.at;
	r.size = room ? 1 + below(x, room) : 0;
	if (op == OP_WRITE_DIRECT || op == OP_READ_DIRECT) {
		r.at &= ~(size_t)(DIRECT - 1);
		r.size &= ~(size_t)(DIRECT - 1);
	}
	return r;
}

static void compare(const struct fsx *x, const unsigned char *got, const struct record *r)
{
	char what[80];

	if (!memcmp(got, x->want + r->at, r->size))
		return;
	for (size_t i = 0; i < r->size; i++) {
		if (got[i] == x->want[r->at + i])
			continue;
		snprintf(what, sizeof(what), "byte %#zx is %#x, should be %#x", r->at + i,
			 got[i], x->want[r->at + i]);
		errno = 0;
		give_up(x, what);
	}
}

static void do_write(struct fsx *x, const struct record *r)
{
	int fd = r->op == OP_WRITE_DIRECT ? x->direct : x->fd;
	ssize_t n;

	fill(x->want + r->at, r->size, &x->seed);
	/* O_DIRECT needs an aligned buffer, want + at is one */
	n = pwrite(fd, x->want + r->at, r->size, (off_t)r->at);
	if (n != (ssize_t)r->size)
		give_up(x, "not all was written");
	if (r->at + r->size > x->size)
		x->size = r->at + r->size;
}

static void do_read(struct fsx *x, const struct record *r)
{
	int fd = r->op == OP_READ_DIRECT ? x->direct : x->fd;
	ssize_t n = pread(fd, x->got, r->size, (off_t)r->at);

	if (n != (ssize_t)r->size)
		give_up(x, "not all was read");
	compare(x, x->got, r);
}

static void do_map(struct fsx *x, const struct record *r)
{
	int prot = r->op == OP_WRITE_MAP ? PROT_READ | PROT_WRITE : PROT_READ;
	unsigned char *map = mmap(NULL, x->size, prot, MAP_SHARED, x->fd, 0);

	if (map == MAP_FAILED)
		give_up(x, "mmap");
	if (r->op == OP_WRITE_MAP) {
		fill(x->want + r->at, r->size, &x->seed);
		memcpy(map + r->at, x->want + r->at, r->size);
		if (!below(x, 4) && msync(map, x->size, MS_SYNC))
			give_up(x, "msync");
	} else {
		compare(x, map + r->at, r);
	}
	munmap(map, x->size);
}

static void do_truncate(struct fsx *x, const struct record *r)
{
	if (ftruncate(x->fd, (off_t)r->at))
		give_up(x, "ftruncate");
	if (r->at < x->size)
		memset(x->want + r->at, 0, x->size - r->at);
	x->size = r->at;
}

/* Returns whether the file system can do it. */
static int do_fallocate(struct fsx *x, const struct record *r)
{
	static const int modes[OPS] = {
		[OP_PUNCH] = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		[OP_ZERO] = FALLOC_FL_ZERO_RANGE,
	};

	if (fallocate(x->fd, modes[r->op], (off_t)r->at, (off_t)r->size)) {
		if (errno == EOPNOTSUPP)
			return 0;
		give_up(x, "fallocate");
	}
	if (r->op != OP_ALLOCATE)
		memset(x->want + r->at, 0, r->size);
	if (r->op != OP_PUNCH && r->at + r->size > x->size)
		x->size = r->at + r->size;
	return 1;
}

static int do_hint(struct fsx *x)
{
	off_t bytes = (off_t)4096 << below(x, 12);

	return !posix_fadvise(x->fd, 0, below(x, 4) ? bytes : 0, POSIX_FADV_WRITE_SIZE);
}

/* Returns whether it could be done. */
static int run(struct fsx *x, const struct record *r)
{
	switch (r->op) {
	case OP_WRITE:
	case OP_APPEND:
	case OP_WRITE_DIRECT:
		do_write(x, r);
		return 1;
	case OP_READ:
	case OP_READ_DIRECT:
		do_read(x, r);
		return 1;
	case OP_WRITE_MAP:
	case OP_READ_MAP:
		do_map(x, r);
		return 1;
	case OP_TRUNCATE:
		do_truncate(x, r);
		return 1;
	case OP_PUNCH:
	case OP_ZERO:
	case OP_ALLOCATE:
		return do_fallocate(x, r);
	case OP_FSYNC:
		if (fsync(x->fd))
			give_up(x, "fsync");
		return 1;
	case OP_DROP:
		if (!below(x, 2) && fdatasync(x->fd))
			give_up(x, "fdatasync");
		return !posix_fadvise(x->fd, 0, 0, POSIX_FADV_DONTNEED);
	default:
		return do_hint(x);
	}
}

static enum op choose_op(struct fsx *x)
{
	int sum_of_all = 0, at;

	for (int i = 0; i < OPS; i++)
		sum_of_all += weights[i];
	at = (int)below(x, (size_t)sum_of_all);
	for (int i = 0; i < OPS; i++) {
		at -= weights[i];
		if (at < 0)
			return (enum op)i;
	}
	return OP_READ;
}

static void step(struct fsx *x)
{
	enum op op = choose_op(x);
	int inside = op == OP_READ || op == OP_READ_DIRECT || op == OP_READ_MAP ||
		     op == OP_WRITE_MAP;
	struct record r = choose(x, op, inside ? x->size : x->max);

	if (op == OP_APPEND) {
		r.at = x->size;
		if (r.size > x->max - r.at)
			r.size = x->max - r.at;
	}
	x->history[x->n % HISTORY] = r;
	if ((op == OP_WRITE_DIRECT || op == OP_READ_DIRECT) && x->direct < 0)
		x->refused[op]++;
	else if (r.size || op == OP_TRUNCATE || op >= OP_FSYNC)
		run(x, &r) ? x->done[op]++ : x->refused[op]++;
	x->n++;
}

/* The whole file, and that it ends where it should. */
static void check_all(struct fsx *x)
{
	struct record all = {.op = OP_READ, .size = x->size};
	struct stat st;

	x->history[x->n % HISTORY] = all;
	if (fstat(x->fd, &st) || (size_t)st.st_size != x->size)
		give_up(x, "the file has another size");
	do_read(x, &all);
}

static void report(const struct fsx *x)
{
	for (int i = 0; i < OPS; i++)
		if (x->refused[i])
			fprintf(stderr, "%s: done %lu times, not possible %lu times\n",
				names[i], x->done[i], x->refused[i]);
}

int main(int argc, char **argv)
{
	struct fsx x = {.size = 0};
	unsigned long operations;
	time_t end;
	char *unit;

	if (argc != 5)
		return 2;
	x.seed = (unsigned int)atoi(argv[2]);
	operations = strtoul(argv[3], &unit, 10);
	end = time(NULL) + (time_t)operations;
	x.max = (size_t)atol(argv[4]);
	if (x.max < DIRECT || posix_memalign((void **)&x.want, DIRECT, x.max) ||
	    posix_memalign((void **)&x.got, DIRECT, x.max))
		fail("no memory for %zu bytes", x.max);
	memset(x.want, 0, x.max);
	x.fd = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (x.fd < 0)
		fail("cannot open %s", argv[1]);
	x.direct = open(argv[1], O_RDWR | O_DIRECT);

	while (*unit == 's' ? time(NULL) < end : x.n < operations) {
		step(&x);
		if (x.n % 64 == 0)
			check_all(&x);
	}
	check_all(&x);
	print_manifest(argv[1], x.want, x.size);
	fprintf(stderr, "%lu operations\n", x.n);
	report(&x);
	return 0;
}

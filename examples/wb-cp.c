// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wb-cp: copies a file by a paced stream.  The copy is made beside its name and takes
 * it when all of it is on the device, so that there is never half of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <wb/wb.h>

#include "common/units.h"

#define READ_SIZE   ((size_t)1 << 20)
#define REDRAW_MS   100
#define ESTIMATE_MS 500
#define BAR_MAX     40

struct copy {
	const char *from, *to;
	bool preserve, progress;
	uint32_t flags;
	char part[PATH_MAX]; /* what it is called until it is whole; "" before and after
			      */
	int in, out;
	struct stat st, old; /* the source, and what was there */
	bool replaces;
	char *buf;
	struct wb_stream *stream;
	uint64_t done, all; /* bytes of data */
	int64_t start_ms, drawn_ms;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

/* ---- telling
 * --------------------------------------------------------------------------- */

/* Always -1, so that a failing function can return it. */
static int __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list ap;

	fputs(isatty(STDERR_FILENO) ? "\r\033[Kwb-cp: " : "wb-cp: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000 + t.tv_nsec / 1000000;
}

static unsigned columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col ? 80 : w.ws_col;
}

/* "120M of 2G, 480M/s, 4 s left" */
static void describe(const struct copy *c, char *buf, size_t len, int64_t ms)
{
	char done[UNITS_LEN], all[UNITS_LEN], rate_text[UNITS_LEN];
	uint64_t rate = c->done * 1000 / (uint64_t)(ms ? ms : 1);

	units_human_size(c->done, done);
	units_human_size(c->all, all);
	units_human_size(rate, rate_text);
	if (c->done >= c->all)
		snprintf(buf, len, "%s, waiting for the device", all);
	else if (ms < ESTIMATE_MS || !rate)
		snprintf(buf, len, "%s of %s", done, all);
	else
		snprintf(buf, len, "%s of %s, %s/s, %llu s left", done, all, rate_text,
			 (unsigned long long)((c->all - c->done + rate - 1) / rate));
}

static void draw(struct copy *c, bool now)
{
	char text[160], bar[BAR_MAX + 1];
	unsigned wide, room, filled;
	int64_t ms;

	if (!c->progress)
		return;
	ms = now_ms();
	if (!now && ms - c->drawn_ms < REDRAW_MS)
		return;
	c->drawn_ms = ms;
	wide = columns();
	room = wide > 60 ? wide - 60 : 0;
	describe(c, text, sizeof(text), ms - c->start_ms);
	room = room > BAR_MAX ? BAR_MAX : room;
	filled = c->all ? (unsigned)(c->done * room / c->all) : room;
	filled = filled > room ? room : filled;
	memset(bar, '.', room);
	memset(bar, '#', filled);
	bar[room] = '\0';
	if (room >= 5)
		fprintf(stderr, "\r\033[K[%s] %s", bar, text);
	else
		fprintf(stderr, "\r\033[K%.*s", (int)wide - 1, text);
}

static void wipe(const struct copy *c)
{
	if (c->progress)
		fputs("\r\033[K", stderr);
}

/* ---- opening
 * ---------------------------------------------------------------------------- */

static int open_source(struct copy *c)
{
	c->in = open(c->from, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (c->in < 0 || fstat(c->in, &c->st) < 0)
		return fail("Cannot read %s: %s.", c->from, strerror(errno));
	if (!S_ISREG(c->st.st_mode))
		return fail("%s is not a regular file; only those are copied.", c->from);
	(void)posix_fadvise(c->in, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

/* The name that the copy will have: in a folder its own; what a link points to. */
static int find_target(struct copy *c, char target[PATH_MAX])
{
	char name[PATH_MAX], where[PATH_MAX];
	int n;

	snprintf(name, sizeof(name), "%s", c->from);
	snprintf(where, sizeof(where), "%s", c->to);
	if (stat(where, &c->old) == 0 && S_ISDIR(c->old.st_mode)) {
		n = snprintf(where, sizeof(where), "%s/%s", c->to, basename(name));
		if (n < 0 || (size_t)n >= sizeof(where))
			return fail("%s: The name is too long.", c->to);
	}
	if (stat(where, &c->old) < 0) {
		if (errno != ENOENT)
			return fail("Cannot write %s: %s.", where, strerror(errno));
		memcpy(target, where, PATH_MAX);
		return 0;
	}
	c->replaces = true;
	if (!S_ISREG(c->old.st_mode))
		return fail("%s is not a regular file; it is left as it is.", where);
	if (c->old.st_dev == c->st.st_dev && c->old.st_ino == c->st.st_ino)
		return fail("%s and %s are the same file.", c->from, where);
	if (access(where, W_OK) < 0 || !realpath(where, target))
		return fail("Cannot write %s: %s.", where, strerror(errno));
	return 0;
}

static int open_part(struct copy *c, const char *target)
{
	mode_t mode = (c->replaces ? c->old.st_mode : c->st.st_mode) & 07777;
	int n = snprintf(c->part, sizeof(c->part), "%s.wb-cp-%ld", target,
			 (long)getpid());

	if (n < 0 || (size_t)n >= sizeof(c->part)) {
		c->part[0] = '\0';
		return fail("%s: The name is too long.", target);
	}
	/* Nobody else reads it before it has its final mode. */
	c->out = open(c->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		      c->preserve || c->replaces ? 0600 : mode & 0777);
	if (c->out < 0) {
		fail("Cannot create %s: %s.", c->part, strerror(errno));
		c->part[0] = '\0';
		return -1;
	}
	if (c->replaces &&
	    (fchown(c->out, c->old.st_uid, c->old.st_gid) < 0 ||
	     fchmod(c->out, mode) < 0) &&
	    errno != EPERM)
		return fail("Cannot give %s the mode of %s: %s.", c->part, target,
			    strerror(errno));
	return 0;
}

/* ---- copying
 * ------------------------------------------------------------------------------ */

static int failed_write(const struct copy *c, int error)
{
	return fail("Cannot write %s: %s; nothing was changed.", c->to, strerror(-error));
}

/* The data of [@from, @to); fewer if the file got shorter. */
static int copy_data(struct copy *c, off_t from, off_t to)
{
	while (from < to) {
		size_t want =
			(size_t)(to - from) < READ_SIZE ? (size_t)(to - from) : READ_SIZE;
		ssize_t n = pread(c->in, c->buf, want, from);
		int r;

		if (interrupted)
			return fail("Interrupted; nothing was changed.");
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail("Cannot read %s: %s.", c->from, strerror(errno));
		if (n == 0)
			return fail("%s got shorter while it was copied.", c->from);
		r = wb_stream_write(c->stream, c->buf, (size_t)n);
		if (r < 0)
			return failed_write(c, r);
		from += n;
		c->done += (uint64_t)n;
		draw(c, false);
	}
	return 0;
}

/* Data after data, holes left out.  A file system without SEEK_DATA has no holes. */
static int copy_all(struct copy *c)
{
	off_t at = 0, size = c->st.st_size;

	while (at < size) {
		off_t data = lseek(c->in, at, SEEK_DATA), hole;

		if (data < 0 && errno == ENXIO)
			break;
		if (data < 0)
			data = at;
		if (data >= size)
			break;
		hole = lseek(c->in, data, SEEK_HOLE);
		if (hole < 0 || hole > size)
			hole = size;
		if (wb_stream_skip(c->stream, (uint64_t)(data - at)) < 0)
			return fail("Cannot write %s: File too large.", c->to);
		if (copy_data(c, data, hole) < 0)
			return -1;
		at = hole;
	}
	return 0;
}

/* A copy with holes has its length at once: file systems that allocate ahead of a
 * growing file would fill them. */
static int make_room(const struct copy *c)
{
	if (c->st.st_blocks * 512 >= c->st.st_size)
		return 0;
	return ftruncate(c->out, c->st.st_size) < 0 ? failed_write(c, -errno) : 0;
}

static int copy_stream(struct copy *c, struct wb *wb)
{
	const struct wb_stream_options o = {
		.size = sizeof(o),
		.flags = c->flags,
		.file_size = (uint64_t)c->st.st_size,
	};
	int e, r = wb_stream_open(wb, c->out, &o, &c->stream);

	if (r < 0)
		return failed_write(c, r);
	r = copy_all(c);
	draw(c, true);
	e = wb_stream_close(c->stream);
	if (r == 0 && e < 0)
		return failed_write(c, e);
	return r;
}

/* Everything else about the file, and all of it durable. */
static int finish_part(struct copy *c)
{
	const struct timespec times[2] = {c->st.st_atim, c->st.st_mtim};

	if (ftruncate(c->out, c->st.st_size) < 0)
		return failed_write(c, -errno);
	if (c->preserve) {
		/* Only root may give files away; as cp -p does. */
		if (fchown(c->out, c->st.st_uid, c->st.st_gid) < 0 && errno != EPERM)
			return failed_write(c, -errno);
		if (fchmod(c->out, c->st.st_mode & 07777) < 0 ||
		    futimens(c->out, times) < 0)
			return failed_write(c, -errno);
	}
	return fsync(c->out) < 0 ? failed_write(c, -errno) : 0;
}

static int take_name(struct copy *c, char target[PATH_MAX])
{
	int dir, r = 0;

	if (interrupted)
		return fail("Interrupted; nothing was changed.");
	if (rename(c->part, target) < 0)
		return failed_write(c, -errno);
	c->part[0] = '\0';
	dir = open(dirname(target), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fsync(dir) < 0)
		r = fail("%s is written, but its name may not survive a power cut: %s.",
			 c->to, strerror(errno));
	if (dir >= 0)
		close(dir);
	return r;
}

static int run(struct copy *c)
{
	char target[PATH_MAX];
	struct wb *wb = NULL;
	int r;

	if (open_source(c) < 0 || find_target(c, target) < 0 || open_part(c, target) < 0)
		return -1;
	c->buf = malloc(READ_SIZE);
	if (!c->buf)
		return fail("There is no memory left.");
	/* Blocks count holes out, but preallocation and compression in: an estimate. */
	c->all = (uint64_t)c->st.st_blocks * 512;
	if (c->all > (uint64_t)c->st.st_size)
		c->all = (uint64_t)c->st.st_size;
	c->start_ms = now_ms();
	(void)wb_open(&wb);
	r = make_room(c);
	if (r == 0)
		r = copy_stream(c, wb);
	if (r == 0)
		r = finish_part(c);
	if (r == 0)
		r = take_name(c, target);
	wb_close(wb);
	wipe(c);
	return r;
}

static void clean_up(struct copy *c)
{
	if (c->part[0])
		(void)unlink(c->part);
	if (c->in >= 0)
		close(c->in);
	if (c->out >= 0)
		close(c->out);
	free(c->buf);
}

static int usage(FILE *f)
{
	fputs("usage: wb-cp [-p] [-q] SOURCE DEST\n\n"
	      "Copies a file, a bounded amount of it dirty at any time, onto the "
	      "device.\n\n"
	      "  -p, --preserve  keep mode, owner and times\n"
	      "  -q, --quiet     no progress line\n"
	      "      --no-uring  plain system calls only\n"
	      "      --version\n"
	      "      --help\n",
	      f);
	return f == stdout ? 0 : 2;
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaction(signals[i], &sa, NULL);
	(void)signal(SIGXFSZ, SIG_IGN); /* it is told by errno */
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"preserve", no_argument, NULL, 'p'}, {"quiet", no_argument, NULL, 'q'},
		{"no-uring", no_argument, NULL, 'u'}, {"version", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},     {0},
	};
	struct copy c = {.in = -1, .out = -1, .flags = WB_STREAM_DATASYNC};
	bool quiet = false;
	int o, r;

	while ((o = getopt_long(argc, argv, "pqh", options, NULL)) != -1)
		switch (o) {
		case 'p':
			c.preserve = true;
			break;
		case 'q':
			quiet = true;
			break;
		case 'u':
			c.flags |= WB_STREAM_NO_URING;
			break;
		case 'v':
			puts("wb-cp " WB_VERSION);
			return 0;
		default:
			return usage(o == 'h' ? stdout : stderr);
		}
	if (argc - optind != 2)
		return usage(stderr);
	c.from = argv[optind];
	c.to = argv[optind + 1];
	c.progress = !quiet && isatty(STDERR_FILENO);
	catch_signals();
	r = run(&c);
	clean_up(&c);
	return r < 0 ? 1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes data that can be verified afterwards, in ways that file systems and the engine
 * tell apart.  Every block says which file, block and pass it belongs to.
 *
 *   dirty write|verify [-d DIRS] [-f FILES] [-s SIZE] [-m MODE] [-p PASSES] [-S SEED]
 *                      [-a] DIR
 *       FILES in each of DIRS directories; MODE: seq, rand, append, mmap, falloc.
 *       verify wants the last pass; -a: any (its writer was killed, or the system was).
 *   dirty churn|churn-verify [-n COUNT] [-d DIRS] [-S SEED] DIR
 *       COUNT creations, overwrites, renames (also over others) and deletions.
 *   dirty temp [-n COUNT] [-s SIZE] DIR
 *       COUNT files written and deleted at once, as a compiler's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"

#define BLOCK 4096u
#define WORDS (BLOCK / sizeof(uint64_t))
#define SLOTS 1024u /* most files that churn has at a time */

struct opts {
	unsigned dirs, files, passes;
	uint64_t size, seed, count;
	const char *mode, *dir;
	bool any;
};

static _Noreturn void die(const char *what, const char *name)
{
	fprintf(stderr, "dirty: %s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

static _Noreturn void wrong(const char *name, uint64_t block, const char *what)
{
	fprintf(stderr, "dirty: %s: block %llu: %s\n", name, (unsigned long long)block,
		what);
	exit(1);
}

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* The first word carries the pass, hidden by the key; the rest follows from both. */
static uint64_t key_of(const struct opts *o, uint64_t file, uint64_t block)
{
	return mix(mix(o->seed ^ mix(file)) + block);
}

static void fill(uint64_t *w, uint64_t key, uint64_t pass)
{
	uint64_t x = key ^ mix(pass);

	w[0] = key ^ pass;
	for (unsigned i = 1; i < WORDS; i++)
		w[i] = x += 0x9e3779b97f4a7c15u;
}

/* True if @w is the block of @key; which pass wrote it in @ret_pass. */
static bool matches(const uint64_t *w, uint64_t key, uint64_t *ret_pass)
{
	uint64_t want[WORDS];

	fill(want, key, w[0] ^ key);
	*ret_pass = w[0] ^ key;
	return !memcmp(want, w, BLOCK);
}

static bool all_zero(const uint64_t *w)
{
	return !w[0] && !memcmp(w, w + 1, BLOCK - sizeof(*w));
}

static int open_file(const struct opts *o, unsigned f, int flags, char *path, size_t len)
{
	snprintf(path, len, "%s/d%u", o->dir, f / o->files);
	if ((flags & O_CREAT) && mkdir(path, 0755) && errno != EEXIST)
		die("mkdir", path);
	snprintf(path, len, "%s/d%u/f%u", o->dir, f / o->files, f % o->files);
	return open(path, flags | O_CLOEXEC, 0644);
}

static void write_mapped(const struct opts *o, int fd, unsigned f, uint64_t pass,
			 const char *path)
{
	uint64_t *map, blocks = o->size / BLOCK;

	if (ftruncate(fd, (off_t)o->size))
		die("truncate", path);
	map = mmap(NULL, o->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("mmap", path);
	for (uint64_t b = 0; b < blocks; b++)
		fill(map + b * WORDS, key_of(o, f, b), pass);
	munmap(map, o->size);
}

static void write_file(const struct opts *o, unsigned f, uint64_t pass)
{
	bool append = !strcmp(o->mode, "append");
	bool scatter = !strcmp(o->mode, "rand") || !strcmp(o->mode, "falloc");
	uint64_t blocks = o->size / BLOCK, w[WORDS];
	char path[4096];
	int fd CLEANUP(cleanup_closep) =
		open_file(o, f, O_CREAT | O_RDWR | (append ? O_APPEND | O_TRUNC : 0),
			  path, sizeof(path));

	if (fd < 0)
		die("open", path);
	if (!strcmp(o->mode, "mmap")) {
		write_mapped(o, fd, f, pass, path);
		return;
	}
	if (!strcmp(o->mode, "falloc") && fallocate(fd, 0, 0, (off_t)o->size))
		die("fallocate", path);
	for (uint64_t i = 0; i < blocks; i++) {
		/* A prime step visits every block once. */
		uint64_t b = scatter ? i * 2654435761u % blocks : i;

		fill(w, key_of(o, f, b), pass);
		if (pwrite(fd, w, BLOCK, (off_t)(b * BLOCK)) != BLOCK)
			die("write", path);
	}
}

static void verify_file(const struct opts *o, unsigned f)
{
	uint64_t w[WORDS], pass, b;
	char path[4096];
	int fd CLEANUP(cleanup_closep) = open_file(o, f, O_RDONLY, path, sizeof(path));
	ssize_t n;

	if (fd < 0 && o->any && errno == ENOENT)
		return;
	if (fd < 0)
		die("open", path);
	for (b = 0; (n = read(fd, w, BLOCK)) == BLOCK; b++) {
		if (o->any && all_zero(w))
			continue;
		if (!matches(w, key_of(o, f, b), &pass))
			wrong(path, b, all_zero(w) ? "zeroes" : "not what was written");
		if (o->any ? pass >= o->passes : pass != o->passes - 1)
			wrong(path, b, "not of the last pass");
	}
	if (n < 0)
		die("read", path);
	if (n || b > o->size / BLOCK || (!o->any && b < o->size / BLOCK))
		wrong(path, b, "the file ends here");
}

/* ---- churn ---------------------------------------------------------------- */

/* Which files there are: the same steps, done or only thought, give the same. */
struct slot {
	bool there;
	unsigned dir;
	uint64_t data; /* the step that wrote it */
};

static void slot_path(const struct opts *o, unsigned i, unsigned dir, char *path,
		      size_t len)
{
	snprintf(path, len, "%s/d%u/s%u", o->dir, dir, i);
}

static void put(const struct opts *o, unsigned i, struct slot *s, uint64_t step,
		bool real)
{
	uint64_t w[WORDS];
	char path[4096];
	int fd CLEANUP(cleanup_closep) = -1;

	s->there = true;
	s->data = step;
	if (!real)
		return;
	slot_path(o, i, s->dir, path, sizeof(path));
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	fill(w, key_of(o, step, 0), 0);
	if (fd < 0 || write(fd, w, BLOCK) != BLOCK)
		die("write", path);
}

static void move(const struct opts *o, struct slot *v, unsigned i, unsigned j,
		 unsigned dir, bool real)
{
	char from[4096], to[4096];

	slot_path(o, i, v[i].dir, from, sizeof(from));
	slot_path(o, j, dir, to, sizeof(to));
	if (real && rename(from, to))
		die("rename", from);
	v[j] = (struct slot){.there = true, .dir = dir, .data = v[i].data};
	if (i != j)
		v[i].there = false;
}

static void churn_step(const struct opts *o, struct slot *v, uint64_t step, bool real)
{
	uint64_t r = mix(o->seed ^ mix(step));
	unsigned i = (unsigned)(r % SLOTS), j = (unsigned)(r / SLOTS % SLOTS);
	unsigned dir = (unsigned)(r / SLOTS / SLOTS % o->dirs);
	char path[4096];

	if (!v[i].there) {
		v[i].dir = dir;
		put(o, i, &v[i], step, real);
		return;
	}
	switch (r >> 60 & 3) {
	case 0:
		put(o, i, &v[i], step, real);
		break;
	case 1:
		move(o, v, i, i, dir, real);
		break;
	case 2:
		/* Over the other file where it is, else into its name. */
		move(o, v, i, j, v[j].there ? v[j].dir : dir, real);
		break;
	default:
		slot_path(o, i, v[i].dir, path, sizeof(path));
		if (real && unlink(path))
			die("unlink", path);
		v[i].there = false;
	}
}

static void churn(const struct opts *o, bool real)
{
	static struct slot v[SLOTS];
	uint64_t w[WORDS], pass;
	char path[4096];

	for (unsigned d = 0; real && d < o->dirs; d++) {
		snprintf(path, sizeof(path), "%s/d%u", o->dir, d);
		if (mkdir(path, 0755) && errno != EEXIST)
			die("mkdir", path);
	}
	for (uint64_t step = 0; step < o->count; step++)
		churn_step(o, v, step, real);
	for (unsigned i = 0; !real && i < SLOTS; i++)
		for (unsigned d = 0; d < o->dirs; d++) {
			int fd CLEANUP(cleanup_closep) = -1;
			bool want = v[i].there && v[i].dir == d;

			slot_path(o, i, d, path, sizeof(path));
			fd = open(path, O_RDONLY | O_CLOEXEC);
			if ((fd >= 0) != want)
				wrong(path, 0, want ? "no such file" : "should be gone");
			if (want && (read(fd, w, BLOCK) != BLOCK ||
				     !matches(w, key_of(o, v[i].data, 0), &pass)))
				wrong(path, 0, "not what was written");
		}
}

static void temp(const struct opts *o)
{
	uint64_t w[WORDS];
	char path[4096];

	for (uint64_t i = 0; i < o->count; i++) {
		int fd CLEANUP(cleanup_closep) = -1;

		snprintf(path, sizeof(path), "%s/tmp%llu", o->dir, (unsigned long long)i);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		if (fd < 0)
			die("open", path);
		for (uint64_t b = 0; b < o->size / BLOCK; b++) {
			fill(w, key_of(o, i, b), 0);
			if (write(fd, w, BLOCK) != BLOCK)
				die("write", path);
		}
		if (unlink(path))
			die("unlink", path);
	}
}

static uint64_t number(const char *s)
{
	char *end;
	uint64_t n = strtoull(s, &end, 0);

	if (*end == 'k' || *end == 'm' || *end == 'g')
		n <<= *end == 'k' ? 10 : *end == 'm' ? 20 : 30, end++;
	if (end == s || *end) {
		fprintf(stderr, "dirty: not a number: %s\n", s);
		exit(2);
	}
	return n;
}

static void parse(struct opts *o, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:f:s:m:p:S:n:a")) != -1) {
		uint64_t n = c == 'm' || c == 'a' || c == '?' ? 0 : number(optarg);

		switch (c) {
		case 'd':
			o->dirs = (unsigned)n;
			break;
		case 'f':
			o->files = (unsigned)n;
			break;
		case 's':
			o->size = n;
			break;
		case 'm':
			o->mode = optarg;
			break;
		case 'p':
			o->passes = (unsigned)n;
			break;
		case 'S':
			o->seed = n;
			break;
		case 'n':
			o->count = n;
			break;
		case 'a':
			o->any = true;
			break;
		default:
			exit(2);
		}
	}
	o->dir = argv[optind];
}

int main(int argc, char **argv)
{
	struct opts o = {.dirs = 4,
			 .files = 4,
			 .passes = 1,
			 .size = 1 << 20,
			 .seed = 1,
			 .count = 1000,
			 .mode = "seq"};
	const char *what = argc > 1 ? argv[1] : "";

	parse(&o, argc - 1, argv + 1);
	if (!o.dir || !o.dirs || !o.files || !o.passes || o.size < BLOCK ||
	    o.size % BLOCK) {
		fprintf(stderr, "usage: see the top of tests/tools/dirty.c\n");
		return 2;
	}
	if (!strcmp(what, "write"))
		for (unsigned p = 0; p < o.passes; p++)
			for (unsigned f = 0; f < o.dirs * o.files; f++)
				write_file(&o, f, p);
	else if (!strcmp(what, "verify"))
		for (unsigned f = 0; f < o.dirs * o.files; f++)
			verify_file(&o, f);
	else if (!strcmp(what, "churn") || !strcmp(what, "churn-verify"))
		churn(&o, !strcmp(what, "churn"));
	else if (!strcmp(what, "temp"))
		temp(&o);
	else
		die("unknown command", what);
	return 0;
}

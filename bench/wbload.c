// SPDX-License-Identifier: GPL-2.0-or-later
/* wbload: writes sets of files in many ways, checks them, prints JSON. */
#include "bench/wbload.h"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "bench/pattern.h"
#include "common/cleanup.h"

static const struct mode {
	const char *name;
	int (*run)(struct worker *w); /* NULL: latency */
	const char *help;
} modes[] = {
	{"seq", mode_seq, "write each file from front to back"},
	{"rand", mode_rand, "write each 4 KiB block once, in random order"},
	{"append", mode_append, "let all files grow at once"},
	{"direct", mode_direct, "write past the page cache (O_DIRECT)"},
	{"overwrite", mode_overwrite, "4 KiB at random places for --seconds"},
	{"temp", mode_temp, "create --rate files/s, delete each after --life"},
	{"latency", NULL, "time of 4 KiB writes to file 0, by batches"},
	{"verify", mode_verify, "read everything back and check it"},
	{"dirty", mode_dirty, "how much of the files is dirty (cachestat)"},
	{"nothing", mode_nothing, "for --sync alone"},
};

static int usage(FILE *f)
{
	fputs("usage: wbload MODE [OPTIONS] DIR...\n"
	      "File i of a set is DIR[i modulo DIRs]/wNNNNNN.\n\nmodes:\n",
	      f);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		fprintf(f, "  %-10s %s\n", modes[i].name, modes[i].help);
	fputs("\noptions:\n"
	      "  --files N    files in the set (default: one per DIR)\n"
	      "  --size B     bytes of a file, with K, M or G (1M)\n"
	      "  --block B    bytes per write: seq, append, direct (256K)\n"
	      "  --threads N  (number of CPUs online)\n"
	      "  --seed N     (1)\n"
	      "  --seconds S  overwrite, temp (10)\n"
	      "  --rate R     writes or files per second (0: as fast as it goes)\n"
	      "  --life S     temp: age at which a file is deleted (0.5)\n"
	      "  --batches N --ops N  latency (15 batches of 20000 writes)\n"
	      "  --half       half noise, half zeros, as fio has it (text)\n"
	      "  --in-place   rand: overwrite the files that are there\n"
	      "  --keep-open  append: files are not closed between two writes\n"
	      "  --any-gen    verify: blocks may have been overwritten or be holes\n"
	      "  --sync       then sync(2), not with latency\n",
	      f);
	return f == stdout ? 0 : 2;
}

static int parse_number(const char *s, double *ret)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(s, &end);
	if (end == s || errno)
		return -EINVAL;
	switch (*end) {
	case 'G':
		v *= 1024; /* fall through */
	case 'M':
		v *= 1024; /* fall through */
	case 'K':
		v *= 1024;
		end++;
	}
	if (*end || !(v >= 0 && v <= 1e15))
		return -EINVAL;
	*ret = v;
	return 0;
}

enum {
	O_FILES = 1,
	O_SIZE,
	O_BLOCK,
	O_THREADS,
	O_SEED,
	O_SECONDS,
	O_RATE,
	O_LIFE,
	O_BATCHES,
	O_OPS,
	O_ANYGEN,
	O_HALF,
	O_INPLACE,
	O_KEEPOPEN,
	O_SYNC_AFTER
};
static const struct option options[] = {
	{"files", 1, NULL, O_FILES},
	{"size", 1, NULL, O_SIZE},
	{"block", 1, NULL, O_BLOCK},
	{"threads", 1, NULL, O_THREADS},
	{"seed", 1, NULL, O_SEED},
	{"seconds", 1, NULL, O_SECONDS},
	{"rate", 1, NULL, O_RATE},
	{"life", 1, NULL, O_LIFE},
	{"batches", 1, NULL, O_BATCHES},
	{"ops", 1, NULL, O_OPS},
	/* without a value */
	{"any-gen", 0, NULL, O_ANYGEN},
	{"half", 0, NULL, O_HALF},
	{"in-place", 0, NULL, O_INPLACE},
	{"keep-open", 0, NULL, O_KEEPOPEN},
	{"sync", 0, NULL, O_SYNC_AFTER},
	{0},
};

static void set_option(struct load *l, int c, double v)
{
	switch (c) {
	case O_FILES:
		l->files = (unsigned)v;
		break;
	case O_SIZE:
		l->size = (uint64_t)v;
		break;
	case O_BLOCK:
		l->block = (uint64_t)v;
		break;
	case O_THREADS:
		l->threads = (unsigned)v;
		break;
	case O_SEED:
		l->seed = (uint64_t)v;
		break;
	case O_SECONDS:
		l->seconds = v;
		break;
	case O_RATE:
		l->rate = v;
		break;
	case O_LIFE:
		l->life = v;
		break;
	case O_BATCHES:
		l->batches = (unsigned)v;
		break;
	case O_OPS:
		l->ops = (unsigned)v;
		break;
	case O_HALF:
		l->half = true;
		break;
	case O_INPLACE:
		l->in_place = true;
		break;
	case O_KEEPOPEN:
		l->keep_open = true;
		break;
	case O_ANYGEN:
		l->any_gen = true;
		break;
	case O_SYNC_AFTER:
		l->sync = true;
		break;
	}
}

/* Words after the mode into @l; 0 or -EINVAL, having said why. */
static int parse(int argc, char **argv, struct load *l)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		double v = 0;

		if (c == '?')
			return -EINVAL;
		if (optarg && parse_number(optarg, &v) < 0) {
			fprintf(stderr, "wbload: \"%s\" is not a number\n", optarg);
			return -EINVAL;
		}
		set_option(l, c, v);
	}
	l->dirs = argv + optind;
	l->n_dirs = (unsigned)(argc - optind);
	l->files = l->files ?: l->n_dirs;
	l->threads = MAX(1u, MIN(MIN(l->threads, l->files), 256u));
	if (!l->n_dirs || !l->block || l->block % PATTERN_BLOCK || !l->batches ||
	    !l->ops) {
		fputs("wbload: a DIR is missing, or --block is no multiple of 4096, or "
		      "--batches or --ops is 0\n",
		      stderr);
		return -EINVAL;
	}
	return 0;
}

struct start {
	const struct mode *m;
	struct worker w;
};

static void *run_worker(void *arg)
{
	struct start *s = arg;
	int r = s->m->run(&s->w);

	if (r < 0 && !s->w.error)
		s->w.error = r;
	return NULL;
}

/* Adds the workers up; 0 or the first error, having said it. */
static int collect(const struct start *s, unsigned n, struct worker *sum)
{
	for (unsigned t = 0; t < n; t++) {
		sum->bytes += s[t].w.bytes;
		sum->ops += s[t].w.ops;
		sum->files += s[t].w.files;
		sum->bad += s[t].w.bad;
		sum->dirty += s[t].w.dirty;
		sum->max_ns = MAX(sum->max_ns, s[t].w.max_ns);
		if (s[t].w.error && !sum->error) {
			sum->error = s[t].w.error;
			fprintf(stderr, "wbload: %s\n", s[t].w.where);
		}
	}
	return sum->error;
}

static int run_threads(const struct mode *m, const struct load *l, json_t *out)
{
	CLEANUP(cleanup_freep) pthread_t *id = calloc(l->threads, sizeof(*id));
	CLEANUP(cleanup_freep) struct start *s = calloc(l->threads, sizeof(*s));
	struct worker sum = {0};
	unsigned n = 0;
	int r = id && s ? 0 : -ENOMEM;

	for (; n < l->threads && !r; n++) {
		s[n] = (struct start){.m = m, .w = {.l = l, .index = n}};
		r = -pthread_create(&id[n], NULL, run_worker, &s[n]);
	}
	n -= r && n;
	for (unsigned t = 0; t < n; t++)
		pthread_join(id[t], NULL);
	if (!r)
		r = collect(s, n, &sum);
	json_object_set_new(out, "files", json_integer((json_int_t)sum.files));
	json_object_set_new(out, "bad", json_integer((json_int_t)sum.bad));
	json_object_set_new(out, "bytes", json_integer((json_int_t)sum.bytes));
	json_object_set_new(out, "ops", json_integer((json_int_t)sum.ops));
	json_object_set_new(out, "dirty", json_integer((json_int_t)sum.dirty));
	json_object_set_new(out, "max_ms", json_real((double)sum.max_ns / 1e6));
	return r ? r : (sum.bad ? -EILSEQ : 0);
}

int main(int argc, char **argv)
{
	struct load l = {.size = 1 << 20,
			 .block = 256 << 10,
			 .seed = 1,
			 .seconds = 10,
			 .life = 0.5,
			 .batches = 15,
			 .ops = 20000,
			 .threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN)};
	const struct mode *m = NULL;
	uint64_t t0;
	json_t *out;
	int r;

	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			m = &modes[i];
	if (!m)
		return usage(argc > 1 && !strcmp(argv[1], "--help") ? stdout : stderr);
	if (parse(argc - 1, argv + 1, &l) < 0)
		return 2;
	out = json_pack("{s:s}", "mode", m->name);
	if (!out)
		return 1;
	t0 = now_ns();
	r = m->run ? run_threads(m, &l, out) : mode_latency(&l, out);
	json_object_set_new(out, "seconds", json_real((double)(now_ns() - t0) / 1e9));
	if (l.sync && m->run) {
		t0 = now_ns();
		sync();
		json_object_set_new(out, "sync_seconds",
				    json_real((double)(now_ns() - t0) / 1e9));
	}
	json_dumpf(out, stdout, JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(out);
	return r < 0;
}

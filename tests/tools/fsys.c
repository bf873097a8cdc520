/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's eyes alone, for system tests: what it finds, as JSON.
 *   fsys scan          every file system, one object per line
 *   fsys plan          as wbd --dry-run prints it, without a configuration
 *   fsys group FILE... each file's group and how it was found, one object per line
 *   fsys swap          inodes that back swap
 *   fsys watch         a line "ready", then one "[mount points]" after each change
 */
#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "daemon/plan.h"

static void print(json_t *j)
{
	/* NULL: a name that is not UTF-8. */
	if (j)
		json_dumpf(j, stdout, JSON_COMPACT | JSON_SORT_KEYS);
	putchar('\n');
	fflush(stdout);
	json_decref(j);
}

static const char *const classes[] = {"local",  "network", "fuse", "stacked",
				      "memory", "pseudo",  "other"};
static const char *const kinds[] = {"hash", "xfs", "ext4"};
static const char *const bases[] = {"data", "inode", "hash", "realtime"};

static json_t *describe(const struct fsys *f)
{
	char dev[32];

	snprintf(dev, sizeof(dev), "%u:%u", major(f->dev), minor(f->dev));
	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:i,s:s,s:b,s:b,s:b,s:b,s:s,s:"
			 "i,s:I,s:s?}",
			 "dev", dev, "type", f->type, "target", f->target, "device",
			 f->device, "disk", f->bdev.name, "bdi", f->bdev.bdi, "members",
			 f->bdev.members, "rotational", f->bdev.rotational, "queue_depth",
			 (int)f->bdev.queue_depth, "class", classes[f->class], "readonly",
			 f->readonly, "snapshot", f->snapshot, "inode_unplaced",
			 f->geom.inode_unplaced, "realtime", f->has_realtime, "kind",
			 kinds[f->geom.kind], "groups", (int)f->geom.groups, "mnt_id",
			 (json_int_t)f->mnt_id, "geom_error", f->geom_error);
}

static int cmd_scan(const struct fsys_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		print(describe(t->v[i]));
	return 0;
}

static int cmd_plan(const struct fsys_table *t)
{
	struct conf c = {0};
	struct plan_env env = {.cpus = 8, .user_engine = true};
	struct plan *p;
	int r = plan_decide(t, &c, &env, &p);

	if (r < 0)
		return r;
	plan_print(p, stdout);
	plan_free(p);
	return 0;
}

static int group_of(const struct fsys_table *t, const char *path)
{
	int fd CLEANUP(cleanup_closep) = open(path, O_RDONLY | O_CLOEXEC);
	enum geom_basis basis = GEOM_BY_HASH;
	const struct fsys *f;
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	f = fsys_find(t, st.st_dev);
	if (!f)
		return -ENODEV;
	r = geom_of_fd(&f->geom, fd, st.st_ino, (uint64_t)st.st_size, &basis);
	if (r < 0)
		return r;
	print(json_pack("{s:s,s:I,s:i,s:s,s:i}", "file", path, "ino",
			(json_int_t)st.st_ino, "group", r, "basis", bases[basis],
			"inode_group", (int)geom_group_of_ino(&f->geom, st.st_ino)));
	return 0;
}

static int cmd_group(const struct fsys_table *t, int n, char **file)
{
	int r = 0;

	for (int i = 0; i < n && r == 0; i++)
		r = group_of(t, file[i]);
	return r;
}

static int cmd_swap(void)
{
	struct fsys_inode v[64];
	int n = fsys_swap_inodes("", v, ARRAY_SIZE(v));

	for (int i = 0; i < n; i++)
		printf("%u:%u %llu\n", major(v[i].dev), minor(v[i].dev),
		       (unsigned long long)v[i].ino);
	return n < 0 ? n : 0;
}

static void changed(void *arg)
{
	struct fsys_table *t;
	json_t *list = json_array();

	(void)arg;
	if (fsys_scan("", &t) == 0) {
		for (size_t i = 0; i < t->n; i++)
			json_array_append_new(list, json_string(t->v[i]->target));
		fsys_table_free(t);
	}
	print(list);
}

static void on_term(struct ev_loop *loop, ev_signal *s, int revents)
{
	(void)s;
	(void)revents;
	ev_break(loop, EVBREAK_ALL);
}

static int cmd_watch(void)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	struct fsys_watch *w;
	ev_signal term;
	int r;

	if (!loop)
		return -ENOMEM;
	r = fsys_watch_new(loop, changed, NULL, &w);
	if (r == 0) {
		ev_signal_init(&term, on_term, SIGTERM);
		ev_signal_start(loop, &term);
		puts("ready");
		fflush(stdout);
		ev_run(loop, 0);
		ev_signal_stop(loop, &term);
		fsys_watch_free(w);
	}
	ev_loop_destroy(loop);
	return r;
}

static int run(int argc, char **argv)
{
	struct fsys_table *t;
	int r;

	if (strcmp(argv[1], "swap") == 0)
		return cmd_swap();
	if (strcmp(argv[1], "watch") == 0)
		return cmd_watch();
	r = fsys_scan("", &t);
	if (r < 0)
		return r;
	if (strcmp(argv[1], "scan") == 0)
		r = cmd_scan(t);
	else if (strcmp(argv[1], "plan") == 0)
		r = cmd_plan(t);
	else if (strcmp(argv[1], "group") == 0)
		r = cmd_group(t, argc - 2, argv + 2);
	else
		r = -EINVAL;
	fsys_table_free(t);
	return r;
}

int main(int argc, char **argv)
{
	int r = argc < 2 ? -EINVAL : run(argc, argv);

	if (r < 0)
		fprintf(stderr, "fsys: %s\n", strerror(-r));
	return r < 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl status: file systems and their contexts, as a tree. */
#include <stdio.h>
#include <string.h>

#include "wbctl/wbctl.h"

#define N SCOLS_JSON_NUMBER
#define S SCOLS_JSON_STRING
#define B SCOLS_JSON_BOOLEAN
#define R SCOLS_FL_RIGHT

enum {
	NAME,
	TYPE,
	SOURCE,
	DEVICE,
	BDI,
	DISK,
	MANAGED,
	ENGINE,
	RULE,
	REASON,
	WHERE,
	KIND,
	GROUPS,
	GROUPLIST,
	CONTEXTS,
	CONTEXT,
	VIA,
	INODES,
	DIRTY,
	FLUSHED,
	RATE,
	QUEUED,
	INFLIGHT,
	EVENTS,
	GONE,
	HOT,
	ERRORS,
	LASTERROR,
	OVERFLOW,
	UNREACHABLE,
	MAP,
	ORDER,
};

static const struct column cols[] = {
	[NAME] = {"NAME", SCOLS_FL_TREE, S, true,
		  "mount point, or context of its device"},
	[TYPE] = {"TYPE", 0, S, true, "type of the file system"},
	[SOURCE] = {"SOURCE", 0, S, false, "what is mounted"},
	[DEVICE] = {"DEVICE", 0, S, false, "MAJ:MIN of the superblock"},
	[BDI] = {"BDI", 0, S, false, "backing device below /sys/class/bdi"},
	[DISK] = {"DISK", 0, S, false, "kernel name of the disk"},
	[MANAGED] = {"MANAGED", 0, B, true, "whether wb writes it back"},
	[ENGINE] = {"ENGINE", 0, S, true, "what writes it back: kernel or user"},
	[RULE] = {"RULE", 0, S, true, "the rule that decided, one word"},
	[REASON] = {"REASON", 0, S, false, "the rule in words"},
	[WHERE] = {"WHERE", 0, S, false, "file:line of the section that decided"},
	[KIND] = {"KIND", 0, S, false, "what groups are: xfs, ext4, hash"},
	[GROUPS] = {"GROUPS", R, N, true, "number of groups"},
	[GROUPLIST] = {"GROUPLIST", 0, S, false, "which groups: 1-57/8 is 1, 9, ... 57"},
	[CONTEXTS] = {"CONTEXTS", R, N, true, "number of contexts of the device"},
	[CONTEXT] = {"CONTEXT", R, N, false, "number of this context"},
	[VIA] = {"VIA", 0, S, false, "source of dirty inodes: trace or fanotify"},
	[INODES] = {"INODES", R, N, true, "inodes tracked"},
	[DIRTY] = {"DIRTY", R, N, true, "their dirty bytes at the last look"},
	[FLUSHED] = {"FLUSHED", R, N, true, "bytes written back since the start"},
	[RATE] = {"RATE", R, N, true, "bytes per second over the last seconds"},
	[QUEUED] = {"QUEUED", R, N, true, "inodes that wait to be written back"},
	[INFLIGHT] = {"INFLIGHT", R, N, false, "operations under way"},
	[EVENTS] = {"EVENTS", R, N, false, "notifications of dirty inodes"},
	[GONE] = {"GONE", R, N, false, "files deleted before they were written"},
	[HOT] = {"HOT", R, N, false, "times a hot range was left to cool"},
	[ERRORS] = {"ERRORS", R, N, false, "errors of write-back seen"},
	[LASTERROR] = {"LASTERROR", 0, S, false, "the last of them"},
	[OVERFLOW] = {"OVERFLOW", 0, B, false, "events were lost"},
	[UNREACHABLE] = {"UNREACHABLE", 0, B, false, "hidden by another mount"},
	[MAP] = {"MAP", 0, S, false, "kernel engine: group_map in force"},
	[ORDER] = {"ORDER", 0, S, false, "kernel engine: folio_order_max in force"},
};

static void add_context(struct table *t, struct libscols_line *parent, const json_t *c)
{
	struct libscols_line *l = table_row(t, parent);
	char name[32];

	snprintf(name, sizeof(name), "context %u", (unsigned)get_u64(c, "context"));
	table_text(t, l, NAME, name);
	table_number(t, l, CONTEXT, get_u64(c, "context"));
	table_number(t, l, GROUPS, get_u64(c, "groups"));
	table_text(t, l, GROUPLIST, get_str(c, "group_list"));
	table_number(t, l, INODES, get_u64(c, "inodes"));
	table_bytes(t, l, DIRTY, get_u64(c, "dirty_bytes"));
	table_bytes(t, l, FLUSHED, get_u64(c, "flushed_bytes"));
	table_bytes(t, l, RATE, get_u64(c, "rate"));
	table_number(t, l, QUEUED, get_u64(c, "queued"));
	table_number(t, l, INFLIGHT, get_u64(c, "in_flight"));
}

/* Sums that only the contexts have. */
static void add_sums(struct table *t, struct libscols_line *l, const json_t *contexts)
{
	uint64_t rate = 0, queued = 0, in_flight = 0;
	json_t *c;
	size_t i;

	json_array_foreach (contexts, i, c) {
		rate += get_u64(c, "rate");
		queued += get_u64(c, "queued");
		in_flight += get_u64(c, "in_flight");
	}
	table_bytes(t, l, RATE, rate);
	table_number(t, l, QUEUED, queued);
	table_number(t, l, INFLIGHT, in_flight);
}

static void add_identity(struct table *t, struct libscols_line *l, const json_t *f)
{
	table_text(t, l, NAME, get_str(f, "mount"));
	table_text(t, l, TYPE, get_str(f, "type"));
	table_text(t, l, SOURCE, get_str(f, "source"));
	table_text(t, l, DEVICE, get_str(f, "device"));
	table_text(t, l, BDI, get_str(f, "bdi"));
	table_text(t, l, DISK, get_str(f, "disk"));
	table_bool(t, l, MANAGED, get_bool(f, "managed"));
	table_color(t, l, MANAGED, get_bool(f, "managed") ? "green" : "yellow");
	table_text(t, l, ENGINE, get_str(f, "engine"));
	table_text(t, l, RULE, get_str(f, "rule"));
	table_text(t, l, REASON, get_str(f, "reason"));
	table_text(t, l, WHERE, get_str(f, "where"));
}

static void add_filesystem(struct table *t, const json_t *f)
{
	struct libscols_line *l = table_row(t, NULL);
	const json_t *contexts = json_object_get(f, "contexts");
	json_t *c;
	size_t i;

	add_identity(t, l, f);
	if (!get_bool(f, "managed"))
		return;
	/* Of others the daemon does not read the geometry. */
	table_text(t, l, KIND, get_str(f, "group_kind"));
	table_number(t, l, GROUPS, get_u64(f, "groups"));
	table_number(t, l, CONTEXTS, get_u64(f, "contexts_n"));
	table_text(t, l, VIA, get_str(f, "source_of_events"));
	table_number(t, l, INODES, get_u64(f, "inodes"));
	table_bytes(t, l, DIRTY, get_u64(f, "dirty_bytes"));
	table_bytes(t, l, FLUSHED, get_u64(f, "flushed_bytes"));
	table_number(t, l, EVENTS, get_u64(f, "events"));
	table_number(t, l, GONE, get_u64(f, "skipped_gone"));
	table_number(t, l, HOT, get_u64(f, "left_hot"));
	table_number(t, l, ERRORS, get_u64(f, "errors"));
	if (get_u64(f, "errors"))
		table_color(t, l, ERRORS, "red");
	table_text(t, l, LASTERROR, get_str(f, "last_error"));
	table_bool(t, l, OVERFLOW, get_bool(f, "overflow"));
	table_bool(t, l, UNREACHABLE, get_bool(f, "unreachable"));
	table_text(t, l, MAP, get_str(json_object_get(f, "kernel"), "group_map"));
	table_text(t, l, ORDER, get_str(json_object_get(f, "kernel"), "folio_order_max"));
	add_sums(t, l, contexts);
	json_array_foreach (contexts, i, c)
		add_context(t, l, c);
}

static void note(const char *what, const char *value, const char *rest)
{
	CLEANUP(cleanup_freep) char *safe = value ? escaped(value) : NULL;

	printf("Note: %s%s%s\n", what, safe ? safe : "", rest);
}

static void kernel_note(const json_t *f, const char *state, const char *what)
{
	const char *s = get_str(json_object_get(f, "kernel"), state);
	CLEANUP(cleanup_freep) char *mount = escaped(get_str(f, "mount"));

	if (!s || !strcmp(s, "ok"))
		return;
	if (!strcmp(s, "manual"))
		printf("Note: %s of %s was set by somebody else; wb leaves it alone.\n",
		       what, mount ? mount : "?");
	else
		printf("Note: %s of %s is not as planned (%s); see wbctl verify.\n", what,
		       mount ? mount : "?", s);
}

/* What is worse than it could be, each in one sentence below the table. */
static void print_notes(const json_t *st)
{
	const json_t *e = json_object_get(st, "engine");
	const json_t *list = json_object_get(st, "filesystems");
	json_t *f;
	size_t i;

	if (get_str(st, "reload_error"))
		note("the last reload was refused and the old configuration is in "
		     "force: ",
		     get_str(st, "reload_error"), "");
	if (get_str(e, "io_why"))
		note("worker threads instead of io_uring: ", get_str(e, "io_why"), ".");
	if (get_u64(e, "refused"))
		note("the limit of tracked inodes was reached; the kernel alone writes "
		     "the others back (max_inodes).",
		     NULL, "");
	json_array_foreach (list, i, f) {
		if (get_bool(f, "overflow"))
			note("events were lost on ", get_str(f, "mount"),
			     "; the kernel alone writes back what is not known.");
		if (get_bool(f, "unreachable"))
			note("", get_str(f, "mount"),
			     " is hidden by another mount and cannot be reached.");
		kernel_note(f, "contexts_state", "writeback_contexts");
		kernel_note(f, "group_map_state", "group_map");
		kernel_note(f, "folio_order_state", "folio_order_max");
		if (get_bool(f, "managed") && get_str(f, "group_error"))
			note("inodes are spread by a hash, because the geometry could "
			     "not "
			     "be read: ",
			     get_str(f, "group_error"), ".");
	}
}

static int run(const struct opts *o, int argc, char **argv)
{
	struct table t;
	json_t *st = NULL, *f;
	size_t i;
	int r;

	(void)argc;
	(void)argv;
	r = table_init(&t, o, "filesystems", cols, ARRAY_SIZE(cols));
	if (r != WBCTL_OK)
		return r;
	r = daemon_call(o, "io.writeback.Status", NULL, &st);
	if (r == WBCTL_OK) {
		json_array_foreach (json_object_get(st, "filesystems"), i, f)
			add_filesystem(&t, f);
		r = table_print(&t,
				json_pack("{sO* sO* sO* sO*}", "version",
					  json_object_get(st, "version"), "engine",
					  json_object_get(st, "engine"), "reloads",
					  json_object_get(st, "reloads"), "reload_error",
					  json_object_get(st, "reload_error")));
		if (r == WBCTL_OK && !o->json && !o->noheadings && !o->columns)
			print_notes(st);
	}
	json_decref(st);
	table_clear(&t);
	return r;
}

const struct command cmd_status = {
	.name = "status",
	.args = "",
	.help = "Shows file systems and their contexts (the default)",
	.run = run,
	.cols = cols,
	.n_cols = ARRAY_SIZE(cols),
};

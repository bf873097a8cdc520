// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl plan: what the daemon decided for each file system, and why. */
#include <stdio.h>

#include "common/units.h"
#include "daemon/knob.h"
#include "wbctl/wbctl.h"

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
	LABEL,
	KIND,
	GROUPS,
	GROUPLIST,
	CONTEXTS,
	CONTEXT,
	AFTER,
	AGE,
	COOL,
	STRIDE,
};

#define N SCOLS_JSON_NUMBER
#define S SCOLS_JSON_STRING
#define B SCOLS_JSON_BOOLEAN
#define R SCOLS_FL_RIGHT

static const struct column cols[] = {
	[NAME] = {"NAME", SCOLS_FL_TREE, S, true,
		  "mount point, or context of its device"},
	[TYPE] = {"TYPE", 0, S, true, "type of the file system"},
	[SOURCE] = {"SOURCE", 0, S, false, "what is mounted"},
	[DEVICE] = {"DEVICE", 0, S, false, "MAJ:MIN of the superblock"},
	[BDI] = {"BDI", 0, S, true, "backing device below /sys/class/bdi"},
	[DISK] = {"DISK", 0, S, false, "kernel name of the disk"},
	[MANAGED] = {"MANAGED", 0, B, true, "whether wb writes it back"},
	[ENGINE] = {"ENGINE", 0, S, true, "what writes it back: kernel or user"},
	[RULE] = {"RULE", 0, S, false, "the rule that decided, one word"},
	[REASON] = {"REASON", 0, S, true, "the rule in words"},
	[WHERE] = {"WHERE", 0, S, false, "file:line of the section that decided"},
	[LABEL] = {"LABEL", 0, S, false, "label of that section"},
	[KIND] = {"KIND", 0, S, false, "what groups are: xfs, ext4, hash"},
	[GROUPS] = {"GROUPS", R, N, true, "number of groups"},
	[GROUPLIST] = {"GROUPLIST", 0, S, true, "which groups: 1-57/8 is 1, 9, ... 57"},
	[CONTEXTS] = {"CONTEXTS", R, N, true, "number of contexts of the device"},
	[CONTEXT] = {"CONTEXT", R, N, false, "number of this context"},
	[AFTER] = {"AFTER", R, N, false, "dirty bytes after which an inode is flushed"},
	[AGE] = {"AGE", R, N, false, "milliseconds after which an inode is flushed"},
	[COOL] = {"COOL", R, N, false, "milliseconds after which a range is cold"},
	[STRIDE] = {"STRIDE", R, N, false, "bytes per operation"},
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
}

/* A setting that is off is null and stays empty. */
static void add_flush(struct table *t, struct libscols_line *l, const json_t *f)
{
	if (json_is_integer(json_object_get(f, "after")))
		table_bytes(t, l, AFTER, get_u64(f, "after"));
	if (json_is_integer(json_object_get(f, "age_ms")))
		table_number(t, l, AGE, get_u64(f, "age_ms"));
	if (json_is_integer(json_object_get(f, "cool_ms")))
		table_number(t, l, COOL, get_u64(f, "cool_ms"));
	if (json_is_integer(json_object_get(f, "stride")))
		table_bytes(t, l, STRIDE, get_u64(f, "stride"));
}

static void add_filesystem(struct table *t, const json_t *f)
{
	struct libscols_line *l = table_row(t, NULL);
	json_t *c;
	size_t i;

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
	table_text(t, l, LABEL, get_str(f, "label"));
	if (!get_bool(f, "managed"))
		return;
	/* Of others the daemon does not read the geometry. */
	table_text(t, l, KIND, get_str(f, "group_kind"));
	table_number(t, l, GROUPS, get_u64(f, "groups"));
	table_number(t, l, CONTEXTS, get_u64(f, "contexts_n"));
	add_flush(t, l, json_object_get(f, "flush"));
	json_array_foreach (json_object_get(f, "contexts"), i, c)
		add_context(t, l, c);
}

/* What is for the whole machine is nobody's to set but the administrator's. */
static json_t *proposals(const struct opts *o)
{
	struct knob_proposal p[2];
	json_t *list = json_array();
	struct knob_vm v;
	unsigned n = knob_vm_read("", &v) == 0 ? knob_vm_propose(&v, p) : 0;

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(
			list, json_pack("{ss sI sI ss}", "sysctl", p[i].name, "now",
					(json_int_t)p[i].now, "proposed",
					(json_int_t)p[i].proposed, "why", p[i].why));
	if (o->json)
		return json_pack("{so}", "proposals", list);
	json_decref(list);
	return NULL;
}

static void print_proposals(const struct opts *o)
{
	struct knob_proposal p[2];
	struct knob_vm v;
	unsigned n = 0;

	if (!o->json && !o->noheadings && !o->columns && knob_vm_read("", &v) == 0)
		n = knob_vm_propose(&v, p);
	for (unsigned i = 0; i < n; i++) {
		char now[UNITS_LEN];

		units_human_size(p[i].now, now);
		printf("%sProposed, not set: %s = %llu (now %s): %s.\n", i ? "" : "\n",
		       p[i].name, (unsigned long long)p[i].proposed, now, p[i].why);
	}
}

static int run(const struct opts *o, int argc, char **argv)
{
	struct table t;
	json_t *plan = NULL, *f;
	size_t i;
	int r;

	(void)argc;
	(void)argv;
	r = table_init(&t, o, "filesystems", cols, ARRAY_SIZE(cols));
	if (r != WBCTL_OK)
		return r;
	r = daemon_call(o, "io.writeback.Plan", NULL, &plan);
	if (r == WBCTL_OK) {
		json_array_foreach (json_object_get(plan, "filesystems"), i, f)
			add_filesystem(&t, f);
		r = table_print(&t, proposals(o));
		print_proposals(o);
	}
	json_decref(plan);
	table_clear(&t);
	return r;
}

const struct command cmd_plan = {
	.name = "plan",
	.args = "",
	.help = "Shows what was decided for each file system, and why",
	.run = run,
	.cols = cols,
	.n_cols = ARRAY_SIZE(cols),
};

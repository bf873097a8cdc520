// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl hints: who asked for what, and what of it took effect. */
#include <stdio.h>
#include <string.h>

#include "wbctl/wbctl.h"

enum {
	MOUNT,
	DEVICE,
	INODE,
	WRITE,
	FILE_SIZE,
	PROGRAM,
	PID,
	UID,
	AGE,
	IDLE,
	KEEP,
	EFFECTS
};

#define N SCOLS_JSON_NUMBER
#define S SCOLS_JSON_STRING
#define B SCOLS_JSON_BOOLEAN
#define R SCOLS_FL_RIGHT

static const struct column cols[] = {
	[MOUNT] = {"MOUNT", 0, S, true, "file system"},
	[DEVICE] = {"DEVICE", 0, S, false, "MAJ:MIN of the superblock"},
	[INODE] = {"INODE", R, N, true, "number of the file's inode (find -inum)"},
	[WRITE] = {"WRITE", R, N, true, "bytes of one run of writes"},
	[FILE_SIZE] = {"FILE", R, N, true, "bytes that the file will have"},
	[PROGRAM] = {"PROGRAM", 0, S, true, "name of the program that asked"},
	[PID] = {"PID", R, N, true, "its process"},
	[UID] = {"UID", R, N, true, "its user"},
	[AGE] = {"AGE", R, N, false, "seconds since it asked"},
	[IDLE] = {"IDLE", R, N, false, "seconds since the file was seen dirtied"},
	[KEEP] = {"KEEP", 0, B, true, "whether it outlives the program's connection"},
	[EFFECTS] = {"EFFECTS", 0, S, true, "what took effect"},
};

static void add_effects(struct table *t, struct libscols_line *l, const json_t *effects)
{
	char text[128] = "";
	json_t *e;
	size_t i;

	json_array_foreach (effects, i, e) {
		size_t n = strlen(text);

		if (get_bool(e, "in_force") && get_str(e, "name"))
			snprintf(text + n, sizeof(text) - n, "%s%s", n ? "," : "",
				 get_str(e, "name"));
	}
	table_text(t, l, EFFECTS, *text ? text : "none");
}

static void add_lease(struct table *t, const json_t *j)
{
	struct libscols_line *l = table_row(t, NULL);

	table_text(t, l, MOUNT, get_str(j, "mount"));
	table_text(t, l, DEVICE, get_str(j, "device"));
	table_number(t, l, INODE, get_u64(j, "inode"));
	if (get_u64(j, "write_size"))
		table_bytes(t, l, WRITE, get_u64(j, "write_size"));
	if (get_u64(j, "file_size"))
		table_bytes(t, l, FILE_SIZE, get_u64(j, "file_size"));
	table_text(t, l, PROGRAM, get_str(j, "program"));
	table_number(t, l, PID, get_u64(j, "pid"));
	table_number(t, l, UID, get_u64(j, "uid"));
	table_number(t, l, AGE, get_u64(j, "age_s"));
	table_number(t, l, IDLE, get_u64(j, "idle_s"));
	table_bool(t, l, KEEP, get_bool(j, "keep"));
	add_effects(t, l, json_object_get(j, "effects"));
}

static int run(const struct opts *o, int argc, char **argv)
{
	json_t *answer = NULL, *j;
	struct table t;
	size_t i;
	int r;

	(void)argc;
	(void)argv;
	r = table_init(&t, o, "leases", cols, ARRAY_SIZE(cols));
	if (r != WBCTL_OK)
		return r;
	r = daemon_call(o, "io.writeback.Hints", NULL, &answer);
	if (r == WBCTL_OK) {
		json_t *list = json_object_get(answer, "leases");

		json_array_foreach (list, i, j)
			add_lease(&t, j);
		r = table_print(&t, json_pack("{sO sO}", "count",
					      json_object_get(answer, "count"), "bytes",
					      json_object_get(answer, "bytes")));
		if (!o->json && get_u64(answer, "count") > json_array_size(list))
			complain("%zu of %llu hints are shown.", json_array_size(list),
				 (unsigned long long)get_u64(answer, "count"));
	}
	json_decref(answer);
	table_clear(&t);
	return r;
}

const struct command cmd_hints = {
	.name = "hints",
	.args = "",
	.help = "Shows who asked for what, and what took effect",
	.run = run,
	.cols = cols,
	.n_cols = ARRAY_SIZE(cols),
};

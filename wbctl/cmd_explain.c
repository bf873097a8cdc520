// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wbctl explain DEVICE: explain_device.c.  wbctl explain PATH: inode, the group of its
 * data, its context, and the rule that decided.  The file is opened here, so the kernel
 * checks that the caller may; the daemon only hears numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "daemon/geom.h"
#include "common/units.h"
#include "include/wb/uapi.h"
#include "wbctl/wbctl.h"

struct subject {
	const char *path;
	char device[32];
	struct stat st;
	struct geom geom;
	bool realtime;
	uint32_t group;
	enum geom_basis basis;
	bool asked; /* the kernel tells what it does: */
	struct fs_writeback_context now;
};

static const char *const basis_names[] = {
	[GEOM_BY_DATA] = "data",
	[GEOM_BY_INODE] = "inode",
	[GEOM_BY_HASH] = "hash",
	[GEOM_BY_REALTIME] = "realtime",
};

static const char *const basis_words[] = {
	[GEOM_BY_DATA] = "where most of its newest data lies",
	[GEOM_BY_INODE] = "that of the inode: no data is allocated yet",
	[GEOM_BY_HASH] = "by a hash of the inode's number",
	[GEOM_BY_REALTIME] = "by a hash: its data is on the realtime device",
};

static const char *kind_word(const char *kind)
{
	if (kind && !strcmp(kind, "xfs"))
		return "allocation group";
	if (kind && !strcmp(kind, "ext4"))
		return "flex group";
	return "bucket";
}

static int open_subject(struct subject *s)
{
	/* O_NONBLOCK: a FIFO must not wait for its writer. */
	int fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int r;

	if (fd < 0 || fstat(fd, &s->st) < 0) {
		complain("Cannot open %s: %s.", s->path, strerror(errno));
	} else if (!S_ISREG(s->st.st_mode) && !S_ISDIR(s->st.st_mode)) {
		complain("%s is not a regular file or directory: it has no dirty data.",
			 s->path);
	} else {
		r = device_of_fd(fd, s->device);
		if (r == 0)
			return fd;
		complain("Cannot find the file system of %s: %s.", s->path, strerror(-r));
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* On a kernel without contexts this is no call that it knows. */
static void ask_kernel(struct subject *s, int fd)
{
	s->asked = ioctl(fd, FS_IOC_WRITEBACK_CONTEXT_GET, &s->now) == 0;
}

static int ask_geometry(const struct opts *o, struct subject *s)
{
	json_t *g = NULL;
	const char *kind;
	int r = daemon_call(o, "io.writeback.Geometry",
			    json_pack("{ss}", "device", s->device), &g);

	if (r != WBCTL_OK)
		return r;
	kind = get_str(g, "kind");
	s->geom = (struct geom){
		.kind = kind && !strcmp(kind, "xfs")    ? GEOM_XFS
			: kind && !strcmp(kind, "ext4") ? GEOM_EXT4
							: GEOM_HASH,
		.groups = (uint32_t)get_u64(g, "groups"),
		.block_size = (uint32_t)get_u64(g, "block_size"),
		.group_blocks = get_u64(g, "group_blocks"),
		.first_block = get_u64(g, "first_block"),
		.group_inodes = get_u64(g, "group_inodes"),
		.ino_shift = (uint32_t)get_u64(g, "ino_shift"),
		.inode_unplaced = get_bool(g, "inode_unplaced"),
	};
	s->realtime = get_bool(g, "has_realtime");
	json_decref(g);
	/* What the arithmetic divides by, and how far it shifts. */
	if (!s->geom.groups || s->geom.ino_shift > 63 ||
	    (s->geom.kind != GEOM_HASH &&
	     (!s->geom.group_blocks || !s->geom.block_size)) ||
	    (s->geom.kind == GEOM_EXT4 && !s->geom.group_inodes)) {
		complain("The daemon's geometry of %s makes no sense.", s->device);
		return WBCTL_FAILED;
	}
	return WBCTL_OK;
}

static int find_group(struct subject *s, int fd)
{
	int g;

	if (S_ISDIR(s->st.st_mode)) {
		bool hash = s->geom.kind == GEOM_HASH || s->geom.inode_unplaced;

		s->basis = hash ? GEOM_BY_HASH : GEOM_BY_INODE;
		s->group = hash ? geom_bucket(&s->geom, s->st.st_ino)
				: geom_group_of_ino(&s->geom, s->st.st_ino);
		return WBCTL_OK;
	}
	g = geom_of_fd(&s->geom, fd, s->st.st_ino, (uint64_t)s->st.st_size, &s->basis);
	if (g < 0) {
		complain("Cannot find out where the data of %s lies: %s.", s->path,
			 strerror(-g));
		return WBCTL_FAILED;
	}
	s->group = (uint32_t)g;
	return WBCTL_OK;
}

static void print_line(const char *label, const char *text)
{
	CLEANUP(cleanup_freep) char *safe = escaped(text);

	printf("  %-12s%s\n", label, safe ? safe : "?");
}

static void print_state(const json_t *e)
{
	char text[160], bytes[UNITS_LEN], age[48];

	units_human_size(get_u64(e, "dirty_bytes"), bytes);
	human_ms(get_u64(e, "age_ms"), age);
	if (!get_bool(e, "tracked"))
		snprintf(text, sizeof(text), "not tracked: clean, as far as wb knows");
	else
		snprintf(text, sizeof(text), "%.40s, %s dirty at the last look, for %s",
			 get_str(e, "state") ? get_str(e, "state") : "tracked", bytes,
			 age);
	print_line("state", text);
}

static void print_hint(const json_t *h)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	char write[UNITS_LEN] = "-", file[UNITS_LEN] = "-";
	const char *where = get_str(h, "where"), *who = get_str(h, "who");
	const char *from = get_str(h, "from");

	if (get_u64(h, "write_size"))
		units_human_size(get_u64(h, "write_size"), write);
	if (get_u64(h, "file_size"))
		units_human_size(get_u64(h, "file_size"), file);
	if (asprintf(&text, "writes of %s, size %s: %s %s%s%s%s", write, file,
		     from && !strcmp(from, "rule") ? "rule" : "asked for by",
		     who ? who : "?", where ? " (" : "", where ? where : "",
		     where ? ")" : "") < 0)
		text = NULL;
	if (text)
		print_line("hint", text);
}

/* What the kernel says counts, whatever is planned. */
static void print_kernel(const struct subject *s, const json_t *e)
{
	const json_t *k = json_object_get(e, "kernel");
	char order[80] = "none asked for";
	const char *max = get_str(k, "folio_order_max");

	printf("  %-12s%u of %" PRIu64 " (%s)\n", "context", s->now.context,
	       get_u64(k, "contexts"),
	       s->now.flags & FS_WRITEBACK_CONTEXT_PINNED ? "pinned to it"
							  : "by the map");
	if (s->now.folio_order)
		snprintf(order, sizeof(order), "%u asked for", s->now.folio_order);
	printf("  %-12s%s, at most %.20s granted\n", "folio order", order,
	       max ? max : "?");
}

static void print_text(const struct subject *s, const json_t *e)
{
	CLEANUP(cleanup_freep) char *name = escaped(s->path), *text = NULL;
	const char *where = get_str(e, "where");
	bool managed = get_bool(e, "managed");

	printf("%s\n", name ? name : "?");
	if (asprintf(&text, "%s (%s on %s, %s)", get_str(e, "mount"), get_str(e, "type"),
		     get_str(e, "source"), s->device) < 0)
		return;
	print_line("file system", text);
	free(text);
	if (asprintf(&text, "%s: %s%s%s%s", managed ? "managed" : "not managed",
		     get_str(e, "reason"), where ? " (" : "", where ? where : "",
		     where ? ")" : "") < 0)
		return;
	print_line("rule", text);
	printf("  %-12s%" PRIu64 "\n", "inode", (uint64_t)s->st.st_ino);
	printf("  %-12s%" PRIu32 " of %" PRIu64 " (%s, %s)\n", "group", s->group,
	       get_u64(e, "groups"), kind_word(get_str(e, "group_kind")),
	       basis_words[s->basis]);
	if (!managed)
		return;
	print_line("engine", get_str(e, "engine") ? get_str(e, "engine") : "user");
	if (s->asked && json_is_object(json_object_get(e, "kernel"))) {
		print_kernel(s, e);
	} else {
		printf("  %-12s%" PRIu64 " of %" PRIu64 "\n", "context",
		       get_u64(e, "context"), get_u64(e, "contexts_n"));
		print_state(e);
	}
	if (json_is_object(json_object_get(e, "hint")))
		print_hint(json_object_get(e, "hint"));
}

/* Where the file is for rules by path; NULL if it has no name in UTF-8. */
static json_t *place_of(const char *path)
{
	CLEANUP(cleanup_freep) char *real = realpath(path, NULL);
	json_t *j = real ? json_string(real) : NULL;

	return j ? j : json_null();
}

static int print_explained(const struct opts *o, const struct subject *s, json_t *e)
{
	json_t *path;

	if (!o->json) {
		print_text(s, e);
		json_decref(e);
		return WBCTL_OK;
	}
	path = json_string(s->path);
	if (!path) { /* not UTF-8 */
		CLEANUP(cleanup_freep) char *safe = escaped(s->path);

		path = safe ? json_string(safe) : json_null();
	}
	json_object_set_new(e, "path", path);
	json_object_set_new(e, "device", json_string(s->device));
	json_object_set_new(e, "inode", json_integer((json_int_t)s->st.st_ino));
	json_object_set_new(e, "group_from", json_string(basis_names[s->basis]));
	json_object_set_new(
		e, "kernel_file",
		s->asked ? json_pack("{si sb si}", "context", (int)s->now.context,
				     "pinned",
				     !!(s->now.flags & FS_WRITEBACK_CONTEXT_PINNED),
				     "folio_order", (int)s->now.folio_order)
			 : json_null());
	return print_json(e);
}

static int run(const struct opts *o, int argc, char **argv)
{
	struct subject s = {.path = argv[0]};
	CLEANUP(cleanup_closep) int fd = -1;
	char device[64];
	json_t *e = NULL;
	int r;

	(void)argc;
	if (explain_is_device(argv[0], device))
		return explain_device(o, argv[0], device);
	fd = open_subject(&s);
	if (fd < 0)
		return WBCTL_FAILED;
	ask_kernel(&s, fd);
	r = ask_geometry(o, &s);
	if (r == WBCTL_OK)
		r = find_group(&s, fd);
	if (r == WBCTL_OK)
		r = daemon_call(o, "io.writeback.Explain",
				json_pack("{ss sI sI so}", "device", s.device, "inode",
					  (json_int_t)s.st.st_ino, "group",
					  (json_int_t)s.group, "path", place_of(s.path)),
				&e);
	return r == WBCTL_OK ? print_explained(o, &s, e) : r;
}

const struct command cmd_explain = {
	.name = "explain",
	.args = "PATH|DEVICE",
	.help = "Shows which context writes a file back, or how many a device has, and "
		"why",
	.run = run,
	.args_min = 1,
	.args_max = 1,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/* The one table of the configuration: everything else follows from it. */
#include <string.h>

#include "daemon/conf_table.h"

static const char *const engine_words[] = {"auto", "user", "none", "kernel", NULL};
static const char *const source_words[] = {"auto", "trace", "fanotify", NULL};
static const char *const io_words[] = {"auto", "uring", "threads", NULL};
static const char *const restore_words[] = {"on-stop", "on-disable", "never", NULL};
static const char *const tri_words[] = {"leave", "yes", "no", NULL};
static const char *const manage_words[] = {"auto", "yes", "no", NULL};

/* conf_type_word stores the index of the word: it must be the enum's value. */
_Static_assert(CONF_ENGINE_KERNEL == 3 && CONF_SOURCE_FANOTIFY == 2 &&
		       CONF_IO_THREADS == 2 && CONF_MANAGE_NO == 2 &&
		       CONF_RESTORE_NEVER == 2 && CONF_TRI_NO == 2,
	       "words and enums go together");

const struct conf_sect_info conf_sects[CONF_SECT_N] = {
	[CONF_SECT_ENGINE] = {"engine", false,
			      "What writes dirty files back, and how much of it runs at "
			      "once."},
	[CONF_SECT_FLUSH] = {"flush", false,
			     "When a dirty file is written back.  A [mount] section may "
			     "set each of these for one file system."},
	[CONF_SECT_API] = {"api", false, "The socket that wbctl talks to."},
	[CONF_SECT_KNOBS] = {"knobs", false,
			     "Kernel settings that the daemon writes: only those that a "
			     "key here or in a [knob] section gives."},
	[CONF_SECT_DEVICE] = {"device", true,
			      "One backing device and every file system on it."},
	[CONF_SECT_MOUNT] = {"mount", true, "One mounted file system."},
	[CONF_SECT_EXCLUDE] = {"exclude", true,
			       "File systems that are left alone.  All keys that are "
			       "given must match."},
	[CONF_SECT_HINT] = {"hint", true,
			    "What programs that say nothing themselves write.  All of "
			    "path, program and cgroup that are given must match; of "
			    "several sections that do, the one with most characters that "
			    "are no wildcard counts.  In a pattern * stands for any "
			    "characters but /, ** for any at all."},
	[CONF_SECT_KNOB] = {"knob", true,
			    "Kernel settings of one backing device.  What is not given "
			    "is left alone."},
};

#define KEY(s, k, t, strct, field)                                 \
	.sect = CONF_SECT_##s, .key = (k), .type = &conf_type_##t, \
	.offset = offsetof(struct strct, field)

const struct conf_key conf_keys[] = {
	{KEY(ENGINE, "mode", word, conf, engine), .words = engine_words, .def = "auto",
	 .values = "auto, user, none or kernel",
	 .help = "The engine.  user: the daemon writes back itself, on any kernel.  "
		 "kernel: the kernel does in contexts of its own, which the daemon sets "
		 "up; file systems for which it has none, or a kernel without them, are "
		 "left alone.  none: it only watches the mount table and manages "
		 "nothing.  auto: kernel where that is possible, else user."},
	{KEY(ENGINE, "contexts", count, conf, contexts), .min = 1,
	 .max = CONF_CONTEXTS_MAX, .automatic = true, .search = true, .def = "auto",
	 .values = "auto, search, or 1 to 64",
	 .help = "Contexts, that is flushers, per backing device.  auto: the number of "
		 "allocation groups or online CPUs, whichever is less, but at most 8.  "
		 "search: from 1 up to the number of allocation groups, the number that "
		 "writes most, found by measuring while dirty data piles up and "
		 "remembered for the device; 1 where the disk rotates."},
	{KEY(ENGINE, "in_flight", count, conf, in_flight), .min = 1, .max = 16,
	 .def = "2", .values = "1 to 16",
	 .help = "Operations that one context has under way at once."},
	{KEY(ENGINE, "source", word, conf, source), .words = source_words, .def = "auto",
	 .values = "auto, trace or fanotify",
	 .help = "How the daemon learns which inodes are dirty.  trace: the kernel's "
		 "writeback tracepoint, which costs a write nothing.  fanotify: a mark "
		 "on the file system.  auto: trace where the file system allows it, "
		 "else fanotify."},
	{KEY(ENGINE, "io", word, conf, io), .words = io_words, .def = "auto",
	 .values = "auto, uring or threads",
	 .help = "How operations are handed to the kernel.  auto: io_uring if it is "
		 "allowed, else a pool of threads."},
	{KEY(ENGINE, "cpu_affinity", bool, conf, cpu_affinity), .def = "no",
	 .values = "yes or no",
	 .help = "Whether each context keeps to a CPU of its own."},
	{KEY(ENGINE, "max_inodes", count, conf, max_inodes), .min = 1024, .max = 16 << 20,
	 .def = "1000000", .values = "1024 to 16777216",
	 .help = "Most inodes that are tracked at once.  Dirty inodes beyond that are "
		 "left to the kernel's own flusher."},

	{KEY(FLUSH, "after", size, conf, flush.after), .min = 4096, .max = 1ULL << 40,
	 .off = true, .def = "16M", .values = "4K to 1T, or off",
	 .help = "Dirty data of one file that sends it to its context.  off: the amount "
		 "does not count."},
	{KEY(FLUSH, "age", time, conf, flush.age_ms), .min = 10, .max = 86400000,
	 .off = true, .def = "5s", .values = "10ms to 24h, or off",
	 .help = "Time after which a file that is still dirty is sent to its context, "
		 "however little it holds.  off: age does not count."},
	{KEY(FLUSH, "cool", time, conf, flush.cool_ms), .min = 0, .max = 3600000,
	 .def = "2s", .values = "0s to 1h",
	 .help = "A range that was overwritten within this time is hot and left alone, "
		 "so that it is not written more often than without the daemon.  0s: "
		 "nothing is hot."},
	{KEY(FLUSH, "stride", size, conf, flush.stride), .min = 64 << 10, .max = 64 << 20,
	 .def = "4M", .values = "64K to 64M",
	 .help = "Bytes that one operation covers at most."},

	{KEY(API, "group", group, conf, api_group), .def = "wb",
	 .values = "the name of a group",
	 .help = "Members of this group, and root, may change things; reading is for "
		 "everyone."},
	{KEY(API, "connections", count, conf, api_connections), .min = 1, .max = 1000,
	 .def = "64", .values = "1 to 1000", .help = "Most clients at once."},

	{KEY(API, "hints", count, conf, api_hints), .min = 0, .max = 16 << 20,
	 .def = "1000000", .values = "0 to 16777216",
	 .help = "Most hints of applications that are kept at once.  One user may have "
		 "half of them."},

	{KEY(KNOBS, "restore", word, conf, restore), .words = restore_words,
	 .def = "on-stop", .values = "on-stop, on-disable or never",
	 .help = "When a setting gets back the value that was found.  on-stop: when the "
		 "daemon ends, or its key is taken out here.  on-disable: only when its "
		 "key is taken out.  never: not by the daemon.  A value that somebody "
		 "else has changed meanwhile is left alone in any case, and wbctl "
		 "rollback works in all cases."},
	{KEY(KNOBS, "exclude", names, conf, knobs_exclude),
	 .values = "names of settings, separated by commas",
	 .help = "Settings that are never written, whatever else is given: max_bytes, "
		 "min_bytes, strict_limit, read_ahead_kb, writeback_cpumask, and of the "
		 "kernel engine writeback_contexts, group_map, folio_order_max."},
	{KEY(KNOBS, "writeback_cpumask", cpumask, conf, cpumask),
	 .values = "a mask of CPUs in hexadecimal, such as f",
	 .help = "The CPUs on which the kernel's own flushers run: keeps write-back "
		 "away from CPUs that an application has to itself."},

	{KEY(DEVICE, "match", device, conf_device, match), .required = true,
	 .values = "a kernel name, MAJ:MIN, or a path below /dev",
	 .help = "The device: nvme0n1, 259:0, or /dev/disk/by-id/... (links are "
		 "followed)."},
	{KEY(DEVICE, "manage", word, conf_device, manage), .words = manage_words,
	 .def = "auto", .values = "auto, yes or no",
	 .help = "no: leave its file systems alone.  yes: manage them even where auto "
		 "would not, as on a rotational disk."},
	{KEY(DEVICE, "contexts", count, conf_device, contexts), .min = 1,
	 .max = CONF_CONTEXTS_MAX, .automatic = true, .search = true, .def = "auto",
	 .values = "auto, search, or 1 to 64",
	 .help = "Contexts of this device; auto: as [engine] contexts says.  search: "
		 "found by measuring."},

	{KEY(MOUNT, "path", path, conf_mount, path), .required = true,
	 .values = "an absolute path", .help = "The mount point, exactly."},
	{KEY(MOUNT, "manage", word, conf_mount, manage), .words = manage_words,
	 .def = "auto", .values = "auto, yes or no",
	 .help = "no: leave it alone.  yes: manage it even where auto would not."},
	{KEY(MOUNT, "flush_after", size, conf_mount, flush.after), .min = 4096,
	 .max = 1ULL << 40, .off = true, .inherit = "after", .values = "4K to 1T, or off",
	 .help = "As [flush] after."},
	{KEY(MOUNT, "flush_age", time, conf_mount, flush.age_ms), .min = 10,
	 .max = 86400000, .off = true, .inherit = "age", .values = "10ms to 24h, or off",
	 .help = "As [flush] age."},
	{KEY(MOUNT, "flush_cool", time, conf_mount, flush.cool_ms), .min = 0,
	 .max = 3600000, .inherit = "cool", .values = "0s to 1h",
	 .help = "As [flush] cool."},
	{KEY(MOUNT, "flush_stride", size, conf_mount, flush.stride), .min = 64 << 10,
	 .max = 64 << 20, .inherit = "stride", .values = "64K to 64M",
	 .help = "As [flush] stride."},

	{KEY(EXCLUDE, "path", pattern, conf_exclude, path),
	 .values = "an absolute path or a pattern",
	 .help = "Mount points, as a pattern of fnmatch(3); * matches / too."},
	{KEY(EXCLUDE, "device", device, conf_exclude, device),
	 .values = "a kernel name, MAJ:MIN, or a path below /dev",
	 .help = "The device, as [device] match."},
	{KEY(EXCLUDE, "type", fstype, conf_exclude, type),
	 .values = "the type of a file system", .help = "The type, such as xfs."},

	{KEY(HINT, "path", pattern, conf_hint, path),
	 .values = "an absolute path or a pattern",
	 .help = "Files, as /srv/backup/** for all below a folder."},
	{KEY(HINT, "program", program, conf_hint, program),
	 .values = "the name of a program, or a pattern",
	 .help = "The process that dirties the file, by its name as ps -o comm shows "
		 "it."},
	{KEY(HINT, "cgroup", pattern, conf_hint, cgroup),
	 .values = "a cgroup or a pattern",
	 .help = "Its control group, as /system.slice/backup.service."},
	{KEY(HINT, "write_size", size, conf_hint, write_size), .min = 4096,
	 .max = 1ULL << 30, .off = true, .def = "off", .values = "4K to 1G, or off",
	 .help = "The files are written in sequential runs of about so many bytes."},
	{KEY(HINT, "file_size", size, conf_hint, file_size), .min = 4096,
	 .max = 1ULL << 50, .off = true, .def = "off", .values = "4K to 1024T, or off",
	 .help = "The size that the files will have in the end."},

	{KEY(KNOB, "device", device, conf_knob, device), .required = true,
	 .values = "a kernel name, MAJ:MIN, or a path below /dev",
	 .help = "The device, as [device] match."},
	{KEY(KNOB, "max_bytes", size, conf_knob, max_bytes), .min = 1 << 20,
	 .max = 1ULL << 40, .off = true, .def = "off", .values = "1M to 1T, or off",
	 .help = "Dirty data that this device may have at most, so that a slow one "
		 "cannot fill the memory that all share.  Needs strict_limit = yes to "
		 "hold while there is room elsewhere."},
	{KEY(KNOB, "min_bytes", size, conf_knob, min_bytes), .min = 1 << 20,
	 .max = 1ULL << 40, .off = true, .def = "off", .values = "1M to 1T, or off",
	 .help = "Dirty data that this device may have in any case, however slow it "
		 "is beside others."},
	{KEY(KNOB, "strict_limit", word, conf_knob, strict_limit), .words = tri_words,
	 .def = "leave", .values = "leave, yes or no",
	 .help = "yes: writers to this device are throttled at its own limit, even if "
		 "little memory is dirty altogether."},
	{KEY(KNOB, "dirty_time", time, conf_knob, dirty_ms), .min = 5000, .max = 3600000,
	 .off = true, .def = "off", .values = "5s to 1h, or off",
	 .help = "As max_bytes, but as much as the device writes in this time by its "
		 "measured bandwidth, so that a sync of a slow disk takes no longer.  "
		 "Not below 16M.  max_bytes overrules it."},
	{KEY(KNOB, "read_ahead", size, conf_knob, read_ahead), .min = 4096,
	 .max = 1ULL << 30, .off = true, .def = "off", .values = "4K to 1G, or off",
	 .help = "Bytes read ahead.  Reads that come in large pieces leave the device "
		 "to write-back for longer at a time."},
};
const size_t conf_n_keys = ARRAY_SIZE(conf_keys);

const char *conf_engine_name(enum conf_engine e)
{
	return engine_words[e];
}

unsigned conf_key_index(const struct conf_key *k)
{
	unsigned i = 0;

	while (k > conf_keys && k[-1].sect == k->sect) {
		k--;
		i++;
	}
	return i;
}

const struct conf_key *conf_key_find(enum conf_sect sect, const char *key)
{
	for (size_t i = 0; i < conf_n_keys; i++)
		if (conf_keys[i].sect == sect && !strcmp(conf_keys[i].key, key))
			return &conf_keys[i];
	return NULL;
}

enum conf_sect conf_sect_find(const char *name)
{
	unsigned i = 0;

	while (i < CONF_SECT_N && strcmp(conf_sects[i].name, name))
		i++;
	return (enum conf_sect)i;
}

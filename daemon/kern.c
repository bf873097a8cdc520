// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel offers: see kern.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "daemon/fsys_sysfs.h"
#include "daemon/kern.h"

#define ENTRIES_MAX 4096 /* of KERN_DIR that are looked at */

/* ---- the ABI --------------------------------------------------------------- */

/*
 * Inodes stay in context 0 while memory or io is not on the v2 hierarchy.  A controller
 * that is not listed has no v1 any more, one with a hierarchy of 0 is on v2.
 */
static int controller(const char *root, const char *name, char *detail, size_t len)
{
	char text[4096];
	const char *line = text;
	size_t n = strlen(name);

	if (sysfs_read(root, text, sizeof(text), "proc/cgroups") < 0)
		return 0;
	for (; line; line = strchr(line, '\n')) {
		unsigned hierarchy, groups, enabled;

		line += *line == '\n';
		if (strncmp(line, name, n) || line[n] != '\t' ||
		    sscanf(line + n, "%u %u %u", &hierarchy, &groups, &enabled) != 3)
			continue;
		if (hierarchy == 0 && enabled)
			return 0;
		(void)snprintf(detail, len, "the cgroup controller %s is %s", name,
			       enabled ? "on a v1 hierarchy" : "switched off");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int may_write(const char *root, const char *dev, char *detail, size_t len)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" KERN_DIR "/%s/group_map", root, dev) >=
		    (int)sizeof(path) ||
	    access(path, W_OK) == 0)
		return 0;
	(void)snprintf(detail, len, "/" KERN_DIR " cannot be written: %s",
		       strerror(errno));
	return errno == ENOENT ? 0 : -errno;
}

/* Every file system tells the version; they are all of one kernel. */
static int check_entry(const char *root, const char *dev, char *detail, size_t len)
{
	uint64_t abi;
	int r = sysfs_u64(root, &abi, KERN_DIR "/%s/abi", dev);

	if (r == -ENOENT)
		return 0; /* unmounted just now */
	if (r < 0) {
		(void)snprintf(detail, len, "/" KERN_DIR "/%s/abi makes no sense", dev);
		return -EPROTO;
	}
	if (abi != WB_KERNEL_ABI) {
		(void)snprintf(detail, len,
			       "the kernel's ABI is version %" PRIu64
			       ", this wb knows %d: it is left alone",
			       abi, WB_KERNEL_ABI);
		return -EPROTO;
	}
	return may_write(root, dev, detail, len);
}

int kern_probe(const char *root, char *detail, size_t len)
{
	CLEANUP(cleanup_freep) char(*names)[SYSFS_NAME] = NULL;
	size_t n;
	int r;

	if (!sysfs_exists(root, KERN_DIR))
		return -ENOENT;
	r = controller(root, "memory", detail, len);
	if (r == 0)
		r = controller(root, "blkio", detail, len);
	names = calloc(ENTRIES_MAX, sizeof(*names));
	if (!names)
		return -ENOMEM;
	n = sysfs_list(root, names, ENTRIES_MAX, KERN_DIR);
	for (size_t i = 0; i < n && r == 0; i++)
		r = check_entry(root, names[i], detail, len);
	if (r == 0)
		(void)snprintf(detail, len, "ABI %d, %zu file systems", WB_KERNEL_ABI, n);
	return r;
}

/* ---- one file system ---------------------------------------------------------- */

uint64_t kern_dir_id(const char *root, const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	/* sysfs never gives the number of a folder that is gone to another one. */
	if (snprintf(path, sizeof(path), "%s/%s/%s", root, folder, name) >=
		    (int)sizeof(path) ||
	    stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	return st.st_ino;
}

unsigned kern_contexts(const char *root, const char *bdi)
{
	uint64_t n;

	if (!sysfs_name_ok(bdi) ||
	    sysfs_u64(root, &n, "sys/class/bdi/%s/writeback_contexts", bdi) < 0)
		return 0;
	return n <= GMAP_CONTEXTS ? (unsigned)n : GMAP_CONTEXTS;
}

static void read_map(const char *root, const char *dev, struct kern_fs *f)
{
	char text[GMAP_TEXT];
	int n = sysfs_read(root, text, sizeof(text), KERN_DIR "/%s/group_map", dev);

	/* What fills the buffer was cut off: it could not be given back. */
	f->map_known =
		n >= 0 && n < (int)sizeof(text) - 2 && gmap_parse(text, &f->map) == 0;
}

/* Nothing in sysfs tells; iomap's users have had them for long, ext4 since 6.16. */
static bool has_large_folios(const char *root, const struct fsys *fs)
{
	unsigned major, minor;
	char release[80];

	if (!sysfs_exists(root, "sys/kernel/mm/transparent_hugepage"))
		return false;
	if (!strcmp(fs->type, "xfs"))
		return true;
	return !strcmp(fs->type, "ext4") &&
	       sysfs_read(root, release, sizeof(release), "proc/sys/kernel/osrelease") >
		       0 &&
	       sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 16));
}

static void scan_one(const char *root, const struct fsys *fs, struct kern_fs *f)
{
	char dev[32], bdi[SYSFS_NAME] = "";
	uint64_t abi, groups, max, order;

	(void)snprintf(dev, sizeof(dev), "%u:%u", major(fs->dev), minor(fs->dev));
	f->id = kern_dir_id(root, KERN_DIR, dev);
	if (!f->id || sysfs_u64(root, &abi, KERN_DIR "/%s/abi", dev) < 0 ||
	    abi != WB_KERNEL_ABI ||
	    sysfs_read(root, bdi, sizeof(bdi), KERN_DIR "/%s/bdi", dev) <= 0 ||
	    !sysfs_name_ok(bdi) || strcmp(bdi, fs->bdev.bdi) != 0 ||
	    sysfs_u64(root, &max, "sys/class/bdi/%s/writeback_contexts_max", bdi) < 0)
		return;
	f->bdi_id = kern_dir_id(root, KERN_BDI_DIR, bdi);
	f->contexts = kern_contexts(root, bdi);
	f->contexts_max = max <= GMAP_CONTEXTS ? (unsigned)max : GMAP_CONTEXTS;
	if (sysfs_u64(root, &groups, KERN_DIR "/%s/groups", dev) == 0 &&
	    groups <= UINT32_MAX)
		f->groups = (uint32_t)groups;
	if (sysfs_u64(root, &order, KERN_DIR "/%s/folio_order_max", dev) == 0 &&
	    order <= 63)
		f->order_max = (unsigned)order;
	read_map(root, dev, f);
	f->large_folios = has_large_folios(root, fs);
	f->usable = f->contexts && f->contexts_max && f->bdi_id &&
		    kern_dir_id(root, KERN_DIR, dev) == f->id;
}

int kern_scan(const char *root, const struct fsys_table *t, struct kern_state *ret)
{
	struct kern_state s = {.v = calloc(t->n + 1, sizeof(*s.v)), .n = t->n};

	if (!s.v)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i]->class == FSYS_LOCAL)
			scan_one(root, t->v[i], &s.v[i]);
	*ret = s;
	return 0;
}

void kern_state_clear(struct kern_state *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].load);
	free(s->v);
	*s = (struct kern_state){0};
}

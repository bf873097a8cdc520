// SPDX-License-Identifier: GPL-2.0-or-later
/* What kind of file system a type is. */
#include <string.h>
#include <sys/sysmacros.h>

#include "daemon/fsys_int.h"

static bool in(const char *const *list, const char *s)
{
	for (; *list; list++)
		if (strcmp(*list, s) == 0)
			return true;
	return false;
}

/* Other machines write to these too; beside what libmount knows. */
static const char *const network[] = {
	"nfs",       "nfs4",     "cifs",     "smb3",  "smbfs",  "ceph",   "9p",   "afs",
	"glusterfs", "lustre",   "orangefs", "pvfs2", "coda",   "beegfs", "gpfs", "gfs2",
	"ocfs2",     "virtiofs", "vboxsf",   "ncpfs", "vmhgfs", NULL,
};
static const char *const stacked[] = {
	"overlay", "overlayfs", "ecryptfs", "aufs", "unionfs", "shiftfs", NULL,
};
static const char *const memory[] = {"tmpfs", "ramfs", "hugetlbfs", NULL};
/* Not in every libmount's list. */
static const char *const pseudo[] = {
	"bpf",       "fusectl", "devtmpfs", "binder",  "nfsd",   "rootfs", "dax",
	"secretmem", "pidfs",   "nsfs",     "cgroup2", "autofs", NULL,
};
/* Local file systems whose device number is their own, not a disk's. */
static const char *const own_number[] = {"btrfs", "bcachefs", NULL};

enum fsys_class fsys_classify(const struct fsys_mount *m)
{
	if (strcmp(m->type, "fuse") == 0 || strcmp(m->type, "fuseblk") == 0 ||
	    strncmp(m->type, "fuse.", 5) == 0)
		return FSYS_FUSE;
	if (m->netfs || in(network, m->type))
		return FSYS_NETWORK;
	if (in(stacked, m->type))
		return FSYS_STACKED;
	if (in(memory, m->type))
		return FSYS_MEMORY;
	if (m->pseudofs || in(pseudo, m->type))
		return FSYS_PSEUDO;
	return major(m->dev) != 0 || in(own_number, m->type) ? FSYS_LOCAL : FSYS_OTHER;
}

bool fsys_has_option(const char *options, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = options; p && *p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '=' || !p[n]))
			return true;
	}
	return false;
}

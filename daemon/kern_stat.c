// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel's contexts do. */
#include <errno.h>

#include "daemon/fsys_sysfs.h"
#include "daemon/kern.h"

int kern_ctx_stat(const char *root, const char *bdi, unsigned context,
		  struct kern_ctx_stat *ret)
{
	static const char *const files[] = {"inodes", "dirty_kb", "writeback_kb",
					    "written_kb", "bandwidth_kbps"};
	uint64_t v[ARRAY_SIZE(files)];

	if (!sysfs_name_ok(bdi))
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int r = sysfs_u64(root, &v[i], "sys/class/bdi/%s/writeback_context/%u/%s",
				  bdi, context, files[i]);

		if (r < 0)
			return r;
		if (i)
			v[i] = v[i] > UINT64_MAX >> 10 ? UINT64_MAX : v[i] << 10;
	}
	*ret = (struct kern_ctx_stat){v[0], v[1], v[2], v[3], v[4]};
	return 0;
}

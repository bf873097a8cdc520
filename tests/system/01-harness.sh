#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The tests' own means do what they say: bad sectors, denied system calls, cleanliness.
set -eu
. "$(dirname "$0")/../lib.sh"

# deny: the named call fails with the named errno, others do not.
status=0
"$WB_TOOLS/deny" cachestat=ENOSYS -- "$WB_TOOLS/cached" "$0" || status=$?
[ $status -eq 77 ] || wb_fail "cachestat was not denied (status $status)"
status=0
"$WB_TOOLS/deny" io_uring_setup=EPERM -- true || wb_fail "deny broke true"
"$WB_TOOLS/deny" nonsense=EPERM -- true 2>/dev/null && wb_fail "deny took nonsense"

for type in xfs ext4 btrfs; do
	wb_has_fs $type || {
		wb_note "no $type here"
		continue
	}
	mnt=$(wb_mkfs $type 1G)
	head -c 1M /dev/urandom >"$mnt/file"
	if dirty=$(wb_dirty_bytes "$mnt"); then
		[ "$dirty" -ge 1048576 ] || wb_fail "$type: $dirty dirty bytes seen, not 1 MiB"
		sync -f "$mnt"
		wb_is_clean "$mnt" || wb_fail "$type: dirty after sync"
	fi
	[ -n "$("$WB_TOOLS/extents" "$mnt/file")" ] || [ $type = btrfs ] ||
		wb_fail "$type: no extents"
	wb_umount "$mnt"
done

# Bad sectors under one file: its fsync fails, another's does not, and it can be mended.
for type in xfs ext4; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs_bad $type 512)
	wb_bad_file "$mnt" bad 4
	wb_bad_on
	dd if=/dev/zero of="$mnt/bad" bs=4k count=16 conv=notrunc,fsync status=none \
		2>/dev/null && wb_fail "$type: fsync on bad sectors succeeded"
	dd if=/dev/zero of="$mnt/good" bs=4k count=16 conv=fsync status=none ||
		wb_fail "$type: a good file fails"
	wb_bad_off
	dd if=/dev/zero of="$mnt/bad" bs=4k count=16 conv=notrunc,fsync status=none ||
		wb_fail "$type: the mended sectors fail"
	wb_bad_done "$mnt"
done

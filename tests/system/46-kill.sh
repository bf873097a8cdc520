#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL at any moment, and a restart over what it left: nothing is lost, nothing is in
# the way (lock, socket), nothing is held.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 2G)
	dev=$(wb_dev "$mnt")
	while read -r source io; do
		wb_note "$type $source $io"
		mkdir "$mnt/a" "$mnt/b"
		"$WB_TOOLS/dirty" write -m rand -d 8 -f 4 -s 1m -p 6 "$mnt/a" &
		writer=$!
		"$WB_TOOLS/dirty" churn -n 100000 "$mnt/b" &
		churner=$!
		for _ in 1 2 3 4 5; do
			wb_start_way "$source" "$io" "$mnt" flush.after=64K flush.age=10ms \
				flush.cool=0s
			sleep "0.$((RANDOM % 5))$((RANDOM % 10))" # any moment
			kill -KILL "$WB_PID"
			{ wait "$WB_PID" || true; } 2>/dev/null
		done
		wait "$writer" "$churner" || wb_fail "a writer failed"
		# Killed for good: file systems can be unmounted at once, the data is there.
		umount "$mnt" || wb_fail "a dead daemon keeps $mnt busy"
		echo 3 >/proc/sys/vm/drop_caches
		mount "$dev" "$mnt"
		"$WB_TOOLS/dirty" verify -m rand -d 8 -f 4 -s 1m -p 6 "$mnt/a" ||
			wb_fail "$type: data lost"
		"$WB_TOOLS/dirty" churn-verify -n 100000 "$mnt/b" || wb_fail "$type: churn"
		rm -r "${mnt:?}"/a "${mnt:?}"/b
	done < <(wb_ways $type)
done

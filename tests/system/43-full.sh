#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A full file system: writers get ENOSPC as they always do, what was accepted is safe,
# and `wbctl sync` has nothing to complain about.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(WB_AGS=4 wb_mkfs $type 512M)
	while read -r source io; do
		wb_note "$type $source $io"
		wb_start_way "$source" "$io" "$mnt" flush.after=256K flush.age=50ms \
			flush.cool=0s
		"$WB_TOOLS/dirty" write -d 4 -f 2 -s 4m -S 7 "$mnt"
		mkdir "$mnt/fill"
		pids=()
		for i in 1 2 3 4; do
			"$WB_TOOLS/dirty" write -m append -d 1 -f 8 -s 64m -S "$i" \
				"$mnt/fill" 2>"$WB_TMP/writer-$i.log" &
			pids+=($!)
			mkdir -p "$mnt/fill"
		done
		full=0
		for p in "${pids[@]}"; do
			wait "$p" || full=$((full + 1))
		done
		[ $full -gt 0 ] || wb_fail "it did not become full"
		grep -q 'No space left' "$WB_TMP"/writer-*.log || wb_fail "not ENOSPC"
		wb_ctl sync "$mnt" >/dev/null || wb_fail "wbctl sync on a full file system"
		wb_answers || wb_fail "the daemon does not answer any more"
		wb_stop
		wb_remount_cold "$mnt"
		"$WB_TOOLS/dirty" verify -d 4 -f 2 -s 4m -S 7 "$mnt" || wb_fail "data lost"
		rm -rf "${mnt:?}"/d* "${mnt:?}/fill"
	done < <(wb_ways $type)
	wb_umount "$mnt"
done

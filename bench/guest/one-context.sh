#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What buffered writes and their writeback cost with the one context that every kernel has.
#
#	one-context.sh ROUNDS WRITES FILES FS...
#
# For a guest whose clock counts instructions (run -i).  One line for each round on each file system,
# nanoseconds per write or file: WRITES of 4 KiB at random places of a cached file of 64 MiB, the sync
# after them, and FILES new files of 4 KiB with a sync.  The disk is null_blk, which is done when it is
# asked, so nothing waits.  One round more than ROUNDS warms up.  At last the new files are read back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
rounds=$1 writes=$2 files=$3
shift 3
one=(--files 1 --size 64M)
many=(--files "$files" --size 4K --threads 1)
mnt=/tmp/mnt
mkdir $mnt
no_writeback_yet

# shellcheck disable=SC2016 # jq's names
round() { # FS NUMBER
	local wrote synced created
	find $mnt/many -type f -delete
	sync
	sleep 5 # what goes on in the background has ended, and idling is skipped
	wrote=$("$wbload" latency "${one[@]}" --batches 1 --ops "$writes" --seed $(($2 + 1)) $mnt/one)
	synced=$("$wbload" nothing --sync $mnt/one)
	created=$("$wbload" seq "${many[@]}" --sync $mnt/many)
	[ "$2" = 0 ] || line --arg fs "$1" --argjson w "$wrote" --argjson s "$synced" \
		--argjson c "$created" --argjson n "$writes" --argjson f "$files" \
		'{fs: $fs, write: $w.ns_median, sync: ($s.sync_seconds * 1e9 / $n),
		  file: (($c.seconds + $c.sync_seconds) * 1e9 / $f)} | .both = .write + .sync'
}

for fs in "$@"; do
	bench_disk "nullb-$fs" 320 0
	case $fs in
	xfs) mkfs.xfs -q -f -K "$DEV" ;;
	ext4) mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$DEV" ;;
	esac
	mount -t "$fs" "$DEV" $mnt
	for contexts in /sys/class/bdi/*/writeback_contexts; do
		[ ! -e "$contexts" ] || expect "$contexts" "$(cat "$contexts")" 1
	done
	mkdir $mnt/one $mnt/many
	"$wbload" seq "${one[@]}" --sync $mnt/one >/dev/null
	for ((r = 0; r <= rounds; r++)); do
		round "$fs" $r
	done
	umount $mnt
	echo 3 >/proc/sys/vm/drop_caches
	mount -t "$fs" "$DEV" $mnt
	"$wbload" verify "${many[@]}" $mnt/many
	umount $mnt
	check_fs "$fs" "$DEV"
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Eight writers that the kernel throttles, with the kernel's contexts set in several ways: in turns.
#
#	writers.sh ROUNDS SECONDS MIB DEVICE "WAY..."
#
# Each writer overwrites a file of so many MIB, 4 KiB at random, for SECONDS; the files lie in the
# eight AGs of XFS.  DEVICE is a null_blk, "fast" (requests are complete when they are submitted) or
# "slow" (it takes one request at a time, 1 ms each).
# A WAY is "none" (no wbd), "auto" (wbd without a configuration of its own), or a number of contexts
# (wbd is told it).  One round more than ROUNDS warms up.  Each line: the way, bytes per second of
# the writers until all is down, the longest single write, contexts, engine, the daemon's share of a
# CPU.  At last all is read back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../groups.sh
. "$(dirname "$0")/../groups.sh"
wb_fail() { fail "$@"; }

rounds=$1 seconds=$2 mib=$3 device=$4
read -r -a ways <<<"$5"
set=(--files 8 --size "${mib}M" --threads 8)
wbctl=("$BUILD/wbctl" --socket /run/wb/io.writeback)

status() # FILTER
{
	"${wbctl[@]}" -J status | jq -r ".filesystems[] | select(.name == \"$MNT\") | $1"
}
manages() { [ "$(status .engine 2>/dev/null)" = kernel ]; }

start_wbd() # auto|CONTEXTS
{
	printf '[engine]\ncontexts = %s\nmode = kernel\n' "$1" >/tmp/wb.conf
	"$BUILD/wbd" --config /tmp/wb.conf --runtime-dir /run/wb --state-dir /tmp/state >>/tmp/wbd.log 2>&1 &
	wbd=$!
	wait_until manages
}

stop_wbd()
{
	kill -TERM "$wbd"
	wait "$wbd" || fail "wbd ended with status $?: $(tail -5 /tmp/wbd.log)"
}

# CPU time of the daemon, in ticks of 10 ms.
ticks() { awk '{ print $14 + $15 }' "/proc/$wbd/stat"; }

measure() # WAY SEED
{
	local loaded used=0 engine=none contexts
	sync
	if [ "$1" != none ]; then
		start_wbd "$1"
		engine=$(status .engine)
		used=$(ticks)
	fi
	contexts=$(cat "$bdi/writeback_contexts")
	loaded=$("$wbload" overwrite "${set[@]}" --seconds "$seconds" --seed "$2" --sync "${DIRS[@]}")
	if [ "$1" != none ]; then
		used=$(($(ticks) - used))
		stop_wbd
	fi
	[ "$(cat "$bdi/writeback_contexts")" = 1 ] || fail "the contexts were not given back"
	# shellcheck disable=SC2016 # jq's names
	[ "$2" = 0 ] || line --arg way "$1" --argjson l "$loaded" --argjson c "$contexts" \
		--arg engine "$engine" --argjson used "$used" \
		'($l.seconds + $l.sync_seconds) as $s |
		 {way: $way, rate: ($l.bytes / $s), sync: $l.sync_seconds, max_ms: $l.max_ms,
		  contexts: $c, engine: $engine, cpu: ($used / 100 / $s)}'
}

case $device in
fast) bench_disk nullb-bench 1024 0 ;;
slow) BENCH_QUEUES=1 BENCH_DEPTH=1 bench_disk nullb-bench 1024 1000000 ;;
esac
mkfs.xfs -q -f -K -d agcount=8 "$DEV"
mount_fs xfs "$DEV"
MNT=$mnt
trap 'tail -20 /tmp/wbd.log' EXIT
bench_dirs "$(inodes_per_group_xfs)"
"$wbload" seq "${set[@]}" "${DIRS[@]}" >/dev/null
sync
echo $((16 << 20)) >/proc/sys/vm/dirty_background_bytes
echo $((32 << 20)) >/proc/sys/vm/dirty_bytes
for ((r = 0; r <= rounds; r++)); do
	for ((i = 0; i < ${#ways[@]}; i++)); do
		measure "${ways[(i + r) % ${#ways[@]}]}" $r
	done
done
umount "$MNT"
echo 3 >/proc/sys/vm/drop_caches
mount_fs xfs "$DEV"
"$wbload" verify "${set[@]}" --any-gen "${DIRS[@]}"
umount "$MNT"
check_fs xfs "$DEV"
trap - EXIT

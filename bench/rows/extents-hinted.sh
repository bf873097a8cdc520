#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Eight files that grow in turn, 64 KiB at a time: extents with hints and without.
set -eu
. "$(dirname "$0")/../lib.sh"

bench_ram_disk 3G
MNT=$(wb_mkfs_on "$DEV" xfs -K)
export WB_SOCKET=$WB_RUN/io.writeback

# Prints the extents of each file.
grow() # with|without
{
	local dir=$MNT/$1-$2 opt=()
	mkdir "$dir"
	[ "$1" = without ] || opt=(--hint)
	"$BUILD/libwb_append" "${opt[@]}" "$dir" 8 $((64 << 10)) $((64 << 20)) >&2
	sync -f "$MNT"
	filefrag "$dir"/* | awk '{ print $(NF - 2) }'
	rm -r "$dir"
	sync -f "$MNT"
}

# Little may be dirty, so that much is allocated while the files still grow.
bench_sysctl vm.dirty_background_bytes $((4 << 20))
bench_sysctl vm.dirty_bytes $((16 << 20))
daemon_start </dev/null
A=() B=() worse=0 high=0 low=999999
for ((r = 1; r <= RUNS; r++)); do
	mapfile -t a < <(grow without $r)
	mapfile -t b < <(grow with $r)
	A+=("$(calc %.2f s/8 "s=$((${a[*]/%/+}0))")")
	B+=("$(calc %.2f s/8 "s=$((${b[*]/%/+}0))")")
	for i in "${!a[@]}"; do
		[ "${b[i]}" -le "${a[i]}" ] || worse=$((worse + 1))
	done
	for i in "${a[@]}"; do
		[ "$i" -le "$high" ] || high=$i
		[ "$i" -ge "$low" ] || low=$i
	done
	wb_note "without ${a[*]}; with ${b[*]}"
done
daemon_stop
value=$(calc %.2f 'a / b' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
result extents-hinted "$value" "times fewer extents" ">= 4 where > 8; never more" \
	"$(is_met 'w == 0 && (v >= 4 || m <= 8)' "w=$worse" "v=$value" "m=$(median "${A[@]}")")" \
	"8 files of 64 MiB on XFS, appended to in turn, 64 KiB at a time; wb_hint_write_size
of 8 MiB and wb_hint_file_size of 64 MiB on each when it is empty. Extents per file:
without hints $(spread %.1f "${A[@]}") (a file $low to $high), with them $(spread %.1f "${B[@]}");
files that came out worse: $worse. The daemon runs in both cases, settings as shipped; vm.dirty_bytes is 16 MiB.
With the kernel's own limits so little is one extent in either case: allocation waits until a file is complete."

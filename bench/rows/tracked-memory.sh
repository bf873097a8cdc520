#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory for a million tracked inodes, and what a look-up among them costs.
set -eu
. "$(dirname "$0")/../lib.sh"

# A file of one byte holds a page, an inode and their radix trees: 6 KiB or so.
files=${BENCH_FILES:-1000000}
room=$(awk '/^MemAvailable/ { print int($2 / 10) }' /proc/meminfo)
if [ "$files" -gt "$room" ]; then
	wb_note "memory is short: $room files instead of $files"
	files=$room
fi

# Nothing may be written back while it is counted.
bench_sysctl vm.dirty_background_bytes $((files * 16384))
bench_sysctl vm.dirty_bytes $((files * 32768))
bench_sysctl vm.dirty_expire_centisecs 360000

rss() # in bytes
{
	awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$WB_PID/status"
}

tracked()
{
	wb_ctl -J status | jq '[.. | objects | .engine? // empty | .inodes? // empty] | max // 0'
}

table_bytes()
{
	wb_ctl -J status | jq '[.. | objects | .table_bytes? // empty] | max // 0'
}

# The daemon reads its events a moment after they happen.
settled()
{
	local n
	n=$(tracked)
	sleep 0.5
	[ "$n" -gt 0 ] && [ "$(tracked)" -eq "$n" ]
}

bench_ram_disk 8G
bench_fs xfs
daemon_start <<<$'[engine]\nmax_inodes = 1000000\n[flush]\nafter = off\nage = off\n'
before=$(rss)
load seq --files "$files" --size 1
wb_wait_for 60 settled
n=$(tracked) after=$(rss) table=$(table_bytes)
daemon_stop

# Instructions per operation, counted by valgrind: no clock, no noise.
instructions() # OPERATION ENTRIES
{
	local with without
	with=$(itab_count "$1" "$2")
	without=$(itab_count none "$2")
	calc %.0f '(w - o) / 100000' "w=$with" "o=$without"
}

itab_count()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$BUILD/itab_bench" "$1" "$2" 2>&1 |
		awk '/Collected/ { print $NF }'
}

A=() B=()
costs="was not counted: there is no valgrind"
flat=true
if command -v valgrind >/dev/null; then
	for op in find add; do
		small=$(instructions $op 10000)
		mid=$(instructions $op 100000)
		large=$(instructions $op 1000000)
		costs="${costs##was*}${costs:+ }$op $small, $mid, $large;"
		costs=${costs# }
		[ "$(is_met 'l <= 1.5 * s' "l=$large" "s=$small")" = true ] || flat=false
	done
fi
each=$(calc %.1f '(a - b) / n' "a=$after" "b=$before" "n=$n")
B=("$each")
met=$(is_met 'e <= 96 && f && n >= 0.99 * w' "e=$each" "f=$([ $flat = true ]; echo $((!$?)))" \
	"n=$n" "w=1000000")
result tracked-memory "$each" "bytes per inode" "<= 96; look-up O(1)" "$met" \
	"$n inodes tracked of $files files made; RSS $((before >> 10)) KiB before, $((after >> 10)) KiB
after; the table alone $(calc %.1f 't / n' "t=$table" "n=$n") bytes each. Instructions per operation
with 10 thousand, 100 thousand, 1 million entries: $costs"

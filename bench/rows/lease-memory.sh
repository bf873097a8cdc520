#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Memory for a million hints, and what a look-up among them costs.
set -eu
. "$(dirname "$0")/../lib.sh"

hints=${BENCH_HINTS:-1000000}
each=$("$BUILD/lease_bench" none "$hints")

# Instructions per operation, counted by valgrind: no clock, no noise.
instructions() # OPERATION ENTRIES
{
	local with without
	with=$(lease_count "$1" "$2")
	without=$(lease_count none "$2")
	calc %.0f '(w - o) / 100000' "w=$with" "o=$without"
}

lease_count()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$BUILD/lease_bench" "$1" "$2" 2>&1 |
		awk '/Collected/ { print $NF }'
}

A=() B=("$each")
costs="was not counted: there is no valgrind"
flat=1
if command -v valgrind >/dev/null; then
	costs=
	for op in find put; do
		small=$(instructions $op 10000)
		large=$(instructions $op "$hints")
		costs+=" $op $small, $large;"
		[ "$(is_met 'l <= 1.5 * s' "l=$large" "s=$small")" = true ] || flat=0
	done
fi
result lease-memory "$each" "bytes per hint" "<= 200; look-up O(1)" \
	"$(is_met 'e <= 200 && f' "e=$each" f=$flat)" \
	"$hints hints of 50 connections, memory as malloc counts it. Instructions per operation with
10 thousand and $hints hints:$costs"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A runtime folder that cannot be used: the start is refused in one sentence that names
# it and says why.
set -eu
. "$(dirname "$0")/../lib.sh"

conf=$(wb_set engine.contexts=4)
refuses() # DIR PATTERN
{
	local status=0
	timeout 20 "$WBD" --config "$conf" --runtime-dir "$1" >"$WB_TMP/out.log" 2>&1 ||
		status=$?
	[[ $status -ne 0 && $status -ne 124 ]] || wb_fail "$1: status $status"
	[ "$(wc -l <"$WB_TMP/out.log")" -eq 1 ] || {
		cat "$WB_TMP/out.log"
		wb_fail "$1: not one sentence"
	}
	grep -qF "$1" "$WB_TMP/out.log" || wb_fail "$1: not named: $(cat "$WB_TMP/out.log")"
	wb_says "$WB_TMP/out.log" "$2"
}

mkdir "$WB_TMP/ro"
mount -t tmpfs -o ro wb-ro "$WB_TMP/ro"
wb_defer wb_umount "$WB_TMP/ro"
refuses "$WB_TMP/ro" 'read-only'
refuses "$WB_TMP/ro/below" 'read-only'

: >"$WB_TMP/file"
refuses "$WB_TMP/file" 'not a directory'

# Full: the pid cannot be written, or the socket not made.
mkdir "$WB_TMP/full"
mount -t tmpfs -o nr_inodes=1 wb-full "$WB_TMP/full"
wb_defer wb_umount "$WB_TMP/full"
refuses "$WB_TMP/full" 'no space'

# The path of a socket has a limit.
long=$WB_TMP/$(printf 'x%.0s' {1..120})
mkdir "$long"
refuses "$long" 'long'

# Something else where the lock or the socket should be.
mkdir -p "$WB_TMP/taken/wbd.lock"
refuses "$WB_TMP/taken" 'directory'
mkdir -p "$WB_TMP/taken2/io.writeback"
refuses "$WB_TMP/taken2" 'not a socket'

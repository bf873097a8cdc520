#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An idle daemon sleeps: wake-ups of all its threads in a minute, and its memory.
set -eu
. "$(dirname "$0")/../lib.sh"

seconds=${BENCH_SECONDS:-60}
bench_ram_disk 3G
bench_fs xfs
daemon_start </dev/null
load seq --files 8 --size 1M
wb_ctl sync "$MNT" >/dev/null

switches() # of all threads, voluntary or not
{
	cat "/proc/$WB_PID/task"/*/status | awk '/ctxt_switches/ { n += $2 } END { print n }'
}

threads()
{
	find "/proc/$WB_PID/task" -mindepth 1 -maxdepth 1 | wc -l
}

# Idle begins when a second passes without a wake-up (worker threads have ended).
quiet()
{
	local n
	n=$(switches)
	sleep 1
	[ "$(switches)" -eq "$n" ]
}
wb_wait_for 60 quiet || wb_note "never quiet for a second within a minute"

A=() B=()
before=$(switches)
sleep "$seconds"
wake=$(($(switches) - before))
rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$WB_PID/status")
calls=0
if command -v strace >/dev/null; then
	timeout -s INT "$seconds" strace -qq -f -c -U calls -o "$WB_TMP/calls" -p "$WB_PID" || true
	calls=$(awk '$1 ~ /^[0-9]+$/ { n = $1 } END { print n + 0 }' "$WB_TMP/calls")
fi
B=("$wake")
met=$(is_met 'w == 0 && r < 8192' "w=$wake" "r=$rss")
result idle "$wake" "wake-ups in $seconds s" "0; RSS < 8 MiB" "$met" \
	"RSS $rss KiB, $(threads) threads, one XFS managed, no watchdog asked for; under strace
for as long again: $calls system calls."

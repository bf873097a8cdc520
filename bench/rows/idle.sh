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

# "thread switches" for each thread; a switch is a wake-up, voluntary or not.
switches()
{
	awk '/^Pid/ { p = $2 } /ctxt_switches/ { n[p] += $2 } END { for (p in n) print p, n[p] }' \
		"/proc/$WB_PID/task"/*/status | sort
}

# Wake-ups since BEFORE; a thread that is gone woke up to end.
woken() # BEFORE
{
	{
		echo "$1"
		echo --
		switches
	} | awk '$1 == "--" { later = 1; next } !later { was[$1] = $2; next }
		{ n += $2 - was[$1]; delete was[$1] }
		END { for (p in was) n++; print n + 0 }'
}

threads()
{
	find "/proc/$WB_PID/task" -mindepth 1 -maxdepth 1 | wc -l
}

# Idle begins when no inode is tracked any more (a clean one lingers for half a minute
# after its last write) and its workers have ended and a second passes without a wake-up.
forgotten()
{
	wb_ctl -J status | jq -e '[.. | objects | .inodes? // 0] | max == 0'
}

quiet()
{
	local before
	before=$(switches)
	sleep 1
	[ "$(woken "$before")" -eq 0 ]
}
quiet_alone()
{
	[ "$(threads)" -eq 1 ] && quiet
}
wb_wait_for 120 forgotten || wb_note "inodes are still tracked after two minutes"
wb_wait_for 60 quiet_alone || wb_note "never quiet for a second within a minute"

A=() B=()
before=$(switches)
sleep "$seconds"
wake=$(woken "$before")
rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$WB_PID/status")
calls=0
if command -v strace >/dev/null; then
	timeout -s INT "$seconds" strace -qq -f -c -U calls,name -o "$WB_TMP/calls" -p "$WB_PID" || true
	calls=$(awk '$2 == "total" { n = $1 } END { print n + 0 }' "$WB_TMP/calls")
fi
B=("$wake")
met=$(is_met 'w == 0 && r < 8192' "w=$wake" "r=$rss")
result idle "$wake" "wake-ups in $seconds s" "0; RSS < 8 MiB" "$met" \
	"RSS $rss KiB, $(threads) threads, one XFS managed, no watchdog asked for; under strace
for as long again: $calls system calls
(the interrupted wait counts as one)."

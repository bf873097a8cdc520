#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The demo, with small files, keeps its promise for machines: its last line.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

# As a user starts it: not within this test's name space and clean-up, and with signals
# that a job in the background would ignore.
alone=(env -u WB_NS -u WB_TMP -u WB_RUN --default-signal)

"${alone[@]}" DEMO_MIB=8 DEMO_RUNS=1 "$WB_TOP/bench/demo.sh" >"$WB_TMP/demo.log" 2>&1
last=$(tail -n 1 "$WB_TMP/demo.log")
[[ $last =~ ^RESULT\ drain_ratio=[0-9]+\.[0-9]+\ extents_ratio=[0-9]+\.[0-9]+\ files_ok=([0-9]+)/([0-9]+)$ ]] ||
	wb_fail "the last line is \"$last\""
if [ "${BASH_REMATCH[1]}" -eq 0 ] || [ "${BASH_REMATCH[1]}" != "${BASH_REMATCH[2]}" ]; then
	wb_fail "not every file is what was written: $last"
fi

# Interrupted at some moment: it ends, and tests/run sees whether anything is left.
wb_end_demo() # PID
{
	kill -TERM -- "-$1" 2>/dev/null || return 0
	wb_wait_for 30 wb_dead "$1"
}

for signal in TERM INT HUP; do
	"${alone[@]}" DEMO_MIB=16 setsid "$WB_TOP/bench/demo.sh" >"$WB_TMP/cut.log" 2>&1 &
	pid=$!
	wb_defer wb_end_demo $pid
	wb_wait_for 60 grep -q 'kernel alone' "$WB_TMP/cut.log"
	kill -"$signal" -- "-$pid"
	wait $pid && wb_fail "it went on after SIG$signal"
	! grep -q RESULT "$WB_TMP/cut.log" || wb_fail "it claims a result after SIG$signal"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wbctl: its exit codes, JSON, and that sync means what syncfs means.
# timeout: 200
set -eu
. "$(dirname "$0")/../lib.sh"

code() # WANTED ARG...
{
	local want=$1 got=0
	shift
	wb_ctl "$@" >"$WB_TMP/out" 2>"$WB_TMP/err" || got=$?
	[ "$got" -eq "$want" ] ||
		wb_fail "wbctl $*: status $got, not $want: $(cat "$WB_TMP/out" "$WB_TMP/err")"
}

mnt=$(wb_mkfs xfs 1G)

# ---- without a daemon ----
mkdir -p "$WB_RUN"
code 3 status
code 3 plan
code 3 explain "$mnt"
code 3 monitor
code 0 features
code 0 sync "$mnt"
grep -q 'does not run' "$WB_TMP/err" || wb_fail "sync did not say that no daemon runs"
code 2 nonsense
code 2 status extra
code 2 status -o NONSENSE
code 2 status --timeout 3
code 2 sync --timeout soon
code 0 --help
code 0 status --help
printf '[flush]\nnonsense = 1\n' >"$WB_TMP/bad.conf"
code 1 config check "$WB_TMP/bad.conf"
grep -q 'bad.conf:2' "$WB_TMP/err" || wb_fail "no file:line: $(cat "$WB_TMP/err")"
code 0 config check "$(wb_conf </dev/null)"

# ---- with one ----
wb_start "$(wb_set engine.contexts=4)"
wb_wait_for 20 wb_managed "$mnt"
for cmd in status plan features "config show" version; do
	# shellcheck disable=SC2086
	code 0 -J $cmd
	[ "$(jq .schema "$WB_TMP/out")" = 1 ] || wb_fail "$cmd: no schema 1"
done
code 0 -J status
[ "$(jq -r --arg m "$mnt" '.filesystems[] | select(.name == $m) |
	"\(.managed) \(.contexts | type) \(.children | length)"' "$WB_TMP/out")" = \
	"true number 4" ] || wb_fail "status -J: $(cat "$WB_TMP/out")"
code 0 status --noheadings -o NAME,MANAGED
grep -q '^NAME' "$WB_TMP/out" && wb_fail "headings in spite of --noheadings"

# A name that would be obeyed by a terminal, and one that is not UTF-8.
evil=$mnt/$'a\e[31mb\xff'
head -c 8M /dev/urandom >"$evil"
code 0 explain "$evil"
grep -q $'\e' "$WB_TMP/out" && wb_fail "an escape sequence went through"
grep -q 'context' "$WB_TMP/out" || wb_fail "explain: $(cat "$WB_TMP/out")"
code 0 -J explain "$evil"
[ "$(jq -r '.group_from, .inode' "$WB_TMP/out" | tail -1)" = "$(stat -c %i "$evil")" ] ||
	wb_fail "explain -J: $(cat "$WB_TMP/out")"
code 1 explain "$mnt/missing"
mkfifo "$mnt/fifo"
code 1 explain "$mnt/fifo"

code 0 sync "$mnt"
wb_is_clean "$mnt" || wb_fail "dirty after wbctl sync"
head -c 8M /dev/urandom >"$mnt/more"
code 0 -J sync "$mnt"
[ "$(jq -r '.sync[0] | "\(.drained) \(.result)"' "$WB_TMP/out")" = "true ok" ] ||
	wb_fail "sync -J: $(cat "$WB_TMP/out")"
wb_is_clean "$mnt" || wb_fail "dirty after wbctl sync"
code 4 sync "$mnt" "$mnt/missing"
code 1 sync "$mnt/missing"
code 0 sync "$WB_TMP"
grep -q 'not managed' "$WB_TMP/err" || wb_fail "not a word about what is not managed"

# ---- a stream ends with its reader, or with the daemon ----
wb_ctl -J monitor >"$WB_TMP/events" 2>/dev/null &
monitor=$!
wb_wait_for 20 grep -q listening "$WB_TMP/events"
head -c 8M /dev/urandom >"$mnt/third"
code 0 sync "$mnt"
wb_wait_for 20 grep -q '"event":"flush"' "$WB_TMP/events"
jq -e .schema "$WB_TMP/events" >/dev/null || wb_fail "monitor -J is not JSON lines"
head -c 8M /dev/urandom >"$mnt/fourth"
wb_ctl monitor 2>"$WB_TMP/err" | head -1 >/dev/null &
reader=$!
wb_wait_for 20 sh -c "$WBCTL --socket $WB_RUN/io.writeback sync $mnt; echo x >>$mnt/fourth; \
	! kill -0 $reader 2>/dev/null"
[ ! -s "$WB_TMP/err" ] || wb_fail "a reader that went was complained of"
wb_stop
wait $monitor || wb_fail "monitor ended with status $?"

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
chmod 755 "$WB_TMP"
setpriv --reuid=65534 --regid=65534 --clear-groups -- "$WBCTL" --socket "$WB_RUN/io.writeback" \
	features >"$WB_TMP/out" 2>"$WB_TMP/err" || wb_fail "features of a user: $(cat "$WB_TMP/err")"
wb_says "$WB_TMP/out" '^FEATURE .* ERROR$'
wb_says "$WB_TMP/out" '^open-by-handle +no .*Operation not permitted'
code 0 sync "$mnt"
grep -q 'does not run' "$WB_TMP/err" || wb_fail "sync did not say that no daemon runs"
code 2 nonsense
code 2 status extra
code 2 status -o NONSENSE
code 2 status --timeout 3
code 2 sync --timeout soon
code 2 --socket '' status
for list in '' NONSENSE; do
	code 2 sync -o "$list" "$mnt"
	grep -q column "$WB_TMP/err" || wb_fail "sync -o '$list': $(cat "$WB_TMP/err")"
done
grep -q 'kernel alone' "$WB_TMP/err" && wb_fail "it went on in spite of a wrong column"
code 0 --help
code 0 status --help
for cmd in --help version "features -J" features; do
	status=0
	# shellcheck disable=SC2086
	wb_ctl $cmd >/dev/full 2>"$WB_TMP/err" || status=$?
	[ "$status $(tail -1 "$WB_TMP/err")" = \
		"1 wbctl: cannot write the output: No space left on device" ] ||
		wb_fail "$cmd >/dev/full: $status: $(cat "$WB_TMP/err")"
	status=0
	# shellcheck disable=SC2086
	wb_ctl $cmd >&- 2>"$WB_TMP/err" || status=$?
	[ "$status $(tail -1 "$WB_TMP/err")" = \
		"1 wbctl: cannot write the output: Bad file descriptor" ] ||
		wb_fail "$cmd >&-: $status: $(cat "$WB_TMP/err")"
done
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
# Also where nothing happens any more: the first line is the only one.
code 0 sync "$mnt"
mkfifo "$WB_TMP/pipe"
wb_ctl monitor "$mnt" >"$WB_TMP/pipe" 2>"$WB_TMP/err" &
reader=$!
head -1 "$WB_TMP/pipe" >/dev/null
wb_wait_for 20 wb_dead $reader
wait $reader || wb_fail "monitor without a reader ended with status $?"
[ ! -s "$WB_TMP/err" ] || wb_fail "a reader that went was complained of"

# ---- a daemon that does not answer ----
kill -STOP "$WB_PID"
status=0
wb_ctl sync --timeout 1 "$mnt" 2>"$WB_TMP/err" || status=$?
head -c 1M /dev/urandom >"$mnt/fifth"
wb_ctl sync "$mnt" 2>"$WB_TMP/err2" || wb_fail "sync with a stopped daemon: status $?"
kill -CONT "$WB_PID"
[ $status -eq 5 ] || wb_fail "status $status: $(cat "$WB_TMP/err")"
grep -q 'did not answer in time' "$WB_TMP/err" || wb_fail "$(cat "$WB_TMP/err")"
grep -q 'the daemon does not answer' "$WB_TMP/err2" || wb_fail "$(cat "$WB_TMP/err2")"
wb_is_clean "$mnt" || wb_fail "dirty after a sync without the daemon"
wb_stop
wait $monitor || wb_fail "monitor ended with status $?"

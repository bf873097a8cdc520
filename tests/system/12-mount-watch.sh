#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mounting and unmounting are noticed while they happen, many at once too.
set -eu
. "$(dirname "$0")/../lib.sh"

out=$WB_TMP/watch.log
"$WB_TOOLS/fsys" watch >"$out" &
pid=$!
wb_defer wb_kill_daemon $pid
wb_wait_for 10 grep -qx ready "$out"

sees() # MOUNTPOINT: the last line has it
{
	tail -n 1 "$out" | jq -e --arg t "$1" 'index($t) != null'
}

misses()
{
	tail -n 1 "$out" | jq -e --arg t "$1" 'index($t) == null'
}

mnt=$(wb_mkfs ext4 64M)
wb_wait_for 10 sees "$mnt"
wb_umount "$mnt"
wb_wait_for 10 misses "$mnt"

for i in $(seq 50); do
	mkdir "$WB_TMP/m$i"
	mount -t tmpfs many "$WB_TMP/m$i"
done
wb_wait_for 10 sees "$WB_TMP/m50"
sees "$WB_TMP/m1" >/dev/null || wb_fail "the first of many is missing"
for i in $(seq 50); do
	umount "$WB_TMP/m$i"
done
wb_wait_for 10 misses "$WB_TMP/m50"

# It is woken by mounts only.
lines=$(wc -l <"$out")
ticks=$(awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$pid/status")
head -c 4M /dev/urandom >"$WB_TMP/something"
sync -f "$WB_TMP"
sleep 1 # nothing is to happen; there is no condition to wait for
[ "$(wc -l <"$out")" -eq "$lines" ] || wb_fail "a change was reported without one"
now=$(awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$pid/status")
[ $((now - ticks)) -le 1 ] || wb_fail "$((now - ticks)) wake-ups with nothing to do"

kill -TERM $pid
wait $pid || wb_fail "fsys watch ended with status $?"

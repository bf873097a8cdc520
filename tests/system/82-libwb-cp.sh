#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wb-cp: what is copied, what is kept, what is refused, and that there is never half of it.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

cp=$BUILD/wb-cp
mnt=$(wb_mkfs xfs 1G)
cd "$mnt"
wb_defer cd /

no_part()
{
	local left
	left=$(find "$mnt" -name '*.wb-cp-*')
	[ -z "$left" ] || wb_fail "left: $left"
}

refuses() # PATTERN ARG...
{
	local pattern=$1 status=0
	shift
	"$cp" "$@" >"$WB_TMP/said" 2>&1 || status=$?
	[ $status -eq 1 ] || wb_fail "wb-cp $* ends with $status"
	wb_says "$WB_TMP/said" "$pattern"
	[ "$(wc -l <"$WB_TMP/said")" -eq 1 ] || wb_fail "more than a sentence"
	no_part
}

wb_note "bytes, holes, size"
head -c 30000001 /dev/urandom >src
truncate -s 500M src
dd if=/dev/urandom of=src bs=64k count=20 seek=3000 conv=notrunc status=none
truncate -s 700000001 src
: >empty
truncate -s 10M hollow
sync -f "$mnt"
for way in "" --no-uring; do
	for f in src empty hollow; do
		"$cp" $way $f to-$f
		cmp $f to-$f
		[ "$(stat -c %b to-$f)" -le $(($(stat -c %b $f) + 256)) ] ||
			wb_fail "$f: holes were filled"
		rm to-$f
	done
done
wb_is_clean "$mnt" || wb_fail "dirty afterwards"

wb_note "mode, owner, times"
chmod 2751 src
chown 12:34 src
touch -d '2001-02-03 04:05:06.789' src
(umask 027 && "$cp" src plain)
[ "$(stat -c %a plain)" = 750 ] || wb_fail "mode without -p: $(stat -c %a plain)"
"$cp" -p src kept
[ "$(stat -c '%a %u %g %y' kept)" = "$(stat -c '%a %u %g %y' src)" ] || wb_fail "-p"
echo old >old
chmod 604 old
chown 5:6 old
"$cp" src old
[ "$(stat -c '%a %u %g' old)" = "604 5 6" ] || wb_fail "a replaced file's mode"
cmp src old
mkdir dir
"$cp" src dir
cmp src dir/src
ln -s ../plain dir/link
"$cp" empty dir/link
[ -L dir/link ] || wb_fail "a link was replaced, not what it points to"
[ ! -s plain ] || wb_fail "what the link points to was not replaced"

wb_note "what is refused"
refuses 'same file' src src
ln src hard
refuses 'same file' src hard
refuses 'same file' src .
refuses 'No such file' nowhere to
refuses 'not a regular file' dir to
refuses 'not a regular file' /dev/null to
mkfifo fifo
refuses 'not a regular file' fifo to
refuses 'not a regular file' src fifo
refuses 'No such file' src nowhere/to
status=0
"$cp" src 2>/dev/null || status=$?
[ $status -eq 2 ] || wb_fail "usage: $status"
"$cp" --version | grep -q '^wb-cp ' || wb_fail "--version"

wb_note "a full disk: what was there stays"
echo precious >to
fallocate -l 700M ballast
head -c 200M /dev/urandom >"$WB_TMP/large"
refuses 'No space left' "$WB_TMP/large" to
refuses 'No space left' --no-uring "$WB_TMP/large" to
[ "$(cat to)" = precious ] || wb_fail "it was damaged"
rm ballast

wb_note "interrupted: nothing is left"
# Stopped by a signal as soon as its unfinished copy is there.
setsid "$cp" "$WB_TMP/large" to 2>"$WB_TMP/said" &
pid=$!
part_exists()
{
	[ -e "$mnt/to.wb-cp-$pid" ] || wb_dead "$pid"
}
wb_wait_for 10 part_exists
kill -TERM $pid
status=0
wait $pid || status=$?
if [ $status -eq 0 ]; then
	wb_note "it was faster than the signal"
	cmp "$WB_TMP/large" to
else
	[ "$(cat to)" = precious ] || wb_fail "damaged by an interruption"
	wb_says "$WB_TMP/said" Interrupted
fi
no_part

wb_note "a device that dies under it"
cd /
bad=$(wb_mkfs_bad ext4 512)
fallocate -l 380M "$bad/take"
sync -f "$bad"
rm "$bad/take"
sync -f "$bad"
fstrim "$bad" 2>/dev/null || wb_note "no trim: the sectors stay good"
wb_bad_on
status=0
"$cp" "$WB_TMP/large" "$bad/to" >"$WB_TMP/said" 2>&1 || status=$?
wb_bad_off
if [ $status -eq 0 ]; then
	wb_note "no write failed"
else
	wb_says "$WB_TMP/said" 'error|read-only|no space'
	[ ! -e "$bad/to" ] || wb_fail "half a file"
fi
wb_bad_done "$bad"

wb_note "a progress line on a terminal only"
if command -v script >/dev/null; then
	script -qec "$cp $WB_TMP/large $mnt/t" /dev/null >"$WB_TMP/tty" </dev/null
	grep -q 'of 200M\|200M, waiting' "$WB_TMP/tty" || wb_fail "no progress line"
	script -qec "$cp -q $WB_TMP/large $mnt/t" /dev/null >"$WB_TMP/tty" </dev/null
	[ ! -s "$WB_TMP/tty" ] || wb_fail "-q is not quiet"
fi
[ -z "$("$cp" "$WB_TMP/large" "$mnt/t" 2>&1)" ] || wb_fail "not quiet without a terminal"

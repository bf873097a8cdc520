#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wbd drives the kernel's contexts: set, shown, followed, left alone, given back.
#
# guest: fs=xfs,ext4 fs@7.3-smp=xfs disk=1G memory=1G limit=400

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs}

top=$(cd "$(dirname "$0")/../../.." && pwd)
wbd=${WBD:-$top/build/wbd} wbctl="${WBCTL:-$top/build/wbctl} --socket /run/wb/io.writeback"
skip() { echo "$*" && exit 77; }
[ -x "$wbd" ] || skip "wbd has not been built"
[ -e /proc/net/unix ] || skip "the kernel has no Unix sockets"
command -v jq >/dev/null || skip "there is no jq"

configure() # CONTEXTS [MORE]
{
	printf '[engine]\ncontexts = %s\n%b\n[mount "t"]\npath = /tmp/mnt\nmanage = yes\n' \
		"$1" "${2:-}" >/tmp/wb.conf
}
answers() { $wbctl -J status >/dev/null 2>&1; }
start()
{
	"$wbd" --config /tmp/wb.conf --runtime-dir /run/wb >>/tmp/wbd.log 2>&1 &
	pid=$!
	wait_until answers
}
end() # SIGNAL
{
	kill "-$1" "$pid"
	wait "$pid" || [ "$1" = KILL ] || fail "wbd ended with status $?: $(tail -5 /tmp/wbd.log)"
}
reload()
{
	local n
	n=$($wbctl -J status | jq .reloads)
	kill -HUP "$pid"
	reloaded() { [ "$($wbctl -J status | jq .reloads)" -gt "$n" ]; }
	wait_until reloaded
}
status() # FILTER
{
	$wbctl -J status | jq -r ".filesystems[] | select(.name == \"/tmp/mnt\") | $1"
}
contexts() { cat "$bdi/writeback_contexts"; }
map() { tr '\n' , <"$sysfs/group_map"; }
trap 'tail -30 /tmp/wbd.log' EXIT

make_mount "$fs"
groups=$(cat "$sysfs/groups")
configure 4
start
expect "kernel_engine" "$($wbctl -J features | jq .kernel_engine)" true
expect "engine" "$(status .engine)" kernel
expect "contexts" "$(contexts)" 4
expect "what status says of them" "$(status '.contexts')" 4
expect "contexts in status" "$(status '.children | length')" 4
expect "group_map" "$(map)" default,
expect "verify" "$($wbctl verify >/dev/null; echo $?)" 0

# What explain says of a file is what the kernel does with it.
for ((d = 0; d < 16; d++)); do
	mkdir "$mnt/d$d"
	head -c 20000 /dev/zero >"$mnt/d$d/f"
done
for ((d = 0; d < 16; d++)); do
	expect "context of d$d" "$($wbctl -J explain "$mnt/d$d/f" | jq .kernel_file.context)" \
		"$("$tools/wbctx" get "$mnt/d$d/f" | sed 's/.*context=\([0-9]*\).*/\1/')"
done
"$tools/wbctx" pin 3 "$mnt/d0/f"
expect "pinned" "$($wbctl -J explain "$mnt/d0/f" | jq -c '.kernel_file | [.context, .pinned]')" "[3,true]"
$wbctl explain "$mnt/d0/f" | grep -q 'context  *3 of 4 (pinned' || fail "explain does not tell of the pin"

# A sync leaves nothing dirty in any context.
head -c 50M /dev/urandom >"$mnt/big"
$wbctl sync "$mnt"
expect "dirty pages of the file" "$(cat "$bdi"/writeback_context/*/dirty_kb | awk '$1 > 200' | wc -l)" 0

# The monitor tells of a change.
$wbctl -J monitor >/tmp/monitor 2>&1 &
monitor=$!
listens() { grep -q listening /tmp/monitor; }
wait_until listens
configure 2
reload
expect "contexts after the reload" "$(contexts)" 2
told() { grep -q '"event":"setting".*writeback_contexts: 2 instead of 4' /tmp/monitor; }
wait_until told
kill $monitor

# Set by hand: left alone, shown, and not given back either.
echo 3 >"$bdi/writeback_contexts"
configure 5
reload
expect "contexts set by hand" "$(contexts)" 3
$wbctl status | grep -q 'was set by somebody else' || fail "status does not tell"
expect "verify" "$($wbctl verify >/dev/null; echo $?)" 4
$wbctl verify | grep -q 'writeback_contexts.*manual' || fail "verify does not tell"
end TERM
expect "contexts after the stop" "$(contexts)" 3

# What was found is given back, also after a crash in between.
printf "0 1\n1 0\n" >"$sysfs/group_map"
start
expect "contexts" "$(contexts)" 5
expect "map" "$(map)" "0 1,1 0,"
end KILL
start
expect "contexts after a crash" "$(contexts)" 5
end TERM
expect "contexts given back" "$(contexts)" 3
expect "map given back" "$(map)" "0 1,1 0,"
echo default >"$sysfs/group_map"
echo 1 >"$bdi/writeback_contexts"

# A write that the kernel refuses is said, and nothing else suffers.
configure 64
start
expect "contexts" "$(contexts)" 64
# Another file system at the same place, while the daemon runs.
wait_until umount "$mnt"
case $fs in
xfs) mkfs.xfs -q -f -d agcount=4 /dev/ubda ;;
ext4) mkfs.ext4 -q -F /dev/ubda ;;
esac
mount /dev/ubda "$mnt"
anew() { [ "$(status .engine)" = kernel ] && [ "$(contexts)" = 64 ]; }
wait_until anew
expect "the new one's map" "$(map)" default,
$wbctl rollback >/dev/null
expect "contexts after a rollback" "$(contexts)" 1
end TERM

# The user engine on the same kernel, if it is asked for and can be had.
configure 4 'mode = user\nsource = fanotify'
start
expect "engine" "$(status .engine)" user
expect "contexts" "$(contexts)" 1
head -c 30M /dev/urandom >"$mnt/big"
$wbctl sync "$mnt"
end TERM

# With a /sys that cannot be written it says so and does without.
configure 4
mount -o remount,ro /sys
"$wbd" --config /tmp/wb.conf --dry-run >/tmp/dry 2>&1
mount -o remount,rw /sys
grep -q 'contexts are not used: .*Read-only' /tmp/dry || fail "$(cat /tmp/dry)"

trap - EXIT
! grep -Eq 'Sanitizer|assert' /tmp/wbd.log || fail "$(cat /tmp/wbd.log)"
umount "$mnt"
check_fs "$fs"
echo "$fs: $groups groups"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# contexts = search with the kernel's contexts: tried through sysfs, found, given back.
#
# guest: full=7.3-smp disk=1G memory=1G limit=700

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

top=$(cd "$(dirname "$0")/../../.." && pwd)
wbd=${WBD:-$top/build/wbd} wbctl="${WBCTL:-$top/build/wbctl} --socket /run/wb/io.writeback"
[ -x "$wbd" ] || skip "wbd has not been built"
[ -e /proc/net/unix ] || skip "the kernel has no Unix sockets"
command -v jq >/dev/null || skip "there is no jq"

search() # FILTER: of what the daemon says of the search
{
	$wbctl -J explain "$disk" | jq -r ".search | $1"
}
is() { [ "$(search "$1")" = true ]; }
contexts() { cat "$bdi/writeback_contexts"; }
wait_long() # SECONDS COMMAND...
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "waited in vain for: $*: $(search .)"
		sleep 0.5
	done
}
answers() { $wbctl -J status >/dev/null 2>&1; }
start()
{
	"$wbd" --config /tmp/wb.conf --runtime-dir /run/wb --state-dir /tmp/state \
		--sample 250ms >>/tmp/wbd.log 2>&1 &
	pid=$!
	wait_until answers
}
end()
{
	kill -TERM $pid
	wait $pid || fail "wbd ended with status $?: $(tail -5 /tmp/wbd.log)"
}
write_in_place() # N
{
	while :; do
		dd if=/dev/zero of="$mnt/d$1/f" bs=1M count=12 conv=notrunc status=none
	done
}
trap 'tail -30 /tmp/wbd.log' EXIT

make_mount xfs
printf '[engine]\ncontexts = search\n[mount "t"]\npath = %s\nmanage = yes\n' "$mnt" >/tmp/wb.conf
rotates=$(cat "/sys/block/${disk##*/}/queue/rotational")
echo "rotational: $rotates"

# On a disk that says that it rotates there is nothing to search.
echo 1 >"/sys/block/${disk##*/}/queue/rotational"
start
expect "state on a disk that rotates" "$(search '[.state, .why] | join(" ")')" "off rotational"
expect "contexts there" "$(contexts)" 1
end
echo 0 >"/sys/block/${disk##*/}/queue/rotational"

echo $((32 << 20)) >/proc/sys/vm/dirty_bytes
start
expect "engine" "$($wbctl -J explain "$disk" | jq -r .engine)" kernel
expect "state" "$(search .state)" waiting
expect "contexts before there is load" "$(contexts)" 1
expect "most contexts" "$(search .cap)" 8
writers=()
for ((i = 0; i < 8; i++)); do
	mkdir "$mnt/d$i"
	write_in_place $i &
	writers+=($!)
done
wait_long 120 is '.state == "trial"'
two() { [ "$(contexts)" = 2 ]; }
wait_long 60 two
# On one busy CPU a comparison takes minutes.
tried='.trials[0].samples >= 20'
[ "${WB_FULL:-0}" != 1 ] || tried='.searches > 0'
wait_long 400 is "$tried"
kill "${writers[@]}"
wait "${writers[@]}" 2>/dev/null || true
is '.trials[-1] | .lo == 1 and .hi == 2' || fail "the first trial: $(search '.trials[-1]')"
[ "${WB_FULL:-0}" != 1 ] || grep -q 'tried 2 contexts against 1' /tmp/wbd.log ||
	fail "no trial was logged"
# Without load it goes back to the number that is best as far as it knows.
settled() { [ "$(contexts)" = "$(search .settled)" ]; }
sync
wait_long 60 settled
$wbctl explain "$disk" | grep -q 'contexts .*, as the search says' || fail "$($wbctl explain "$disk")"

# Somebody else's number ends the search.
echo 5 >"$bdi/writeback_contexts"
kill -HUP $pid
by_hand() { [ "$($wbctl -J explain "$disk" | jq -r .from)" = manual ]; }
wait_until by_hand
expect "contexts set by hand" "$(contexts)" 5
end
expect "contexts set by hand after the stop" "$(contexts)" 5

trap - EXIT
! grep -Eq 'Sanitizer|assert' /tmp/wbd.log || fail "$(cat /tmp/wbd.log)"
grep -E 'tried|found' /tmp/wbd.log || true
umount "$mnt"
check_fs xfs

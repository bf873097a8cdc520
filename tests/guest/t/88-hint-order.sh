#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A program's hint chooses the order of its file's folios: by libwb alone, and within the
# bound that the daemon sets; a kernel or file system without large folios says so.
#
# guest: full=7.3-smp fs=xfs,ext4 x86=yes limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs}

top=$(cd "$(dirname "$0")/../../.." && pwd)
build=${BUILD:-$top/build}
hint=$build/tests/tools/libwb_hint wbctl="$build/wbctl --socket /run/wb/io.writeback"
[ -x "$hint" ] || skip "the programs have not been built"
[ -e /proc/net/unix ] || skip "the kernel has no Unix sockets"
command -v jq >/dev/null || skip "there is no jq"
export WB_SOCKET=/run/wb/io.writeback

# say LINE...: to a program that has $mnt/f open and hints it; sets said, and why
say() {
	said=$(printf '%s\n' "$@" | "$hint" "$mnt/f" 2>/tmp/why | tail -n 1)
	why=$(sed -n 's/^folio-order: //p' /tmp/why)
}

# in_force 0|1 PATTERN: what libwb said of folio-order, and why
in_force() {
	[[ $said == *" folio-order=$1"* ]] || fail "$fs: libwb says: $said ($why)"
	# shellcheck disable=SC2053 # a pattern
	[[ $why == $2 ]] || fail "$fs: folio-order: '$why', should be like '$2'"
}

# The largest order among the folios that $mnt/f gets by writes of 4 KiB.
largest() {
	local trace=/sys/kernel/tracing event
	event=$trace/events/filemap/mm_filemap_add_to_page_cache
	mountpoint -q $trace || mount -t tracefs none $trace
	grep -q order $event/format || fail "the kernel does not trace orders"
	echo >$trace/trace
	echo 1 >$event/enable
	dd if=/dev/zero of="$mnt/f" bs=4k count=256 conv=notrunc oflag=append status=none
	echo 0 >$event/enable
	grep "ino 0*$(printf %x "$(stat -c %i "$mnt/f")") " $trace/trace | grep -o 'order=[0-9]*' |
		cut -d= -f2 | sort -n | tail -n 1
}

new_file() {
	rm -f "$mnt/f"
	: >"$mnt/f"
}

answers() { $wbctl -J status >/dev/null 2>&1; }
bound() { cat "$sysfs/folio_order_max"; }

large=
[ ! -e /sys/kernel/mm/transparent_hugepage ] || [ "$fs" != xfs ] || large=yes
without='*without large folios'
[ ! -e /sys/kernel/mm/transparent_hugepage ] || without='*is not known'
make_mount "$fs"
new_file

# Without a daemon the bound is the administrator's.
expect "bound" "$(bound)" 0
say query
in_force 0 'nobody has said*'
say "write 131072" query
in_force 0 '*folio_order_max*is 0'
expect "order" "$("$tools/wbctx" get "$mnt/f" | sed 's/.*order=//')" 5
expect "largest folio with the bound 0" "$(largest)" 0
echo 4 >"$sysfs/folio_order_max"
new_file
expect "largest folio without a hint" "$(largest)" 0
new_file
say "write 131072" query
if [ "$large" ]; then
	in_force 1 ''
	expect "largest folio" "$(largest)" 4
else
	in_force 0 "$without"
	expect "largest folio" "$(largest)" 0
fi
say clear query
in_force 0 'nobody has said*'
echo 0 >"$sysfs/folio_order_max"

# With one it is the daemon's, from 3 on, where folios can be large.
printf '[mount "t"]\npath = %s\nmanage = yes\n[engine]\ncontexts = 2\n' "$mnt" >/tmp/wb.conf
"$build/wbd" --config /tmp/wb.conf --runtime-dir /run/wb >/tmp/wbd.log 2>&1 &
pid=$!
trap 'tail -30 /tmp/wbd.log' EXIT
wait_until answers
expect "bound with the daemon" "$(bound)" "$([ "$large" ] && echo 3 || echo 0)"
new_file
say "write 131072" query
[[ $said == "daemon=1 engine=kernel "* ]] || fail "libwb says: $said"
exec 7>>"$mnt/f"
reply=$("$build/tests/tools/hintfd" $WB_SOCKET Query '{}' 7)
effect=$(jq -r '.parameters.effects[] | select(.name == "folio-order") |
	"\(.in_force) \(.why)"' <<<"$reply")
if [ "$large" ]; then
	in_force 1 ''
	expect "what the daemon says" "$effect" "true null"
	expect "largest folio" "$(largest)" 3
else
	in_force 0 '*folio_order_max*is 0'
	[[ $effect == "false folio_order_max"*"is 0" ]] || fail "the daemon says: $effect"
	expect "largest folio" "$(largest)" 0
fi
exec 7>&-
kill -TERM $pid
wait $pid || fail "wbd ended with status $?"
expect "bound given back" "$(bound)" 0
umount "$mnt"
check_fs "$fs"
trap - EXIT
echo "$fs: ${large:-no} large folios"

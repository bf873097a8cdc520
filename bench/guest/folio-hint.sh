#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file written in sequence by small writes, with and without a hint on their size, in turns.
#
#	folio-hint.sh ROUNDS MEGABYTES HINT ORDER
#
# XFS with folio_order_max ORDER on null_blk without latency, writes of 4 KiB, then sync.  One line
# for each file: the hint, seconds of writing and of the sync, extents.  Two lines more say how many
# folios the page cache got, from runs of their own, as counting costs time.  At last all is read back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
rounds=$1 mib=$2 hint=$3 order=$4

bench_disk nullb-bench $((4 * mib)) 0
mkfs.xfs -q -f -K "$DEV"
mount_fs xfs "$DEV"
no_writeback_yet
echo "$order" >"$sysfs/folio_order_max"
# Every block says which it is.
perl -e 'print pack("N", $_) x 1024 for 1..$ARGV[0]' $((mib * 256)) >/tmp/data

# Prints the seconds.
write() {
	dd_seconds if=/tmp/data "of=$f" bs=4k conv=notrunc
}

# new_file HINT: sets f, whose hint is set
new_file() {
	f=$mnt/hint-$1
	rm -f "$f"
	sync
	: >"$f"
	"$tools/wbctx" hint "$1" "$f"
}

# shellcheck disable=SC2016 # jq's names
measured() { # HINT
	local wrote synced extents
	new_file "$1"
	wrote=$(write)
	synced=$("$wbload" nothing --sync "$mnt" | jq .sync_seconds)
	extents=$(filefrag "$f" | awk '{ print $(NF - 2) }')
	line --argjson h "$1" --argjson w "$wrote" --argjson s "$synced" --argjson e "$extents" \
		'{what: "time", hint: $h, write: $w, sync: $s, extents: $e}'
}

# shellcheck disable=SC2016 # jq's names
counted() { # HINT
	local orders
	new_file "$1"
	count_folios "$f"
	write >/dev/null
	orders=$(counted_folios)
	line --argjson h "$1" --arg o "$orders" '{what: "folios", hint: $h, orders: $o,
		folios: ($o | split(" ") | map(split("*")[1] | tonumber) | add)}'
}

# They also warm up.
for h in 0 "$hint"; do
	counted "$h"
done
for ((r = 1; r <= rounds; r++)); do
	turns=(0 "$hint")
	((r % 2)) || turns=("$hint" 0)
	for h in "${turns[@]}"; do
		measured "$h"
	done
done
umount "$mnt"
echo 3 >/proc/sys/vm/drop_caches
mount_fs xfs "$DEV"
for h in 0 "$hint"; do
	cmp /tmp/data "$mnt/hint-$h"
done
umount "$mnt"
check_fs xfs "$DEV"

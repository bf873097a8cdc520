#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file written in sequence, with its hint on the size of writes heeded and not, in turns.
#
#	folio-hint.sh ROUNDS MEGABYTES HINT ORDER KIB FS
#
# FS on null_blk without latency, writes of KIB, then sync.  The hint is the same on both sides;
# folio_order_max is 0 or ORDER.  One line for each file: the hint that is heeded, seconds of writing
# and of the sync, extents.  Two lines more say how many folios the page cache got, from runs of their
# own, as counting costs time; one in each round how long the device takes past the page cache.  At
# last all is read back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
rounds=$1 mib=$2 hint=$3 order=$4 kib=$5 fs=$6

bench_disk nullb-bench $((4 * mib > 1024 ? 4 * mib : 1024)) 0
make_mount "$fs" "$DEV"
[ -e "$sysfs/folio_order_max" ] || skip "$fs is not in /sys/fs/writeback, so nothing bounds its orders"
no_writeback_yet
# Every block says which it is.
perl -e 'print pack("N", $_) x 1024 for 1..$ARGV[0]' $((mib * 256)) >/tmp/data

# Prints the seconds.
write() {
	dd_seconds if=/tmp/data "of=$f" "bs=${kib}k" conv=notrunc
}

# new_file HINT: sets f, whose hint is heeded or not
new_file() {
	f=$mnt/hint-$1
	rm -f "$f"
	sync
	echo $(($1 ? order : 0)) >"$sysfs/folio_order_max"
	: >"$f"
	"$tools/wbctx" hint "$hint" "$f"
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

# shellcheck disable=SC2016 # jq's names
limit() {
	line --argjson s "$(dd_seconds if=/tmp/data "of=$f" bs=1M conv=notrunc oflag=direct)" \
		'{what: "limit", seconds: $s}'
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
	limit
done
umount "$mnt"
echo 3 >/proc/sys/vm/drop_caches
mount_fs "$fs" "$DEV"
for h in 0 "$hint"; do
	cmp /tmp/data "$mnt/hint-$h"
done
umount "$mnt"
check_fs "$fs" "$DEV"

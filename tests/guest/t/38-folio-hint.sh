#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The folios of buffered writes have the order that the file's hint and the file system's bounds
# say, and no other; a file system without large folios is left alone: 38-folio-hint.sh xfs|ext4
#
# guest: fs=xfs,ext4 only=*-x86 limit=120

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} files=0
make_mount "$fs"
head -c 1M /dev/urandom >/tmp/data

# write BLOCKSIZE [DD-OPERAND...]: the data to $f
write() {
	dd if=/tmp/data "of=$f" "bs=$1" conv=notrunc status=none "${@:2}"
}

# new_file [HINT]: sets f
new_file() {
	files=$((files + 1)) f=$mnt/f$files
	: >"$f"
	[ $# = 0 ] || "$tools/wbctx" hint "$1" "$f"
}

bounds() { # MIN MAX
	echo "$1" >"$sysfs/folio_order_min"
	echo "$2" >"$sysfs/folio_order_max"
}

# folios WHAT WANT [DD-OPERAND...]: writing a MiB to $f, 4 KiB at a time, makes these folios
folios() {
	count_folios "$f"
	write 4k "${@:3}"
	expect "$fs: folios $1" "$(counted_folios)" "$2"
}

if [ "$fs" != xfs ]; then
	new_file
	count_folios "$f"
	write 64k
	[ "$(counted_folios)" = "0*256" ] || skip "$fs has large folios in this kernel"
	bounds 9 9
	new_file 65536
	folios "without large folios" "0*256"
	remount
	cmp /tmp/data "$f"
	exit
fi

# Each hint with each bound.  No hint is longer than the file.
for max in 0 1 3 4 9; do
	bounds 0 $max
	for hint in 4096 8191 8192 131071 1048576; do
		order=0
		while ((order < max && 8192 << order <= hint)); do
			order=$((order + 1))
		done
		new_file $hint
		folios "with a hint of $hint and folio_order_max $max" "$order*$((256 >> order))"
	done
done

bounds 0 4
new_file
folios "without a hint" "0*256"
new_file 65536
"$tools/wbctx" hint 0 "$f"
folios "with a hint taken back" "0*256"

# A folio's place is a multiple of its size, so what has begun by a page goes on in steps.
new_file
write 4k count=1
"$tools/wbctx" hint 65536 "$f"
folios "after the first page" "0*1 1*1 2*1 3*1 4*15" skip=1 seek=1

# The length of a write counts as ever, whatever the bounds are.
for max in 0 2; do
	bounds 0 $max
	new_file 65536
	count_folios "$f"
	write 64k
	expect "folios of writes of 64 KiB" "$(counted_folios)" "4*16"
done

# A floor is for whatever grows, and for nothing else.
bounds 2 0
new_file
folios "with folio_order_min 2" "2*64"
new_file 65536
folios "with folio_order_min 2, folio_order_max 0 and a hint" "2*64"
bounds 2 4
new_file 65536
folios "with folio_order_min 2, folio_order_max 4 and a hint" "4*16"
bounds 2 0
sync
echo 3 >/proc/sys/vm/drop_caches
folios "of what is overwritten, with folio_order_min 2" "0*256"

# The hint lives as long as the inode in memory.
bounds 0 4
new_file 65536
write 4k
expect "hint" "$("$tools/wbctx" get "$f" | sed 's/.*order=//')" 4
remount
expect "hint after a remount" "$("$tools/wbctx" get "$f" | sed 's/.*order=//')" 0
expect "folio_order_max after a remount" "$(cat "$sysfs/folio_order_max")" 0
for ((i = 1; i <= files; i++)); do
	cmp /tmp/data "$mnt/f$i"
done
umount "$mnt"
check_fs xfs
echo "xfs: $files files"

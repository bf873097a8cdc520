#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Random operations on files, compared with what they should be, with every bound on the order of
# folios and, on ramfs, every block size: 37-fsx.sh xfs|ext4|ramfs
#
# guest: fs=xfs,ramfs full-fs=ext4,f2fs,btrfs full=7.3-smp x86=xfs,ramfs
# guest: seconds=16 full-seconds=120 limit=400

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} seconds=${WB_SECONDS:-16} seed=0

thp=/sys/kernel/mm/transparent_hugepage
[ -e $thp ] ||
	echo "$fs: the kernel has no large folios, so orders have no effect here"

# random_operations SECONDS MAX_BYTES: on two files at once
random_operations() {
	local workers=() worker
	for worker in 1 2; do
		seed=$((seed + 1))
		"$tools/fsx" "$mnt/fsx$worker" $seed "$1s" "$2" >"/tmp/manifest$worker" 2>"/tmp/said$worker" &
		workers+=($!)
	done
	for worker in 1 2; do
		wait "${workers[worker - 1]}" || fail "$what, seed $((seed - 2 + worker)): $(cat /tmp/said$worker)"
		operations=$((operations + $(sed -n 's/ operations$//p' /tmp/said$worker)))
	done
}
operations=0

on_ramfs() {
	local kilobytes sizes=(4 8 16 32 64 128 256 512 1024 2048) refused=0
	mnt=/tmp/mnt
	mkdir -p $mnt
	for kilobytes in "${sizes[@]}"; do
		what="ramfs with blocks of $kilobytes KiB"
		if ! mount -t ramfs -o "blocksize=${kilobytes}k" ramfs $mnt 2>/tmp/said; then
			[ ! -e $thp ] || fail "$what cannot be mounted: $(cat /tmp/said)"
			refused=$((refused + 1))
			continue
		fi
		random_operations $(((seconds + ${#sizes[@]} - 1) / ${#sizes[@]})) $((kilobytes * 4096 > 8 << 20 ? 8 << 20 : kilobytes * 4096 + 5000))
		umount $mnt
	done
	((refused < ${#sizes[@]})) || fail "ramfs can be mounted with no block size"
	echo "ramfs: $operations operations, $refused of ${#sizes[@]} block sizes refused"
}

on_disk() {
	local order orders=({0..9}) done=0 all_changes=0
	make_mount "$fs"
	[ -e "$sysfs/folio_order_max" ] || orders=(0)
	for order in "${orders[@]}"; do
		what="$fs with folio_order_max $order"
		if [ -e "$sysfs/folio_order_max" ]; then
			if ! echo "$order" >"$sysfs/folio_order_max" 2>/dev/null; then
				[ ! -e "$thp" ] || fail "$what is refused"
				continue # the largest that there can be depends on the architecture
			fi
			echo $((order / 2)) >"$sysfs/folio_order_min"
		fi
		start_changing
		random_operations $(((seconds + ${#orders[@]} - 1) / ${#orders[@]})) $((1 << 21))
		stop_changing
		all_changes=$((all_changes + changes)) done=$((done + 1))
		remount
		cat /tmp/manifest1 /tmp/manifest2 | "$tools/verify" / >/tmp/said || fail "$what: $(cat /tmp/said)"
	done
	umount "$mnt"
	check_fs "$fs"
	echo "$fs: $operations operations, $done orders, $all_changes changes of the number of contexts meanwhile"
}

need_fs "$fs"
if [ "$fs" = ramfs ]; then
	on_ramfs
else
	on_disk
fi

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file system is remounted read-only and back under load while contexts change.
#
# guest: fs=xfs,ext4 fs@7.3-smp=xfs seconds=6 full-seconds=40 limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} seconds=${WB_SECONDS:-6}

# The dirty pages of all file systems but the host's, which is made clean.  What the kernel says of
# a single device is not exact where there are several CPUs.
dirty_pages() {
	sync -f /
	[ ! -e /proc/sys/vm/stat_refresh ] || echo 1 >/proc/sys/vm/stat_refresh
	awk '$1 == "nr_dirty" { print $2 }' /proc/vmstat
}

make_mount "$fs"
start_changing
rounds=0 end=$((SECONDS + seconds))
while ((rounds == 0 || SECONDS < end)); do
	workers=()
	for seed in 1 2; do
		mkdir "$mnt/w$rounds-$seed"
		# ends when the file system becomes read-only
		"$tools/churn" "$mnt/w$rounds-$seed" 100000 $seed 5000 >"/tmp/manifest$rounds-$seed" &
		workers+=($!)
	done
	sleep 1
	(($(dirty_pages) > 0)) || fail "nothing is dirty, so this test tests nothing"
	readonly_now() { mount -o remount,ro "$mnt" 2>/dev/null; }
	# until it happens that nobody has a file open for writing
	wait_until readonly_now
	for worker in "${workers[@]}"; do
		wait "$worker" || fail "a worker failed for another reason than the file system being read-only"
	done
	! touch "$mnt/no" 2>/dev/null || fail "the file system can be written to"
	dirty=$(dirty_pages)
	((dirty == 0)) || fail "$dirty pages are dirty on a read-only file system"
	for seed in 1 2; do
		"$tools/verify" "$mnt/w$rounds-$seed" <"/tmp/manifest$rounds-$seed" >/tmp/said || fail "$(cat /tmp/said)"
	done
	mount -o remount,rw "$mnt"
	rounds=$((rounds + 1))
done
stop_changing

remount
for ((r = 0; r < rounds; r++)); do
	for seed in 1 2; do
		"$tools/verify" "$mnt/w$r-$seed" <"/tmp/manifest$r-$seed" >/tmp/said || fail "$(cat /tmp/said)"
	done
done
umount "$mnt"
check_fs "$fs"
echo "$fs: $rounds times read-only and back, $changes changes of the number of contexts meanwhile"

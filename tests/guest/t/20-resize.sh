#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Contexts come and go under load, and every byte is where it should be: 20-resize.sh FS
#
# guest: fs=xfs,ext4,f2fs,btrfs fs@7.3-smp=xfs,ext4 x86=xfs limit=480
# guest: seconds=10 seconds.xfs=120 seconds.ext4=20 full-seconds=120

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} seconds=$WB_SECONDS

need_fs "$fs"
make_mount "$fs"
for seed in 1 2 3; do
	mkdir "$mnt/w$seed"
	"$tools/churn" "$mnt/w$seed" "$seconds" "$seed" >"/tmp/manifest$seed" &
	workers+=($!)
done

rounds=0
end=$((SECONDS + seconds))
while ((SECONDS < end)); do
	for n in 16 1 4 3 64 2 1; do
		# by this shell, whose workers' end must not break it off
		echo $n >"$bdi/writeback_contexts"
		expect "writeback_contexts" "$(cat "$bdi/writeback_contexts")" $n
		expect "number of directories" "$(find "$bdi/writeback_context/" -mindepth 1 -maxdepth 1 -type d | wc -l)" $n
		rounds=$((rounds + 1))
	done
done
for worker in "${workers[@]}"; do
	wait "$worker" || fail "a worker failed"
done
echo "$fs: $rounds changes of the number of contexts"
# No wb of a context that is gone may be left.
expect "contexts in wb_stats" "$(awk '/WbContext/ && $2 > 0' "/sys/kernel/debug/bdi/$(basename "$bdi")/wb_stats")" ""

remount
for seed in 1 2 3; do
	"$tools/verify" "$mnt/w$seed" <"/tmp/manifest$seed"
done
umount "$mnt"
check_fs "$fs"

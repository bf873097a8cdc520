#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sync, syncfs and fsync return when the data is down: 65-powercut.sh FS [CUTS]
#
# The file system is in a file on another one, which can make a snapshot of it between two
# writes to the disk: what a power cut at that moment would leave.  Snapshots are taken right
# after the calls return, while others write and contexts come and go, and mounted.
#
# guest: fs=xfs,ext4 disk=2G seconds=15 full-seconds=90 limit=400

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} cuts=${2:-0} seconds=${WB_SECONDS:-15}
below=/tmp/below image=/tmp/below/image snapshot=/tmp/below/snapshot seed=0

[ -e /dev/loop-control ] || skip "the kernel has no loop devices"
mkfs.xfs -q -f -m reflink=1 "$disk"
mkdir "$below" /tmp/after
mount "$disk" "$below"
truncate -s 800M "$image"
loop=$(losetup --show -f "$image")
make_mount "$fs" "$loop"

options=()
[ "$fs" != xfs ] || options=(-o nouuid)

# cut METHOD: sets lost to what is not as promised
cut() {
	local after
	seed=$((seed + 1))
	"$tools/promise" "$1" $seed "$mnt" "$image" "$snapshot" >/tmp/promised
	after=$(losetup --show -f "$snapshot")
	mount -t "$fs" ${options[@]+"${options[@]}"} "$after" /tmp/after
	lost=$("$tools/verify" /tmp/after </tmp/promised) && lost=
	umount /tmp/after
	[ -n "$lost" ] || check_fs "$fs" "$after"
	losetup -d "$after"
	rm "$snapshot"
}

# The test can see losses: nobody made this durable.
cut none
[ -n "$lost" ] || fail "nothing is lost without a call: this test tests nothing"

for worker in 1 2; do
	mkdir "$mnt/w$worker"
	"$tools/churn" "$mnt/w$worker" 100000 $worker >/dev/null &
	workers+=($!)
done
start_changing
end=$((SECONDS + seconds))
for ((n = 0; cuts ? n < cuts : SECONDS < end; n++)); do
	for method in sync syncfs fsync; do
		cut $method
		[ -z "$lost" ] || fail "cut $seed after $method: $lost"
	done
done
kill -0 "${workers[@]}" || fail "a worker ended by itself"
kill "${workers[@]}"
wait "${workers[@]}" || :
stop_changing
umount "$mnt"
check_fs "$fs" "$loop"
losetup -d "$loop"
umount "$below"
echo "$fs: $((3 * n)) cuts with nothing lost, $changes changes of the number of contexts meanwhile"

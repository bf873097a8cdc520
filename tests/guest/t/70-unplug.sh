#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A device goes away under load while its contexts change, and so does a file system.
#
# guest: limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mount -t configfs configfs /sys/kernel/config
for round in 1 2 3; do
	null=/sys/kernel/config/nullb/wb$round
	mkdir "$null"
	echo 1024 >"$null/size"
	echo 1 >"$null/memory_backed"
	echo 1 >"$null/power"
	disk=/dev/wb$round
	mkfs.xfs -q -f -d agcount=8 "$disk"
	mkdir -p /tmp/pulled
	mount "$disk" /tmp/pulled
	bdi=/sys/class/bdi/$(mountpoint -d /tmp/pulled)
	for seed in 1 2; do
		mkdir /tmp/pulled/w$seed
		"$tools/churn" /tmp/pulled/w$seed 5 $seed >/dev/null 2>&1 &
	done
	(while [ -e "$bdi/writeback_contexts" ]; do
		for n in 16 1 3; do
			echo $n >"$bdi/writeback_contexts"
		done
	done) 2>/dev/null &
	sleep 1
	if [ $round = 3 ]; then
		# this time the file system goes first
		wait_until umount /tmp/pulled
		mount "$disk" /tmp/pulled
	fi
	echo 0 >"$null/power"
	wait
	umount /tmp/pulled
	rmdir "$null"
	[ ! -e "$bdi" ] || fail "$bdi is still there"
done

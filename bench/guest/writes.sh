#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What buffered writes and their writeback cost, with the one context that any kernel has.
#
#	writes.sh FS BATCHES FILES
#
# One line of results, medians of nanoseconds per write and per file: 20,000 writes of 4 KiB at
# random places of a cached file of 64 MiB, 64 in a system call, and a sync (BATCHES times); and
# FILES new files of 4 KiB and a sync.  The disk is null_blk, which is done when it is asked.
# Nothing waits, so the time is the CPU's.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=$1 batches=$2 files=$3

bench_disk nullb-bench 512 0
case $fs in
xfs) mkfs.xfs -q -f -K "$DEV" ;;
ext4) mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$DEV" ;;
esac
mkdir -p /tmp/mnt/
mount -t "$fs" "$DEV" /tmp/mnt
no_writeback_yet
mkdir /tmp/mnt/one /tmp/mnt/many
"$wbload" seq --files 1 --size 64M --sync /tmp/mnt/one >/dev/null
# The first batch of each kind warms up and is not counted.
"$wbload" latency --size 64M --batches 1 --ops 20000 --submit 64 --sync /tmp/mnt/one >/dev/null
"$wbload" latency --size 64M --batches "$batches" --ops 20000 --submit 64 --sync /tmp/mnt/one >/tmp/random
for ((i = 0; i <= batches / 2; i++)); do
	find /tmp/mnt/many -type f -delete
	sync
	"$wbload" seq --files "$files" --size 4K --threads 1 --sync /tmp/mnt/many
done | tail -n +2 | jq -s 'map((.seconds + .sync_seconds) / .files * 1e9) | sort' >/tmp/many
# shellcheck disable=SC2016 # jq's names
line --slurpfile r /tmp/random --slurpfile m /tmp/many \
	'{write: $r[0].write_ns_median, whole: $r[0].ns_median, least: $r[0].ns_min,
	  file: $m[0][$m[0] | length / 2 | floor], file_least: $m[0][0]}'
umount /tmp/mnt

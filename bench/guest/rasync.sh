#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Buffered random reads by io_uring from ext2, declared for asynchronous ones and not, in turns:
#
#	rasync.sh ROUNDS MEGABYTES SECONDS NANOSECONDS [FIO-OPTION...]
#
# The device is null_blk whose requests take NANOSECONDS.  One line for each run of fio: declared
# or not, bytes per second, reads; and in each round one past the page cache, the device's own limit.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
rounds=$1 mib=$2 seconds=$3 latency=$4
shift 4
job=("$@")
switch=/sys/module/ext2/parameters/rasync
[ -e $switch ] || fail "the kernel has not the experiment (kernel/experiments)"

bench_disk nullb-bench $((mib * 3 / 2)) "$latency"
mkfs.ext2 -q -F -E nodiscard,lazy_itable_init=0 "$DEV"
mnt=/tmp/mnt
mkdir $mnt
mount -t ext2 "$DEV" $mnt
head -c "${mib}M" /dev/zero >$mnt/f
umount $mnt

# shellcheck disable=SC2016 # jq's names
run() { # Y|N|direct ROUND
	local direct=0
	if [ "$1" = direct ]; then direct=1; else echo "$1" >$switch; fi
	echo 3 >/proc/sys/vm/drop_caches
	mount -t ext2 "$DEV" $mnt
	fio --name=r --filename=$mnt/f --size="${mib}M" --rw=randread --bs=4k --direct=$direct --numjobs=1 \
		--iodepth=1 --runtime="$seconds" --ioengine=io_uring --registerfiles --fixedbufs \
		--gtod_reduce=1 ${job[@]+"${job[@]}"} --randseed="$2" --output-format=json --output=/tmp/fio.json >/dev/null
	[ "$2" = 0 ] || line --arg d "$1" --slurpfile f /tmp/fio.json '{declared: (if $d == "direct" then null else $d == "Y" end),
		bytes: $f[0].jobs[0].read.bw_bytes, reads: $f[0].jobs[0].read.total_ios}'
	umount $mnt
}

for ((r = 0; r <= rounds; r++)); do
	turns=(N Y direct)
	((r % 2)) || turns=(direct Y N)
	for d in "${turns[@]}"; do
		run "$d" $r
	done
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dd to ramfs with different block sizes, in turns: ramfs-blocksize.sh ROUNDS MEGABYTES KIB...
#
# One line for each dd of 2 MiB at a time: the block size in KiB and seconds; and one for writing the
# largest blocks once more, when they are there already.  One round more than ROUNDS warms up.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
rounds=$1 mib=$2
shift 2
largest=${*: -1}
mnt=/tmp/mnt
mkdir $mnt

# shellcheck disable=SC2016 # jq's names
run() { # KIB ROUND
	local seconds
	mount -t ramfs -o "blocksize=${1}k" ramfs $mnt
	seconds=$(dd_seconds if=/dev/zero of=$mnt/f bs=2M "count=$((mib / 2))")
	expect "size" "$(stat -c %s $mnt/f)" $((mib << 20))
	[ "$2" = 0 ] || line --argjson k "$1" --argjson s "$seconds" '{what: "dd", kib: $k, seconds: $s}'
	if [ "$1" = "$largest" ]; then
		seconds=$(dd_seconds if=/dev/zero of=$mnt/f bs=2M "count=$((mib / 2))" conv=notrunc)
		[ "$2" = 0 ] || line --argjson s "$seconds" '{what: "limit", seconds: $s}'
	fi
	umount $mnt
}

for ((r = 0; r <= rounds; r++)); do
	for ((i = 0; i < $#; i++)); do
		n=$(((r % 2 ? i : $# - 1 - i) + 1))
		run "${!n}" $r
	done
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Parallel writeback as it was published: buffered writes of 4 KiB at random by fio with io_uring, one job and
# one file in a directory (and group) of its own each, while memory for dirty data is short; in turns with
# different numbers of contexts.  CONTEXTS are numbers, or user: one context, and wbd's user engine flushes.
#
#	parallel.sh FS ROUNDS "CONTEXTS..." DEVICE fresh|aged FILES MEBIBYTES DIRTY-MEBIBYTES
#
# DEVICE: memory (null_blk without latency), nvme (100 us a request, a queue for each CPU) or slow (one
# queue of one request, 2 ms each, as a disk's head has it).  The files are new, so blocks are allocated as
# they are written back.  aged: most of the file system was filled by files of 64 KiB, and every second of them
# removed.  One round more than ROUNDS warms up.  Each line: contexts, bytes per second until all is on the
# device (a sync is in it), dirty-throttle pauses in ms (worst, 99th percentile and their number, from
# balance_dirty_pages events), how busy the CPUs were in percent, extents per file.  Four lines have the
# device's own limit, written past the page cache in sequence before there is a file system.  At last all
# is read back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=$1 rounds=$2 device=$4 age=$5 files=$6 mib=$7 dirty=$8
read -r -a contexts <<<"$3"
events=/sys/kernel/tracing

disk_mib=1400 # a log of 64 MiB fits into each of XFS's 12 groups
case $device in
memory) bench_disk nullb-bench $disk_mib 0 ;;
nvme) bench_disk nullb-bench $disk_mib 100000 ;;
slow) BENCH_QUEUES=1 BENCH_DEPTH=1 bench_disk nullb-bench $disk_mib 2000000 ;;
esac
# The device's own limit, past every file system.
# shellcheck disable=SC2016 # jq's names
for r in 1 2 3 4; do
	fio --name=limit --filename="$DEV" --rw=write --bs=1M --direct=1 --ioengine=io_uring --iodepth=16 --numjobs="$(nproc)" \
		--size=512M --offset_increment=512M --time_based --runtime=2 --group_reporting --output-format=json --output=/tmp/fio.json >/dev/null
	line --slurpfile f /tmp/fio.json '{what: "limit", rate: $f[0].jobs[0].write.bw_bytes}'
done

case $fs in
xfs) mkfs.xfs -q -f -K -d agcount="$files" "$DEV" ;;
ext4) mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 -G 1 -g 16384 "$DEV" ;;
*) make_fs "$fs" "$DEV" ;;
esac
mount_fs "$fs" "$DEV"
mkdir -p /sys/kernel/tracing
mountpoint -q $events || mount -t tracefs tracefs $events

dirs=()
for ((i = 0; i < files; i++)); do
	mkdir "$mnt/d$i"
	dirs+=("$mnt/d$i")
done

# Free space in pieces: files of 64 KiB all over two thirds of the disk, every second one removed.
if [ "$age" = aged ]; then
	"$wbload" seq --files $((disk_mib * 32 / 3)) --size 64K --threads 1 "${dirs[@]}" >/dev/null
	sync
	for d in "${dirs[@]}"; do
		find "$d" -name 'w*' | sort | awk 'NR % 2' | xargs rm
		mkdir "$d/old"
		find "$d" -maxdepth 1 -name 'w*' -exec mv -t "$d/old" {} +
	done
	sync
fi

# In the guest's memory: a limit as it was in relation to the published workloads' files.
echo $((dirty << 19)) >/proc/sys/vm/dirty_background_bytes
echo $((dirty << 20)) >/proc/sys/vm/dirty_bytes
echo 4096 >$events/buffer_size_kb

# Ticks that the CPUs were busy, and all of them.
ticks()
{
	awk '$1 == "cpu" { for (i = 2; i <= 9; i++) all += $i; print all - $5 - $6, all }' /proc/stat
}

# Worst and 99th percentile of the pauses in ms, and how many there were.
pauses()
{
	sed -n 's/.* balance_dirty_pages: .* pause=\(-\{0,1\}[0-9]*\) .*/\1/p' $events/trace |
		awk '$1 > 0' | sort -n |
		awk '{ v[NR] = $1 } END { i = int(NR * 0.99); if (i < NR * 0.99) i++
			print NR ? v[NR] : 0, NR ? v[i] : 0, NR + 0 }'
}

# shellcheck disable=SC2016 # a word of fio
job()
{
	fio --name=w --directory="$(printf '%s:' "${dirs[@]}" | sed 's/:$//')" --filename_format='f$jobnum' \
		--numjobs="$files" --size="${mib}M" --bs=4k --ioengine=io_uring --iodepth=16 --fallocate=none \
		--group_reporting --verify_state_save=0 --randseed="$SEED" --output-format=json --output=/tmp/fio.json "$@" >/dev/null
}

# wbd flushes what is dirty by itself.  Less of a file is dirty here than the 16 MiB for which it waits
# unless told otherwise.
wbd_start()
{
	printf '[engine]\nmode = user\n[flush]\nafter = 512K\n[mount "bench"]\npath = %s\nmanage = yes\n' "$mnt" >/tmp/wb.conf
	"$BUILD/wbd" --config /tmp/wb.conf --runtime-dir /run/wb >/tmp/wbd.log 2>&1 &
	wbd=$!
	wait_until wbd_manages
}

wbd_ctl()
{
	"$BUILD/wbctl" --socket /run/wb/io.writeback "$@"
}

wbd_manages()
{
	wbd_ctl -J status 2>/dev/null | jq -e --arg m "$mnt" 'any(.filesystems[]; .name == $m and .engine == "user")' >/dev/null
}

# Sets flushed to the bytes that its operations covered.
wbd_stop()
{
	flushed=$(wbd_ctl -J status | jq --arg m "$mnt" '[.filesystems[] | select(.name == $m) | .flushed] | add')
	kill -TERM "$wbd"
	wait "$wbd" || fail "wbd ended with status $?: $(tail -5 /tmp/wbd.log)"
}

# shellcheck disable=SC2016 # jq's names
run() # CONTEXTS ROUND
{
	local worst p99 n synced flushed=0 busy0 all0 busy1 all1 extents
	find "$mnt" -name 'f[0-9]*' -delete
	sync
	if [ "$1" = user ]; then
		echo 1 >"$bdi/writeback_contexts"
		wbd_start
	else
		echo "$1" >"$bdi/writeback_contexts"
	fi
	echo >$events/trace
	echo 1 >$events/events/writeback/balance_dirty_pages/enable
	read -r busy0 all0 <<<"$(ticks)"
	SEED=$2 job --rw=randwrite --verify=pattern --verify_pattern=%o --do_verify=0
	synced=$("$wbload" nothing --sync "$mnt" | jq .sync_seconds)
	read -r busy1 all1 <<<"$(ticks)"
	echo 0 >$events/events/writeback/balance_dirty_pages/enable
	[ "$1" != user ] || wbd_stop
	read -r worst p99 n <<<"$(pauses)"
	extents=$(find "$mnt" -name 'f[0-9]*' -print0 | xargs -0 filefrag | awk '{ n += $(NF - 2) } END { print n / NR }')
	[ "$2" = 0 ] || line --arg c "$1" --slurpfile f /tmp/fio.json --argjson worst "$worst" --argjson p99 "$p99" \
		--argjson n "$n" --argjson e "$extents" --argjson s "$synced" --argjson flushed "$flushed" \
		--argjson busy "$((100 * (busy1 - busy0) / (all1 > all0 ? all1 - all0 : 1)))" \
		'{what: "run", contexts: (if $c == "user" then $c else $c | tonumber end), bytes: $f[0].jobs[0].write.io_bytes,
		  seconds: ($f[0].jobs[0].write.runtime / 1000 + $s), sync: $s, flushed: $flushed, busy: $busy,
		  worst_ms: $worst, p99_ms: $p99, pauses: $n, extents: $e}
		 | .rate = .bytes / .seconds'
}

for ((r = 0; r <= rounds; r++)); do
	for ((i = 0; i < ${#contexts[@]}; i++)); do
		run "${contexts[(i + r) % ${#contexts[@]}]}" $r
	done
done
umount "$mnt"
echo 3 >/proc/sys/vm/drop_caches
mount_fs "$fs" "$DEV"
SEED=$rounds job --rw=randwrite --verify=pattern --verify_pattern=%o --verify_only || fail "what was read back differs"
umount "$mnt"
check_fs "$fs" "$DEV"

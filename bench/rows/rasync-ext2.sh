#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Would ext2 gain from being declared for buffered asynchronous reads?
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=6.12-x86-bench
mib=${BENCH_GUEST_MIB:-256} seconds=${BENCH_SECONDS:-10}
guest_kernels $kernel
guest_clear rasync-ext2
GUEST_OPTIONS=(-m 2G -t 600)
for latency in 0 100000; do
	guest_run rasync-ext2 $kernel $latency rasync.sh "$RUNS" "$mib" "$seconds" $latency
done

# MB/s of each run of fio
speeds() # NANOSECONDS true|false
{
	guest_numbers rasync-ext2 "select(.set == \"$1\" and .declared == $2) | .bytes / 1e6"
}
ratio() # NANOSECONDS: sets A, B and value
{
	mapfile -t A < <(speeds "$1" false)
	mapfile -t B < <(speeds "$1" true)
	value=$(calc %.3f 'b / a' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
}

ratio 0
note="$(spread %.1f "${A[@]}") MB/s as it is, $(spread %.1f "${B[@]}") MB/s declared, $value times, on null_blk that is done
when it is asked"
ratio 100000
result rasync-ext2 "$value" "times faster" ">= 1.2, else it is not declared" "$(is_met 'v >= 1.2' "v=$value")" \
	"fio --rw=randread --bs=4k --size=${mib}M --iodepth=1 --runtime=$seconds --ioengine=io_uring --registerfiles
--fixedbufs --gtod_reduce=1 --sqthread_poll=1 on ext2 with nothing cached: $(spread %.1f "${A[@]}") MB/s as it is,
$(spread %.1f "${B[@]}") MB/s declared for buffered asynchronous reads, on null_blk with 100 us per request; $note. The
CPUs are emulated (QEMU without KVM, $kernel, 2 CPUs): only the ratios say something."

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Would ext2 gain from being declared for buffered asynchronous reads?
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=6.12-x86-bench
mib=${BENCH_GUEST_MIB:-64} seconds=${BENCH_SECONDS:-5}
guest_kernels $kernel
guest_clear S3-ext2
# With a polling kernel thread on two CPUs, and without one where instructions are counted.
for latency in 0 100000; do
	GUEST_OPTIONS=(-m 2G -t 600)
	guest_run S3-ext2 $kernel "polling $latency" rasync.sh "$RUNS" "$mib" "$seconds" $latency --sqthread_poll=1
	GUEST_OPTIONS+=(-i)
	guest_run S3-ext2 $kernel "counted $latency" rasync.sh "$RUNS" "$mib" "$seconds" $latency
done

# Sets A and B, what FILTER makes of each run of fio, and RATIO.
compare() # SET FILTER
{
	guest_compare S3-ext2 "select(.set == \"$1\" and .declared == false) | $2" \
		"select(.set == \"$1\" and .declared == true) | $2"
}

note=
for latency in 0 100000; do
	compare "counted $latency" '4096e9 / .bytes'
	note+=" $((latency / 1000)) us per request: $(spread %.0f "${A[@]}") ns per read as it is, $(spread %.0f "${B[@]}")
declared, on one CPU whose clock goes on by 1 ns per instruction, without the polling thread;"
	compare "polling $latency" '.bytes / 1e6'
	note+=" with it on two CPUs $(spread %.2f "${A[@]}") MB/s as it is, $(spread %.2f "${B[@]}") declared, $RATIO times;"
done
compare "counted 100000" '.bytes / 1e6'
# Has the series it?
declared=0
! grep -q '^+.*FOP_BUFFER_RASYNC' "$WB_TOP"/kernel/linux-*/*.patch || declared=1
result S3-ext2 "$RATIO" "times faster" ">= 1.2, or the series does not declare it" \
	"$(is_met 'v >= 1.2 || !d' "v=$RATIO" "d=$declared")" \
	"fio --rw=randread --bs=4k --size=${mib}M --iodepth=1 --runtime=$seconds --ioengine=io_uring --registerfiles
--fixedbufs --gtod_reduce=1 (with and without --sqthread_poll=1) on ext2 with nothing cached and null_blk.$note
The value is that of 100 us without polling. The CPUs are emulated (QEMU without KVM, $kernel): only the ratios say something."

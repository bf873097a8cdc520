# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Would ext2 gain from being declared for buffered asynchronous reads?  Sourced after lib.sh and guest.sh.

# Sets A and B, what FILTER makes of each run of fio, and RATIO.
rasync_compare() # SET FILTER
{
	guest_compare "$ROW" "select(.set == \"$1\" and .declared == false) | $2" \
		"select(.set == \"$1\" and .declared == true) | $2"
}

rasync_row() # ROW
{
	local latency note limit
	ROW=$1
	kernel=6.12-x86-bench
	mib=${BENCH_GUEST_MIB:-64} seconds=${BENCH_SECONDS:-5} latencies=(0 100000)
	[ -z "$QUICK" ] || seconds=1 latencies=(100000)
	guest_kernels $kernel
	guest_clear "$ROW"
	# With a polling kernel thread on two CPUs, and without one where instructions are counted.
	for latency in "${latencies[@]}"; do
		GUEST_OPTIONS=(-m 2G -t 600)
		[ -n "$QUICK" ] || guest_run "$ROW" $kernel "polling $latency" rasync.sh "$RUNS" "$mib" "$seconds" "$latency" --sqthread_poll=1
		GUEST_OPTIONS+=(-i)
		guest_run "$ROW" $kernel "counted $latency" rasync.sh "$RUNS" "$mib" "$seconds" "$latency"
	done

	note=
	for latency in "${latencies[@]}"; do
		rasync_compare "counted $latency" '4096e9 / .bytes'
		note+=" $((latency / 1000)) us per request: $(spread %.0f "${A[@]}") ns per read as it is, $(spread %.0f "${B[@]}")
declared, on one CPU whose clock goes on by 1 ns per instruction, without the polling thread;"
		[ -z "$QUICK" ] || continue
		rasync_compare "polling $latency" '.bytes / 1e6'
		note+=" with it on two CPUs $(spread %.2f "${A[@]}") MB/s as it is, $(spread %.2f "${B[@]}") declared, $RATIO times;"
	done
	rasync_compare "counted 100000" '.bytes / 1e6'
	# Has the series it?
	declared=0
	! grep -q '^+.*FOP_BUFFER_RASYNC' "$WB_TOP"/kernel/linux-*/*.patch || declared=1
	mapfile -t limit < <(guest_numbers "$ROW" "select(.set == \"counted 100000\" and .declared == null) | .bytes / 1e6")
	extra ratio "$RATIO"
	extra_text published "1.40 times (f2fs, 167 to 234 MB/s)"
	extra share "$(jq -nc --argjson l "$(median "${limit[@]}")" --argjson a "$(median "${A[@]}")" --argjson b "$(median "${B[@]}")" \
	'{without: (100 * $a / $l), with: (100 * $b / $l)}')"
	[ "$(is_met 'v >= 1.4' "v=$RATIO")" = true ] ||
		extra_text why "With one read at a time the flag can save no more than the way through a worker thread, and a request of 100 us is most of the
time: the share of the limit is what is left to gain. f2fs itself has the flag in the guest kernels, and there is no switch to take it away."

	result "$ROW" "$RATIO" "times faster" ">= 1.2, or the series does not declare it" \
		"$(is_met 'v >= 1.2 || !d' "v=$RATIO" "d=$declared")" \
		"fio --rw=randread --bs=4k --size=${mib}M --iodepth=1 --runtime=$seconds --ioengine=io_uring --registerfiles
--fixedbufs --gtod_reduce=1 (with and without --sqthread_poll=1) on ext2 with nothing cached and null_blk.$note
The value is that of 100 us without polling. The CPUs are emulated (QEMU without KVM, $kernel): only the ratios say something."
}

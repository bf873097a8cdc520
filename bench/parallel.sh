# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rows of S4: the published workloads of parallel writeback, scaled to a guest, with different numbers of
# contexts of the kernel series.  Sourced after lib.sh and guest.sh.

PARALLEL_KERNEL=7.3-smp-bench

# Numbers that FIELD has in the runs of DEVICE, AGE with N contexts.
parallel_numbers() # DEVICE AGE N FIELD
{
	guest_numbers "$ROW" "select(.set == \"$1 $2\" and .what == \"run\" and .contexts == $3) | .$4"
}

parallel_median() # DEVICE AGE N FIELD
{
	local v
	mapfile -t v < <(parallel_numbers "$@")
	median "${v[@]}"
}

# Bytes per second past the page cache and file systems: the best, as the guest gets faster at first.
parallel_limit() # DEVICE AGE
{
	guest_numbers "$ROW" "select(.set == \"$1 $2\" and .what == \"limit\") | .rate" | sort -g | tail -n 1
}

# Sets BEST to the number of contexts with the highest median of throughput on DEVICE, AGE.
parallel_best() # DEVICE AGE N...
{
	local device=$1 age=$2 n rate best=0
	shift 2
	for n in "$@"; do
		rate=$(parallel_median "$device" "$age" "$n" rate)
		[ "$(is_met 'r > b' "r=$rate" "b=$best")" = false ] || BEST=$n best=$rate
	done
}

# The row of the table for N contexts, a number or "user" with its quotes.
parallel_cells() # DEVICE AGE N
{
	local v words="$3"
	[ "$3" != '"user"' ] || words="1, user engine"
	mapfile -t v < <(parallel_numbers "$@" "rate / 1e6")
	# shellcheck disable=SC2016 # jq's names
	GRID=$(jq -c --args '. + [$ARGS.positional]' "$1, $2" "$words" "$(spread %.1f "${v[@]}")" \
		"$(calc '%.0f %%' '100 * 1e6 * v / l' "v=$(median "${v[@]}")" "l=$(parallel_limit "$1" "$2")")" \
		"$(parallel_median "$@" p99_ms)" "$(parallel_median "$@" worst_ms)" \
		"$(calc %.1f v "v=$(parallel_median "$@" extents)")" "$(parallel_median "$@" busy)" <<<"$GRID")
}

# A line of both plots, and those of the table.
parallel_show() # DEVICE AGE N...
{
	local case=("$1" "$2") n v one pauses
	shift 2
	one=$(parallel_median "${case[@]}" 1 rate)
	for n in "$@"; do
		parallel_cells "${case[@]}" "$n"
		mapfile -t v < <(parallel_numbers "${case[@]}" "$n" p99_ms)
		plot_point "$n" "${v[@]}"
	done
	pauses=$POINTS POINTS=[]
	for n in "$@"; do
		mapfile -t v < <(parallel_numbers "${case[@]}" "$n" "rate / $one")
		plot_point "$n" "${v[@]}"
	done
	plot_line "${case[0]}, ${case[1]}"
	# shellcheck disable=SC2016 # jq's names
	PAUSES=$(jq -c --arg n "${case[0]}, ${case[1]}" --argjson p "$pauses" '. + [{name: $n, points: $p}]' <<<"$PAUSES")
}

# The numbers of contexts to compare in CASE.  A run takes the slow disk 10 s.
parallel_contexts() # CASE
{
	case $QUICK$1 in
	slow*) echo "1 4" ;;
	nvme* | memory*) echo "1 2 4 8" ;;
	*) echo "1 2 4" ;;
	esac
}

# One row: FILES files of MIB each, a job and a directory for each.  TARGET is the published ratio.
parallel_row() # ROW FS FILES MIB TARGET PUBLISHED
{
	local fs=$2 files=$3 mib=$4 target=$5 published=$6 cases case runs size numbers value
	ROW=$1 GRID=[] PAUSES=[]
	case $fs in
	bcachefs) wb_skip "bcachefs has no cgroup writeback, so the series leaves it in context 0 and there are no contexts to" \
		"compare; it is in Linux 6.12 only, whose User Mode Linux has one CPU (6.12-uml-bcachefs)." ;;
	f2fs | btrfs) command -v "mkfs.$fs" >/dev/null || wb_skip "mkfs.$fs is not installed." ;;
	esac
	cases=("nvme fresh" "nvme aged" "memory fresh" "memory aged" "slow fresh" "slow aged")
	[ -z "$QUICK" ] || cases=("nvme fresh") mib=$((mib / 2))
	guest_kernels $PARALLEL_KERNEL
	guest_clear "$ROW"
	# shellcheck disable=SC2034 # guest_run has them
	GUEST_OPTIONS=(-m 3G -t 1200)
	for case in "${cases[@]}"; do
		size=$mib runs=$(((${RUNS:?} + 1) / 2)) numbers=$(parallel_contexts "$case")
		[ "$case" != "nvme fresh" ] || runs=$RUNS numbers+=" user"
		[[ $case != slow* ]] || size=$((mib / 24))
		# shellcheck disable=SC2086 # device and age
		guest_run "$ROW" $PARALLEL_KERNEL "$case" parallel.sh "$fs" "$runs" "$numbers" $case "$files" "$size" \
			$((size * files / 9 + 2))
	done
	for case in "${cases[@]}"; do
		# shellcheck disable=SC2046,SC2086 # words
		parallel_show $case $(parallel_contexts "$case")
	done
	parallel_cells nvme fresh '"user"'
	plot_end "Throughput by contexts" "contexts (number)" "against 1 context (times)" log
	# shellcheck disable=SC2034 # plot_end takes them
	LINES_OF_PLOT=$PAUSES
	plot_end "Dirty-throttle pauses" "contexts (number)" "p99 of pauses (ms)" log
	extra tables "$(jq -nc --argjson rows "$GRID" '[{title: "Medians (smallest to largest)", columns: ["device", "contexts",
		"MB/s", "of the limit", "p99 pause, ms", "worst, ms", "extents per file", "CPUs busy, %"], rows: $rows}]')"
	# shellcheck disable=SC2046 # words; the first is 1
	parallel_best nvme fresh $(parallel_contexts "nvme fresh" | cut -d" " -f2-)
	mapfile -t A < <(parallel_numbers nvme fresh 1 "rate / 1e6")
	mapfile -t B < <(parallel_numbers nvme fresh "$BEST" "rate / 1e6")
	value=$(calc %.3f 'b / a' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
	extra labels "$(jq -nc --arg n "$BEST contexts" '{without: "1 context", with: $n}')"
	extra ratio "$value"
	extra_text published "$published"
	extra share "$(jq -nc --argjson l "$(parallel_limit nvme fresh)" --argjson a "$(median "${A[@]}")" \
		--argjson b "$(median "${B[@]}")" '{without: (1e8 * $a / $l), with: (1e8 * $b / $l)}')"
	[ "$(is_met 'v >= t' "v=$value" "t=$target")" = true ] || extra_text why "$(parallel_why)"
	result "$ROW" "$value" "times the throughput" ">= $target" "$(is_met 'v >= t' "v=$value" "t=$target")" \
		"$files files of $mib MiB on $fs, a directory and a job of fio for each (--rw=randwrite --bs=4k --ioengine=io_uring
--iodepth=16, new files) and a sync, vm.dirty_bytes a ninth of them. null_blk with memory: nvme takes 100 us a request and
has a queue for each CPU, memory takes none, slow has one queue of one request of 2 ms and files a 24th as long. aged: two thirds of the
file system were filled by files of 64 KiB and every second one removed. The value is of nvme, fresh; 2 CPUs, $PARALLEL_KERNEL;
with 1 the kernel has one flusher, as it has unpatched. user engine:
1 context, and wbd with after = 512K, whose operations covered $(calc '%.0f %%' '100 * f / b' "f=$(parallel_median nvme fresh '"user"' flushed)" "b=$((files * mib << 20))") of the bytes (what is written over again counts again). Pauses are those of balance_dirty_pages. All was read back as written."
}

parallel_why()
{
	echo "With 1 context the guest's 2 CPUs were already busy $(parallel_median nvme fresh 1 busy) % of the time, with $BEST contexts
$(parallel_median nvme fresh "$BEST" busy) %, by the writing jobs and the flushers together; the p99 of the pauses went from $(parallel_median nvme fresh 1 p99_ms) to $(parallel_median nvme fresh "$BEST" p99_ms) ms. The
published figures are of NVMe disks; how many CPUs those machines had is not in them. The guest is User Mode
Linux, where system calls and interrupts cost more than a processor's, and its disk is memory, for there is no NVMe."
}

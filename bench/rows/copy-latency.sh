#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long another process's 4 KiB write and fsync take while 2 GiB are copied: on a RAM disk,
# where writing costs CPU time, and on a file of a real disk.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../copy.sh"

# A program that logs 100 times a second.  A disk's fsync takes some milliseconds, so that
# the other process is not the load itself; a stall of 30 ms or more delays at least 3 of
# the samples of one copy, which are 1 % of a copy that takes 3 s.
every_ms=10

copy_source
cat "$SRC" >/dev/null
export SRC BUILD
export -f copy_cp copy_wb

# Latencies while COMMAND runs, in us: "p50 p99 worst samples".
beside() # COMMAND ARG...
{
	bench_fresh
	"$BUILD/fsync_probe" $every_ms "$MNT/victim" "$@" |
		jq -er '"\(.p50_us) \(.p99_us) \(.worst_us) \(.samples)"'
}

copy_beside() # cp|wb
{
	beside bash -euc "copy_$1 \"\$1\"" bash "$MNT/copy"
}

# "p50, p99 and worst" of what is in the arrays.
latencies() # NAME OF ARRAYS
{
	local -n p50=$1_50 p99=$1_99 worst=$1_worst
	echo "p50 $(spread_by 1000 %.2f "${p50[@]}"), p99 $(spread_by 1000 %.2f "${p99[@]}"), worst $(spread_by 1000 %.0f "${worst[@]}") ms"
}

# Adds what is found to A, B and note; the worst ratio to value.
compare() # TYPE WHERE
{
	local r side sides got idle v n
	# shellcheck disable=SC2034 # latencies() has them by name
	local cp_50=() cp_99=() cp_worst=() wb_50=() wb_99=() wb_worst=()
	MNT=$(wb_mkfs_on "$DEV" "$1")
	copy_beside cp >/dev/null # the device and the source get their memory
	idle=$(beside sleep 3)
	for ((r = 1; r <= RUNS; r++)); do
		sides=(cp wb)
		((r % 2)) || sides=(wb cp)
		for side in "${sides[@]}"; do
			got=$(copy_beside "$side")
			wb_note "$1 on $2, $side: p50, p99, worst in us, samples: $got"
			local -n s50=${side}_50 s99=${side}_99 sworst=${side}_worst
			read -r v n got _ <<<"$got"
			s50+=("$v") s99+=("$n") sworst+=("$got")
		done
	done
	wb_umount "$MNT"
	v=$(calc %.2f 'a / b' "a=$(median "${cp_99[@]}")" "b=$(median "${wb_99[@]}")")
	value=$(calc %.2f 'v < w ? v : w' "v=$v" "w=$value")
	A+=("${cp_99[@]}") B+=("${wb_99[@]}")
	read -r _ n _ <<<"$idle"
	note+="$1 on $2: $v times lower. cp and sync -d: $(latencies cp); wb-cp: $(latencies wb);
p99 with no copy $(calc %.2f 'n / 1000' "n=$n") ms. "
}

value=999 note="" A=() B=()
for where in "a RAM disk" "a disk's file"; do
	case $where in
	*RAM*) bench_ram_disk 4G ;;
	*) bench_slow_disk 4G ;;
	esac
	for type in xfs ext4; do
		compare $type "$where"
	done
done
result copy-latency "$value" "times lower p99" ">= 2.0" "$(is_met 'v >= 2' "v=$value")" \
	"4 KiB write + fsync, one due every $every_ms ms and timed from when it is due, while $COPY_MIB MiB are
copied from tmpfs to the same file system; ratio of the medians of p99, the worst case counts. $note"

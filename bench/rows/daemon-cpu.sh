#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU time of wbd while 8 writers write as fast as they may: with the user engine here, with the
# kernel engine in a guest.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

seconds=${BENCH_SECONDS:-20}
bench_ram_disk 3G
bench_fs xfs
set=(--files 8 --size "${BENCH_MIB}M")
load seq "${set[@]}"
bench_sysctl vm.dirty_background_bytes $((128 << 20))
bench_sysctl vm.dirty_bytes $((256 << 20))

# Milliseconds of CPU time of the thread that decides, and of all: the others open, look at and
# flush files.  sum_exec_runtime, as the ticks of stat are too coarse.
loop_ms() { awk '/^se.sum_exec_runtime/ { print $3 }' "/proc/$WB_PID/task/$WB_PID/sched"; }
all_ticks() { awk '{ print $14 + $15 }' "/proc/$WB_PID/stat"; }

loop=() all=()
for ((r = 1; r <= RUNS; r++)); do
	sync -f "$MNT"
	daemon_start </dev/null
	before=$(loop_ms) ticks=$(all_ticks)
	load overwrite "${set[@]}" --threads 8 --seconds "$seconds" --seed "$r"
	loop+=("$(calc %.4f '(a - b) / 10 / s' "a=$(loop_ms)" "b=$before" "s=$(loaded .seconds)")")
	all+=("$(calc %.4f '(a - b) / s' "a=$(all_ticks)" "b=$ticks" "s=$(loaded .seconds)")")
	daemon_stop
done
writers_measure daemon-cpu fast 48 "none auto"
mapfile -t kernel < <(guest_numbers daemon-cpu 'select(.way == "auto") | 100 * .cpu')
# shellcheck disable=SC2034 # for result
A=("${kernel[@]}") B=("${loop[@]}")
value=$(median "${kernel[@]}")
met=$(is_met 'k <= 1 && u <= 5' "k=$value" "u=$(median "${loop[@]}")")
result daemon-cpu "$value" "% of a CPU" "<= 1 (kernel engine), <= 5 (user engine)" "$met" \
	"8 writers, 4 KiB at random, as fast as they may. Kernel engine ($WRITERS_KERNEL, which is emulated, so its seconds are long ones):
$(spread %.2f "${kernel[@]}") % of a CPU. User engine, on this machine: the thread that watches and decides
$(spread %.2f "${loop[@]}") %, all threads, which open, look at and flush the files, $(spread %.1f "${all[@]}") %.
The columns are the kernel engine and the user engine's thread that decides."

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Eight writers that the kernel throttles: wbd's own choice of the number of contexts, every fixed
# number, and no wbd.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

writers_measure kernel-auto fast 48 "none auto 2 4 8"
writers_compare kernel-auto none auto
writers_best kernel-auto 2 4 8
of_best=$(calc %.3f 'a / b' "a=$(median "${B[@]}")" "b=$(median "${BEST_RATES[@]}")")
met=$(is_met 'v >= 1.25 && o >= 0.9' "v=$RATIO" "o=$of_best")
result kernel-auto "$RATIO" "times the throughput" ">= 1.25, and 0.9 of the best number" "$met" \
	"8 writers, 4 KiB at random into files of 48 MiB, one in each AG of XFS, vm.dirty_bytes of 32 MiB, on null_blk with
memory and without latency; $WRITERS_KERNEL, emulated with 2 CPUs; bytes by the time until all is down.
$(writers_facts kernel-auto none auto 2 4 8) wbd's choice is $of_best of the best fixed number ($BEST)."

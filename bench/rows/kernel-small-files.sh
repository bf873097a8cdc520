#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Small files on a device with 100 us latency, written back by 1 to 16 contexts of the kernel's.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=7.3-smp-bench
files=${BENCH_GUEST_FILES:-4000}
set=(--files "$files" --size 16K)
guest_kernels $kernel
guest_clear kernel-small-files
GUEST_OPTIONS=(-m 3G -t 600)
guest_run kernel-small-files $kernel xfs drain.sh xfs "$RUNS" "1 2 4 8 16" 100000 0 seq "${set[@]}"

note=$(contexts_facts kernel-small-files xfs 1 2 4 8 16)
contexts_best kernel-small-files xfs 2 4 8 16
contexts_plot kernel-small-files "Sync of small files by contexts" xfs -- 1 2 4 8 16
value=$(calc %.3f 'a / b' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
result kernel-small-files "$value" "times faster" "none: the curve" true \
	"sync of $files files of 16 KiB, created in 8 directories in the 8 AGs of XFS, on null_blk with memory whose requests
take 100 us; 2 CPUs, $kernel. $note The value is of $BEST contexts."

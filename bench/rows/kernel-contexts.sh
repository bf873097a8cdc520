#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own contexts: time of sync with 1, 2 and 4 of them, in a guest with 2 CPUs.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=7.3-smp-bench
mib=${BENCH_GUEST_MIB:-40}
set=(--files 8 --size "${mib}M")
guest_kernels $kernel
guest_clear kernel-contexts
GUEST_OPTIONS=(-m 3G -t 600)
guest_run kernel-contexts $kernel rand drain.sh xfs "$RUNS" "1 2 4" 0 0 rand "${set[@]}"
guest_run kernel-contexts $kernel seq drain.sh xfs "$RUNS" "1 2 4" 0 0 seq "${set[@]}"

note=$(contexts_facts kernel-contexts rand 1 2 4)
sequential=$(contexts_facts kernel-contexts seq 1 2 4)
contexts_best kernel-contexts rand 2 4
contexts_plot kernel-contexts "Sync by contexts" rand seq -- 1 2 4
value=$(calc %.3f 'a / b' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
result kernel-contexts "$value" "times faster" ">= 1.5" "$(is_met 'v >= 1.5' "v=$value")" \
	"sync of 8 files of $mib MiB, one in each AG of XFS, every 4 KiB block written once in random order, on null_blk with
memory and without latency; 2 CPUs, $kernel. $note Written in sequence: $sequential The value is of $BEST contexts."

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own contexts: time of sync with 1, 2 and 4 of them, in guests with 2 CPUs.
#
# The x86 guest is what counts.  Under User Mode Linux with several CPUs each local_irq_disable()
# is a sigprocmask(2) of the host, which takes a lock that the threads of a process share; profiled,
# these calls are more than half of a flusher's time, and two flushers wait for each other there.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

x86=6.12-x86-bench um=7.3-smp-bench
mib=${BENCH_GUEST_MIB:-64}
set=(--files 8 --size "${mib}M")
guest_kernels $x86 $um
guest_clear kernel-contexts

GUEST_OPTIONS=(-m 3G -t 900)
one_set() # KERNEL NAME MODE...
{
	local kernel=$1 name=$2
	shift 2
	guest_run kernel-contexts "$kernel" "$name" drain.sh xfs "$RUNS" "1 2 4" 0 0 "$@" "${set[@]}"
}

note=
tell() # NAME WORDS
{
	note+=" $2: $(contexts_facts kernel-contexts "$1" 1 2 4)"
}

one_set $x86 rand rand
one_set $x86 in-place rand --in-place
one_set $um um rand
one_set $um um-seq seq
tell rand "New files"
tell in-place "Files that are overwritten"
tell um "New files under User Mode Linux ($um), whose flushers wait for a lock of the host"
tell um-seq "The same written in sequence"
contexts_best kernel-contexts rand 2 4
contexts_plot kernel-contexts "Sync by contexts" rand in-place um -- 1 2 4
value=$(calc %.3f 'a / b' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
result kernel-contexts "$value" "times faster" ">= 1.5" "$(is_met 'v >= 1.5' "v=$value")" \
	"sync of 8 files of $mib MiB, one in each AG of XFS, every 4 KiB block written once in random order, on null_blk with memory
and without latency; $x86, emulated with 2 CPUs.$note
The value is of new files and $BEST contexts."

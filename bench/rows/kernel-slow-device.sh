#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same writers on a device with one slow queue, where more flushers have nothing to gain.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

writers_measure kernel-slow-device slow 16 "none auto search"
writers_compare kernel-slow-device none auto
worse=$(calc %.1f '100 * (1 - r)' "r=$RATIO")
result kernel-slow-device "$worse" "% slower" "<= 3" "$(is_met 'v <= 3' "v=$worse")" \
	"8 writers, 4 KiB at random into files of 16 MiB, one in each AG of XFS, vm.dirty_bytes of 32 MiB, on a null_blk that takes
one request at a time, 1 ms each; $WRITERS_KERNEL, emulated with 2 CPUs; bytes by the time until all is down.
$(writers_facts kernel-slow-device none auto search)"

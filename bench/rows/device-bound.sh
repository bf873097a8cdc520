#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same drain where the disk is the limit: there is nothing to gain, nor to lose.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../drain.sh"

bench_slow_disk 3G
bench_fs xfs
SET=(--files 8 --size "${BENCH_MIB}M")
# The disk is a shared one, whose speed varies by half: more and nearer pairs.
drain_compare $((RUNS * 4)) "$DRAIN_ONLY" rand
slower=$(calc %.1f 'v' "v=$(pairs_percent_more)")
drain_extra
result device-bound "$slower" "% slower" "<= 3" "$(drain_met 'v <= 3' "v=$slower")" \
	"$(drain_facts). The disk: rotational=$(cat "/sys/block/${DEV##*/}/queue/rotational"), so the
configuration names it; left alone, the daemon would do nothing here."

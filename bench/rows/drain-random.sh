#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drain of 8 files, one per AG, whose blocks were written in random order.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../drain.sh"

row=$(basename "$0" .sh)
mode=rand
[ "$row" = drain-random ] || mode=seq

bench_ram_disk 3G
bench_fs xfs
SET=(--files 8 --size "${BENCH_MIB}M")
drain_compare "$RUNS" "$DRAIN_ONLY" $mode
value=$(drain_ratio)
note=$(drain_facts).
drain_extra
runs_a=("${A[@]}") runs_b=("${B[@]}")
MORE=
[ -n "$QUICK" ] || drain_more $mode
A=("${runs_a[@]}") B=("${runs_b[@]}")
result "$row" "$value" "times faster" ">= 1.6" "$(drain_met 'v >= 1.6' "v=$value")" "$note $MORE"

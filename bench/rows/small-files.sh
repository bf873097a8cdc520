#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 20,000 files of 16 KiB in 8 directories, as unpacking an archive makes them.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../drain.sh"

bench_ram_disk 3G
bench_fs xfs
SET=(--files "${BENCH_FILES:-20000}" --size 16K)
export DIRECT_BLOCK=16K
drain_compare "$RUNS" "$DRAIN_ONLY" seq
value=$(drain_ratio)
note="$(drain_facts). Creating and draining takes $(spread %.2f "${BW[@]}") s, against
$(spread %.2f "${AW[@]}") s without the daemon."
drain_extra
runs_a=("${A[@]}") runs_b=("${B[@]}")
drain_compare $(((RUNS + 1) / 2)) "" seq
note+=" With the shipped settings that is $(spread %.2f "${BW[@]}") s against
$(spread %.2f "${AW[@]}") s."
A=("${runs_a[@]}") B=("${runs_b[@]}")
result small-files "$value" "times faster" ">= 1.0" "$(drain_met 'v >= 0.995' "v=$value")" "$note"

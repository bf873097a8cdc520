#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that is overwritten all the time must not be written out all the time.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../bytes.sh"

seconds=${BENCH_SECONDS:-30} mib=256
hot_load() # SEED
{
	load overwrite --files 1 --size ${mib}M --rate 20000 --seconds "$seconds" --seed "$1"
}

bench_ram_disk 3G
bench_fs xfs
load seq --files 1 --size ${mib}M
bytes_compare hot_load
more=$(bytes_more)
written=$(loaded .bytes)
wb_remount_cold "$MNT"
load verify --files 1 --size ${mib}M --any-gen ||
	wb_fail "the file differs from what was written"
result hot-overwrite "$more" "% more device bytes" "<= 5" "$(is_met 'v <= 5' "v=$more")" \
	"20,000 writes of 4 KiB per second, $(mib "$written") MiB in $seconds s, then a sync:
the device got $(mib "${A[@]}") MiB without and $(mib "${B[@]}") MiB with the daemon. Settings as shipped."

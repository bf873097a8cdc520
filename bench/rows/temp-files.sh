#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are deleted half a second after they were made must never be written.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../bytes.sh"

seconds=${BENCH_SECONDS:-60}
temp_load() # SEED
{
	load temp --size 64K --rate 200 --life 0.5 --seconds "$seconds" --files $((200 * 60)) --seed "$1"
}

bench_ram_disk 3G
bench_fs xfs
bytes_compare temp_load
more=$(bytes_more)
written=$(loaded .bytes)
extra=$(calc %.3f '100 * (b - a) / w' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")" "w=$written")
result temp-files "$more" "% more device bytes" "<= 2" "$(is_met 'v <= 2' "v=$more")" \
	"200 files of 64 KiB per second for $seconds s, $(mib "$written") MiB in all:
the device got $(mib "${A[@]}") MiB without and $(mib "${B[@]}") MiB with the daemon (the file system's
log and inodes); the difference is $extra % of the files' bytes. Settings as shipped."

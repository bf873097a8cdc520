#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ramfs with blocks larger than a page: dd of 2 MiB at a time.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=6.12-x86-bench
mib=${BENCH_GUEST_MIB:-256}
sizes=(4 8 16 32 64 128 256 512 1024 2048)
guest_kernels $kernel
guest_clear ramfs-blocksize
GUEST_OPTIONS=(-m 1G -t 300)
guest_run ramfs-blocksize $kernel dd ramfs-blocksize.sh "$RUNS" "$mib" "${sizes[@]}"

# MB/s of each dd
speeds() # KIB
{
	guest_numbers ramfs-blocksize "select(.kib == $1) | $mib * 1048576 / 1e6 / .seconds"
}

curve=
for kib in "${sizes[@]}"; do
	mapfile -t v < <(speeds "$kib")
	curve+="$kib KiB $(spread %.0f "${v[@]}"), "
done
mapfile -t A < <(speeds 4)
mapfile -t B < <(speeds 2048)
value=$(calc %.2f 'b / a' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
result ramfs-blocksize "$value" "times faster" ">= 2.5" "$(is_met 'v >= 2.5' "v=$value")" \
	"dd of $mib MiB from /dev/zero to ramfs, 2 MiB at a time, with blocks of 2 MiB against 4 KiB. MB/s by block
size: ${curve%, }. The CPUs are emulated (QEMU without KVM, $kernel): only the ratios say something. Clearing
dd's buffer and copying it are in the time, and cost the same whatever the block size."

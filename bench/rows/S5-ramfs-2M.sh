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
guest_clear S5-ramfs-2M
GUEST_OPTIONS=(-m 1G -t 300)
guest_run S5-ramfs-2M $kernel time ramfs-blocksize.sh "$RUNS" "$mib" "${sizes[@]}"
GUEST_OPTIONS+=(-i)
guest_run S5-ramfs-2M $kernel instructions ramfs-blocksize.sh "$RUNS" "$mib" "${sizes[@]}"

# What FILTER makes of each dd
of() # SET KIB FILTER
{
	guest_numbers S5-ramfs-2M "select(.set == \"$1\" and .kib == $2) | $3"
}

# Sets A, B and FASTER.
compare() # SET
{
	local of="select(.set == \"$1\" and .kib"
	guest_compare S5-ramfs-2M "$of == 4) | .seconds" "$of == 2048) | .seconds"
	FASTER=$(calc %.2f '1 / r' "r=$RATIO")
}

curve=
for kib in "${sizes[@]}"; do
	mapfile -t n < <(of instructions "$kib" ".seconds * 1e9 / ($mib * 256)")
	mapfile -t t < <(of time "$kib" "$mib * 1048576 / 1e6 / .seconds")
	curve+=" $kib KiB: $(spread %.0f "${n[@]}"), $(spread %.0f "${t[@]}") MB/s;"
done
compare time
time=$FASTER
compare instructions
result S5-ramfs-2M "$FASTER" "times fewer instructions" ">= 2.5" "$(is_met 'v >= 2.5' "v=$FASTER")" \
	"dd of $mib MiB from /dev/zero to ramfs, 2 MiB at a time, with blocks of 2 MiB against 4 KiB. Instructions per 4 KiB of
data, as the clock of a guest with one CPU counts them, and MB/s of the emulator with two:$curve that speed is $time times that of 4 KiB. The
emulator (QEMU without KVM, $kernel) takes its own time for every page of memory that is touched, and copies
8 bytes per instruction; no real machine's speed has been measured. Clearing dd's buffer and copying it are in both, and cost
the same whatever the block size."

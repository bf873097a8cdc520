# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ramfs with blocks larger than a page: dd of 2 MiB at a time.  Sourced after lib.sh and guest.sh.

# What FILTER makes of each dd
ramfs_of() # SET KIB FILTER
{
	guest_numbers "$ROW" "select(.set == \"$1\" and .what == \"dd\" and .kib == $2) | $3"
}

# Sets A, B and FASTER.
ramfs_compare() # SET
{
	local of="select(.set == \"$1\" and .what == \"dd\" and .kib"
	guest_compare "$ROW" "$of == 4) | .seconds" "$of == 2048) | .seconds"
	FASTER=$(calc %.2f '1 / r' "r=$RATIO")
}

# Sets EMULATED to what the emulator's own time says, which QUICK=1 does not ask for.
ramfs_emulated()
{
	local kib t
	EMULATED=
	[ -z "$QUICK" ] || return 0
	for kib in "${sizes[@]}"; do
		mapfile -t t < <(ramfs_of time "$kib" "$mib * 1048576 / 1e6 / .seconds")
		EMULATED+=" $kib KiB $(spread %.0f "${t[@]}"),"
	done
	ramfs_compare time
	EMULATED="MB/s of the emulator with two CPUs:$EMULATED which is $FASTER times."
}

# The ratio if blocks of 2 MiB took what the limit takes.
ramfs_ceiling()
{
	local small
	mapfile -t small < <(ramfs_of instructions 4 ".seconds $page")
	calc %.2f "a / l" "a=$(median "${small[@]}")" "l=$(median "${limit[@]}")"
}

# One row.  TARGET is in times fewer instructions.
ramfs_row() # ROW TARGET
{
	local kernel=6.12-x86-bench target=$2 curve='' page kib n
	ROW=$1
	mib=$(guest_mib 128 256)
	sizes=(4 8 16 32 64 128 256 512 1024 2048)
	[ -z "$QUICK" ] || sizes=(4 16 64 256 2048)
	guest_kernels $kernel
	guest_clear "$ROW"
	GUEST_OPTIONS=(-m 1G -t 300)
	if [ -z "$QUICK" ]; then
		guest_run "$ROW" $kernel time ramfs-blocksize.sh "$RUNS" "$mib" "${sizes[@]}"
	fi
	GUEST_OPTIONS+=(-i)
	guest_run "$ROW" $kernel instructions ramfs-blocksize.sh "$RUNS" "$mib" "${sizes[@]}"

	page="* 1e9 / ($mib * 256)"
	mapfile -t limit < <(guest_numbers "$ROW" "select(.set == \"instructions\" and .what == \"limit\") | .seconds $page")
	for kib in "${sizes[@]}"; do
		mapfile -t n < <(ramfs_of instructions "$kib" ".seconds $page")
		plot_point "$kib" "${n[@]}"
		curve+=" $kib KiB $(spread %.0f "${n[@]}"), $(calc '%.0f %%' '100 * l / v' "l=$(median "${limit[@]}")" "v=$(median "${n[@]}")") of the limit;"
	done
	plot_line "dd of 2 MiB at a time"
	plot_end "ramfs by block size" "block size (KiB)" "instructions per 4 KiB (number)" log
	ramfs_emulated
	ramfs_compare instructions
	extra ratio "$FASTER"
	extra_text published "3.3 times (1.7 GB/s with 4 KiB, 5.6 GB/s with 2 MiB)"
	extra share "$(jq -nc --argjson l "$(median "${limit[@]}")" --argjson a "$(median "${A[@]}")" --argjson b "$(median "${B[@]}")" \
	--argjson n $((mib * 256)) '{without: (1e-7 * $l * $n / $a), with: (1e-7 * $l * $n / $b)}')"
	[ "$(is_met 'v >= t' "v=$FASTER" "t=$target")" = true ] ||
		extra_text why "Reading zeros and copying them, 8 bytes with each instruction, is nearly all that is left with blocks of 2 MiB (the share of the limit), so
$(ramfs_ceiling) times is the most that these instructions allow. A real processor copies several times faster, and what large blocks save, allocating,
locking and indexing pages, is more of its time; but KVM is not to be had here, and the emulator's own time has costs for every page."
	result "$ROW" "$FASTER" "times fewer instructions" ">= $target" "$(is_met 'v >= t' "v=$FASTER" "t=$target")" \
		"dd of $mib MiB from /dev/zero to ramfs, 2 MiB at a time, with blocks of 2 MiB against 4 KiB. Instructions per 4 KiB of
data, as the clock of a guest with one CPU counts them (QEMU without KVM, $kernel):$curve $EMULATED
The limit is what writing to the same pages once more takes, when they are there already: the copy alone."
}

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rows of S1 and S2: a file written in sequence, with the order hint capped to 0 and not, in turns,
# in the x86 guest.  Sourced after lib.sh and guest.sh.

FOLIO_KERNEL=6.12-x86-bench
FOLIO_HINT=131072

# Is option NAME in the configuration of KERNEL?  Before that is built.
kernel_has() # KERNEL NAME
{
	local fragments f
	fragments=$(awk -v k="$1" '$1 == k { for (i = 7; i <= NF; i++) print $i }' "$GUEST/kernels")
	for f in $fragments; do
		! grep -qx "$2=y" "$WB_TOP/kernel/config/$f.config" || return 0
	done
	return 1
}

folio_numbers() # SET H FILTER
{
	guest_numbers "$ROW" "select(.set == \"$1\" and .what == \"time\" and .hint == $2) | $3"
}

# What FILTER makes of the files with the hint H, as "median (smallest to largest)".
folio_of() # SET H FORMAT FILTER
{
	local v
	mapfile -t v < <(folio_numbers "$1" "$2" "$4")
	spread "$3" "${v[@]}"
}

folio_count() # H FIELD
{
	guest_numbers "$ROW" "select(.set == \"instructions\" and .what == \"folios\" and .hint == $1) | .$2"
}

# Sets A and B, without and with the hint, and RATIO.
folio_compare() # SET FILTER
{
	local of="select(.set == \"$1\" and .what == \"time\" and .hint"
	guest_compare "$ROW" "$of == 0) | $2" "$of == $FOLIO_HINT) | $2"
}

# One row: writes of KIB in FS.  TARGET is in times fewer instructions.
folio_row() # ROW FS KIB TARGET
{
	local fs=$2 kib=$3 target=$4 emulated='' mib page limit fewer times note
	ROW=$1
	mib=$(guest_mib 64 256)
	guest_kernels $FOLIO_KERNEL
	guest_clear "$ROW"
	GUEST_OPTIONS=(-m 3G -t 300)
	if [ -z "$QUICK" ]; then
		guest_run "$ROW" $FOLIO_KERNEL time folio-hint.sh "$RUNS" "$mib" $FOLIO_HINT 5 "$kib" "$fs"
		folio_compare time '.write + .sync'
		emulated="On two emulated CPUs $RATIO times as long: $(spread %.2f "${A[@]}") s without, $(spread %.2f "${B[@]}") s with."
	fi
	GUEST_OPTIONS+=(-i)
	guest_run "$ROW" $FOLIO_KERNEL instructions folio-hint.sh "$RUNS" "$mib" $FOLIO_HINT 5 "$kib" "$fs"
	page="* 1e9 / ($mib * 256)"
	note="Writes: $(folio_of instructions 0 %.0f ".write $page") without and $(folio_of instructions $FOLIO_HINT %.0f ".write $page")
with; sync: $(folio_of instructions 0 %.0f ".sync $page") and $(folio_of instructions $FOLIO_HINT %.0f ".sync $page"); extents per file
$(folio_of instructions 0 %.0f .extents) and $(folio_of instructions $FOLIO_HINT %.0f .extents)."
	fewer=$(calc %.2f 'a / b' "a=$(folio_count 0 folios)" "b=$(folio_count $FOLIO_HINT folios)")
	mapfile -t limit < <(guest_numbers "$ROW" "select(.set == \"instructions\" and .what == \"limit\") | .seconds $page")
	folio_compare instructions "(.write + .sync) $page"
	times=$(calc %.3f '1 / r' "r=$RATIO")
	extra ratio "$times"
	extra_text published "about 3 times (7655 against 2500 MiB/s, XFS, NVMe, writes of 1 MiB)"
	extra share "$(folio_share "${limit[@]}")"
	[ "$(is_met 'v >= t' "v=$times" "t=$target")" = true ] || extra_text why "$(folio_why "${limit[@]}")"
	result "$ROW" "$times" "times fewer instructions" ">= $target" "$(is_met 'v >= t' "v=$times" "t=$target")" \
		"A file of $mib MiB written in sequence, $kib KiB at a time, and a sync, $fs on null_blk without latency, hint of 128 KiB; the
baseline is the same kernel with folio_order_max 0, which ignores the hint, the other has 5. Instructions per 4 KiB, as the clock of a
guest with one CPU counts them (QEMU without KVM, $FOLIO_KERNEL). Folios: $(folio_count 0 folios) (order*number
$(folio_count 0 orders)) and $(folio_count $FOLIO_HINT folios) ($(folio_count $FOLIO_HINT orders)), $fewer times fewer. $note $emulated
The device's limit is the same file overwritten by O_DIRECT, 1 MiB at a time."
}

# Percent of the limit, without and with.
folio_share() # LIMIT...
{
	local l
	l=$(median "$@")
	jq -nc --argjson a "$(calc %.4g '100 * l / v' "l=$l" "v=$(median "${A[@]}")")" \
		--argjson b "$(calc %.4g '100 * l / v' "l=$l" "v=$(median "${B[@]}")")" '{without: $a, with: $b}'
}

folio_why() # LIMIT...
{
	local device page="* 1e9 / ($mib * 256)" write sync plain
	device=$(median "$@")
	mapfile -t write < <(folio_numbers instructions $FOLIO_HINT ".write $page")
	mapfile -t sync < <(folio_numbers instructions $FOLIO_HINT ".sync $page")
	mapfile -t plain < <(folio_numbers instructions 0 ".sync $page")
	echo "Of the instructions per page that remain with the hint, $(calc %.0f d "d=$device") are the device's own (the limit), and $(median "${write[@]}" |
		xargs printf %.0f) those of writing $kib KiB by each system call, which a hint does not change. Without the device's the sync takes
$(calc %.0f 's - d' "s=$(median "${sync[@]}")" "d=$device") instead of $(calc %.0f 's - d' "s=$(median "${plain[@]}")" "d=$device"). The published ratio is that of system calls of 1 MiB
on one side and the other, and the baseline here already makes folios of the length of each write."
}

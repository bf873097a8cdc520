#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A hint on the size of writes: folios of the page cache, and time of writing and sync.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=6.12-x86-bench hint=65536
mib=$(guest_mib 64 256)
guest_kernels $kernel
guest_clear folio-hint
GUEST_OPTIONS=(-m 3G -t 300)
guest_run folio-hint $kernel time folio-hint.sh "$RUNS" "$mib" $hint 4 4 xfs
GUEST_OPTIONS+=(-i)
guest_run folio-hint $kernel instructions folio-hint.sh "$RUNS" "$mib" $hint 4 4 xfs

# What FILTER makes of the files with the hint H, as "median (smallest to largest)".
of() # SET H FORMAT FILTER
{
	local v
	mapfile -t v < <(guest_numbers folio-hint \
		"select(.set == \"$1\" and .what == \"time\" and .hint == $2) | $4")
	spread "$3" "${v[@]}"
}
folios() # H FIELD
{
	guest_numbers folio-hint \
		"select(.set == \"time\" and .what == \"folios\" and .hint == $1) | .$2"
}
# Sets A and B, without and with the hint, and RATIO.
compare() # SET
{
	local of="select(.set == \"$1\" and .what == \"time\" and .hint"
	guest_compare folio-hint "$of == 0) | .write + .sync" "$of == $hint) | .write + .sync"
}

fewer=$(calc %.2f 'a / b' "a=$(folios 0 folios)" "b=$(folios $hint folios)")
compare time
time=$RATIO
seconds="$(spread %.2f "${A[@]}") s without, $(spread %.2f "${B[@]}") s with"
compare instructions
page=".write * 1e9 / ($mib * 256)"
result folio-hint "$fewer" "times fewer folios" ">= 8; write and sync not slower" \
	"$(is_met 'v >= 8 && t <= 1 && n <= 1' "v=$fewer" "t=$time" "n=$RATIO")" \
	"A file of $mib MiB written in sequence, 4 KiB at a time, XFS with folio_order_max 4 on null_blk. Folios:
$(folios 0 folios) where it is not heeded, $(folios $hint folios) with one of 64 KiB (order*number $(folios $hint orders)).
Instructions per 4 KiB as the clock of a guest with one CPU counts them: write $(of instructions 0 %.0f "$page") without,
$(of instructions $hint %.0f "$page") with, sync $(of instructions 0 %.0f "${page/write/sync}") and
$(of instructions $hint %.0f "${page/write/sync}"), together $RATIO times as many. Write and sync on two
emulated CPUs: $seconds, $time times as long (the writes $(of time 0 %.2f .write) and $(of time $hint %.2f .write) s, the syncs
$(of time 0 %.2f .sync) and $(of time $hint %.2f .sync) s). Extents per file: $(of time 0 %.0f .extents) and
$(of time $hint %.0f .extents). QEMU without KVM, $kernel: only ratios say something."

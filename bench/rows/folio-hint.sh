#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A hint on the size of writes: folios of the page cache, and time of writing and sync.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

kernel=6.12-x86-bench hint=65536
mib=${BENCH_GUEST_MIB:-256}
guest_kernels $kernel
guest_clear folio-hint
GUEST_OPTIONS=(-m 3G -t 300)
guest_run folio-hint $kernel xfs folio-hint.sh "$RUNS" "$mib" $hint 4

# What FILTER makes of the files with the hint H.
of() # H FILTER
{
	guest_numbers folio-hint "select(.what == \"time\" and .hint == $1) | $2"
}
# "median (smallest to largest)" of it
seconds() # H FILTER
{
	local v
	mapfile -t v < <(of "$1" "$2")
	spread %.2f "${v[@]}"
}
folios() # H FIELD
{
	guest_numbers folio-hint "select(.what == \"folios\" and .hint == $1) | .$2"
}

mapfile -t A < <(of 0 '.write + .sync')
mapfile -t B < <(of $hint '.write + .sync')
fewer=$(calc %.2f 'a / b' "a=$(folios 0 folios)" "b=$(folios $hint folios)")
time=$(calc %.3f 'b / a' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
result folio-hint "$fewer" "times fewer folios" ">= 8; time <= 1" \
	"$(is_met 'v >= 8 && t <= 1' "v=$fewer" "t=$time")" \
	"A file of $mib MiB written in sequence, 4 KiB at a time, XFS with folio_order_max 4 on null_blk. Folios:
$(folios 0 folios) without a hint, $(folios $hint folios) with one of 64 KiB (order*number $(folios $hint orders)). Write and
sync: $(spread %.2f "${A[@]}") s without, $(spread %.2f "${B[@]}") s with, so $time times as long; the writes
$(seconds 0 .write) and $(seconds $hint .write) s, the syncs $(seconds 0 .sync) and $(seconds $hint .sync) s. Extents per
file: $(seconds 0 .extents) and $(seconds $hint .extents). The CPUs are emulated (QEMU without KVM, $kernel, 2 CPUs): seconds
are those of an emulator, only their ratio says something."

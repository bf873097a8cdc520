#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Streams on a full disk and on bad sectors: the error is told, at the latest by close.
# The same bytes whatever system calls are denied.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

tool=$WB_TOOLS/libwb_stream
mib=$((1 << 20))
ways=("" "-f 4") # io_uring, plain

run() # WAY FILE BYTES [OPTION...]: prints "OPEN|WRITE CLOSE"
{
	local way=$1 file=$2 bytes=$3
	shift 3
	# shellcheck disable=SC2086
	"$tool" $way "$@" "$file" "$bytes" >"$WB_TMP/said" || true
	awk '{ print $2 }' "$WB_TMP/said" | paste -sd' '
}

for type in xfs ext4; do
	wb_has_fs $type || continue

	mnt=$(wb_mkfs $type 1G)
	wb_note "$type: the same bytes by every way"
	[ "$(run "" "$mnt/a" 50000017)" = "ok ok" ] || wb_fail "$(cat "$WB_TMP/said")"
	want=$(sha256sum <"$mnt/a")
	for deny in io_uring_setup=EPERM io_uring_enter=EPERM io_uring_register=ENOMEM \
		sync_file_range=ENOSYS "io_uring_setup=ENOSYS sync_file_range=EPERM"; do
		# shellcheck disable=SC2086
		"$WB_TOOLS/deny" $deny -- "$tool" "$mnt/b" 50000017 >"$WB_TMP/said" ||
			wb_fail "$deny: $(cat "$WB_TMP/said")"
		[ "$(sha256sum <"$mnt/b")" = "$want" ] || wb_fail "$deny: other bytes"
	done
	[ "$(run "-f 7" "$mnt/b" 50000017 -w 7777)" = "ok ok" ] || wb_fail "preallocated"
	[ "$(sha256sum <"$mnt/b")" = "$want" ] || wb_fail "preallocated: other bytes"
	wb_is_clean "$mnt" || wb_fail "$type: dirty after close"

	wb_note "$type: a full disk"
	fallocate -l 400M "$mnt/ballast"
	for way in "${ways[@]}"; do
		said=$(run "$way" "$mnt/full" $((900 * mib)))
		[ "$said" = "ENOSPC ENOSPC" ] || wb_fail "$type $way: $said"
		rm "$mnt/full"
	done
	said=$(run "-f 1" "$mnt/full" $((900 * mib)))
	[ "$said" = ENOSPC ] || wb_fail "$type: preallocating says $said"
	wb_umount "$mnt"

	if dev=$(wb_zram 1G); then
		wb_note "$type: EIO"
		for way in "${ways[@]}"; do
			mnt=$(wb_mkfs_on "$dev" $type)
			# Zeros need no memory there, what comes over them does.
			head -c 16M /dev/zero >"$mnt/eio"
			sync -f "$mnt"
			limit=/sys/block/${dev##*/}/mem_limit
			awk '{ print $3 + 65536 }' "${limit%/*}/mm_stat" >"$limit"
			said=$(run "$way" "$mnt/eio" $((16 * mib)) -k -c $mib)
			echo 0 >"$limit"
			[[ $said =~ ^(ok|EIO)\ EIO$ ]] || wb_fail "$type $way: $said"
			wb_note "way '$way': $said"
			wb_umount "$mnt"
		done
	else
		wb_note "no zram here: what gives EIO is left out"
	fi

	# A loop device over a full tmpfs may give either error.
	wb_note "$type: bad sectors"
	for way in "${ways[@]}"; do
		mnt=$(wb_mkfs_bad $type 512)
		wb_bad_file "$mnt" bad 16
		wb_bad_on
		said=$(run "$way" "$mnt/bad" $((16 * mib)) -k -c $mib)
		[[ $said =~ (EIO|ENOSPC)$ ]] || wb_fail "$type $way: $said"
		wb_note "way '$way': $said"
		wb_bad_done "$mnt"
	done
done

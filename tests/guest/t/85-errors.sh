#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A disk fails: those who ask are told, nothing hangs, contexts come and go all the same.
#
# guest: fs=xfs,ext4 fs@7.3-smp=xfs limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs}

null_disk wbbad 800
disk=/dev/wbbad
make_mount "$fs"
echo 16 >"$bdi/writeback_contexts"

# Small files in all groups, and one whose blocks we spoil.
"$tools/fill" - "$mnt" 64 65536 1 >/tmp/manifest
mkdir "$mnt/bad"
"$tools/fill" - "$mnt/bad" 1 1048576 1 >/dev/null
victim=$mnt/bad/d0/f0
sync
extents=$(filefrag -b512 -v "$victim" | awk -F'[: .]+' '$5 ~ /^[0-9]+$/ { print $5 "-" $6 }')
[ -n "$extents" ] || fail "the file has no extents: $(filefrag -b512 -v "$victim")"
for extent in $extents; do
	echo "+$extent" >"$null/badblocks"
done

# dirty FILE: write over its first bytes without waiting for them
dirty() { dd if=/dev/zero of="$1" bs=64k count=1 conv=notrunc status=none; }
# told CALL FILE ERROR: what the call on the file says; "" is no error
told() {
	local said
	said=$("$tools/synced" "$1" "$2") || :
	expect "$1 of $2" "$said" "$3"
}
other=$mnt/d3/f3
# syncfs tells each opener of errors since it opened, once
exec 9<"$mnt"
dirty "$victim"
dirty "$other"
told fsync "$victim" EIO
told fsync "$other" ""
told syncfs - EIO <&9
told syncfs - "" <&9
exec 9<&-

# Contexts go while what cannot be written is dirty in them.
now=16
for n in 1 16 4 1 16; do
	for ((i = 0; i < 8; i++)); do
		"$tools/wbctx" pin $((i * 2 % now)) "$victim"
		dirty "$victim"
		dirty "$mnt/d$i/f$i"
	done
	echo $n >"$bdi/writeback_contexts"
	expect "writeback_contexts" "$(cat "$bdi/writeback_contexts")" $n
	now=$n
done
sync
"$tools/wbctx" unpin "$victim"

# The disk is repaired, and all is as before.
for extent in $extents; do
	echo "-$extent" >"$null/badblocks"
done
told fsync "$victim" EIO
"$tools/fill" - "$mnt/bad" 1 1048576 2 >/tmp/manifest-bad
"$tools/fill" - "$mnt" 64 65536 2 >/tmp/manifest
told fsync "$victim" ""
remount
"$tools/verify" "$mnt" </tmp/manifest
"$tools/verify" "$mnt/bad" </tmp/manifest-bad
umount "$mnt"
check_fs "$fs"

# A part of it fails under load: as much as badblocks can remember, 512 times 512 sectors.
mount_fs "$fs"
start_changing
for seed in 1 2; do
	mkdir "$mnt/w$seed"
	"$tools/churn" "$mnt/w$seed" 100000 $seed >/dev/null 2>&1 &
	workers+=($!)
done
sleep 1
kill -0 "${workers[@]}" || fail "the workers ended before the disk did"
exec 9<"$mnt"
echo "+0-$((512 * 512 - 1))" >"$null/badblocks"
# with an error, or because ext4 makes itself read-only
wait "${workers[@]}" || :
! "$tools/synced" syncfs - <&9 >/dev/null || fail "syncfs says that all is well"
exec 9<&-
stop_changing
umount "$mnt"
echo 0 >"$null/power"
rmdir "$null"
echo "$fs: $changes changes of the number of contexts while it failed"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input to every file and call of the ABI is refused and changes nothing.
#
# guest: x86=yes limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
make_mount xfs

# written FILE EXPRESSION: the error of one write(2) of what the expression of perl is
written() {
	perl -e 'open(my $f, ">", $ARGV[0]); print "$!" unless defined(syswrite($f, eval $ARGV[1]))' "$@"
}
# refused FILE TEXT ERROR: writing TEXT fails with ERROR
refused() {
	local said
	if [[ $2 == *$'\n'* ]]; then
		# bash would write each line by itself
		said=$(written "$1" "qq{$2}")
	else
		said=$({ printf %s "$2" >"$1"; } 2>&1) || :
	fi
	expect "'$2' to ${1##*/}" "${said##*: }" "$3"
}
einval='Invalid argument' erange='Numerical result out of range' e2big='Argument list too long'

echo 4 >"$bdi/writeback_contexts"
for text in 0 65 -1 x '' '4 4' 4x 99999999999999999999 1.5; do
	[ -z "$text" ] || refused "$bdi/writeback_contexts" "$text" "$einval"
done
expect "writeback_contexts" "$(cat "$bdi/writeback_contexts")" 4

echo "1 1" >"$sysfs/group_map"
for text in 1 '1 ' 'a 1' '1 a' '2-1 1' '1- 1' '-1 1' '1 1 1' 'default 1' '0x1 1' '4294967296 1'; do
	refused "$sysfs/group_map" "$text" "$einval"
done
for text in '8 1' '0-8 1' '4294967295 1' '1 4' '1 64'; do
	refused "$sysfs/group_map" "$text" "$erange"
done
expect "group_map" "$(cat "$sysfs/group_map")" "1 1"

for f in folio_order_min folio_order_max; do
	for text in -1 x 256 33 '1 1'; do
		refused "$sysfs/$f" "$text" "$einval"
	done
	expect $f "$(cat "$sysfs/$f")" 0
done

# A text is taken as a whole or not at all, whatever is wrong with it and where.
whole='0 0
1 2'
echo default >"$sysfs/group_map"
echo "$whole" >"$sysfs/group_map"
refused "$sysfs/group_map" $'2 3\n3 x' "$einval"
refused "$sysfs/group_map" $'default\n0 99' "$erange"
refused "$sysfs/group_map" $'2 3\n\n-' "$einval"
# a NUL byte
expect "NUL" "$(written "$sysfs/group_map" '"0 3\0\n1 3"')" "$einval"
expect "long text" "$(written "$sysfs/group_map" '"default\n" . "0 3\n" x 3000')" "$e2big"
expect "group_map" "$(cat "$sysfs/group_map")" "$whole"

# What only tells can only be read, and what can be set only by root.
for f in "$bdi/writeback_contexts_max" "$bdi"/writeback_context/0/* "$sysfs/abi" "$sysfs/bdi" "$sysfs/groups"; do
	! echo 1 2>/dev/null >"$f" || fail "$f can be written"
	cat "$f" >/dev/null || fail "$f cannot be read"
done
for f in "$bdi/writeback_contexts" "$sysfs/group_map" "$sysfs/folio_order_min" "$sysfs/folio_order_max"; do
	# shellcheck disable=SC2016 # the shell inside expands it
	! setpriv --reuid 65534 --clear-groups bash -c 'echo 1 >"$1"' - "$f" 2>/dev/null || fail "nobody may write $f"
done
! mkdir "$sysfs/x" /sys/fs/writeback/x "$bdi/writeback_context/9" 2>/dev/null || fail "directories can be made"
expect "writeback_contexts" "$(cat "$bdi/writeback_contexts")" 4
expect "writeback_contexts_max" "$(cat "$bdi/writeback_contexts_max")" 64

touch "$mnt/f" /tmp/f
"$tools/abuse" "$mnt/f" 4 /tmp/f
"$tools/abuse" "$mnt" 4 /tmp 2>/dev/null && fail "a directory can be opened for writing"
said=$(setpriv --reuid 65534 --clear-groups "$tools/wbctx" pin 0 "$mnt/f") && fail "nobody may pin"
expect "pin by nobody" "${said#*error=}" EPERM
# asking is for everybody, also about directories
setpriv --reuid 65534 --clear-groups "$tools/wbctx" get "$mnt/f" "$mnt" >/dev/null || fail "nobody may ask"

# Gone with the file system, also for those who have its files open.
exec 8<>"$sysfs/group_map" 9<"$sysfs/groups"
umount "$mnt"
[ ! -e "$sysfs" ] || fail "$sysfs is still there"
! echo "0 1" 2>/dev/null >&8 || fail "the map of what is gone can be set"
! cat <&9 2>/dev/null || fail "the groups of what is gone can be asked for"
exec 8>&- 9<&-

# More ranges than a map can have: ext4 with many groups.
mkfs.ext4 -q -F -G 1 -g 512 "$disk"
mount_fs ext4
groups=$(cat "$sysfs/groups")
((groups >= 400)) || fail "$groups groups are too few"
echo 4 >"$bdi/writeback_contexts"
# ranges COUNT: every second group, so that none can be merged
ranges() {
	local i
	for ((i = 0; i < $1; i++)); do
		echo "$((2 * i)) $((i % 4))"
	done
}
ranges 160 >"$sysfs/group_map"
full=$(cat "$sysfs/group_map")
expect "ranges" "$(echo "$full" | wc -l)" 160
expect "group_map" "$full" "$(ranges 160)"
refused "$sysfs/group_map" "321 1" "$e2big"
# whoever splits a range needs one more, or two
refused "$sysfs/group_map" "default
0-$((groups - 1)) 0
$(for ((i = 1; i < 82; i++)); do echo "$((3 * i)) 1"; done)" "$e2big"
expect "group_map" "$(cat "$sysfs/group_map")" "$full"
echo "0-$((groups - 1)) 3" >"$sysfs/group_map"
expect "group_map" "$(cat "$sysfs/group_map")" "0-$((groups - 1)) 3"
umount "$mnt"

# ramfs: a block size that there cannot be is refused, not rounded.
mkdir -p /tmp/ram
for size in 0 1 4095 4097 12k 3M 4M 2147483648 -4096 x 4kx 4k4k '' 1E \
	18446744073709555712 18014398509481988k 16777217T 1048577E 0x1000; do
	! mount -t ramfs -o "blocksize=$size" ramfs /tmp/ram 2>/dev/null ||
		fail "ramfs took a block size of '$size': $(grep /tmp/ram /proc/mounts)"
done
mount -t ramfs -o blocksize=4k ramfs /tmp/ram
umount /tmp/ram

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two file systems on one disk share its contexts and each has a map of its own.
#
# guest: full=7.3-smp disk=1600M limit=180

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
files=160

printf ',700M\n,\n' | sfdisk -q "$disk"
parts=("$disk"1 "$disk"2)
[ -b "${parts[1]}" ] || skip "the kernel reads no partition tables"
make_mount xfs "${parts[0]}" /tmp/one
bdi1=$bdi sysfs1=$sysfs
make_mount xfs "${parts[1]}" /tmp/two
bdi2=$bdi sysfs2=$sysfs
expect "the bdi of the other partition" "$bdi2" "$bdi1"
[ "$sysfs1" != "$sysfs2" ] || fail "both file systems have the directory $sysfs1"
echo 4 >"$bdi/writeback_contexts"

# A bound is of one of them, and so is a map.
echo 2 >"$sysfs1/folio_order_max"
expect "folio_order_max of the other" "$(cat "$sysfs2/folio_order_max")" 0
echo "0-7 3" >"$sysfs1/group_map"
expect "group_map" "$(cat "$sysfs1/group_map")" "0-7 3"
expect "group_map of the other" "$(cat "$sysfs2/group_map")" default

for dir in /tmp/one /tmp/two; do
	"$tools/fill" - $dir $files 5000 1 >"/tmp/manifest-${dir##*/}"
done
# off DIR EXPRESSION: files whose context is not what a formula of the group says
off() {
	find "$1" -type f -print0 | xargs -0 "$tools/wbctx" get | sed 's/[a-z]*=//g' |
		awk "\$2 != ($2) { print }"
}
# shellcheck disable=SC2016 # the expressions in quotes are awk's
by_group='$3 % 4'
expect "files off the map" "$(off /tmp/one 3)" ""
expect "files of the other off the default" "$(off /tmp/two "$by_group")" ""
seen=$(find /tmp/two -type f -print0 | xargs -0 "$tools/wbctx" get | sed 's/.*context=\([0-9]\).*/\1/' | sort -u | wc -l)
expect "contexts that the other's files are in" "$seen" 4
inodes=$(cat "$bdi/writeback_context/3/inodes")
((inodes > files)) || fail "context 3 has $inodes inodes, not those of both file systems"

# The same numbers of groups again, the other way round.
echo "0-7 1" >"$sysfs2/group_map"
expect "group_map of the first" "$(cat "$sysfs1/group_map")" "0-7 3"
for dir in /tmp/one /tmp/two; do
	rm -r "$dir"/d*
	"$tools/fill" - $dir $files 5000 2 >"/tmp/manifest-${dir##*/}"
done
expect "files off the maps" "$(off /tmp/one 3)$(off /tmp/two 1)" ""

# Fewer contexts concern both; one file system going concerns the other in nothing.
echo 2 >"$bdi/writeback_contexts"
# shellcheck disable=SC2016
expect "files off after shrinking" "$(off /tmp/one '$3 % 2')$(off /tmp/two 1)" ""
umount /tmp/one
[ ! -e "$sysfs1" ] || fail "$sysfs1 is still there"
expect "contexts" "$(cat "$bdi/writeback_contexts")" 2
expect "group_map of the one left" "$(cat "$sysfs2/group_map")" "0-7 1"
expect "files off when the other went" "$(off /tmp/two 1)" ""
mount "${parts[0]}" /tmp/one
expect "group_map after mounting again" "$(cat "$sysfs1/group_map")" default
expect "folio_order_max after mounting again" "$(cat "$sysfs1/folio_order_max")" 0

echo 3 >/proc/sys/vm/drop_caches
for dir in /tmp/one /tmp/two; do
	"$tools/verify" $dir <"/tmp/manifest-${dir##*/}"
	umount $dir
done
check_fs xfs "${parts[0]}"
check_fs xfs "${parts[1]}"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inodes are where the map and the pins say: 30-map.sh FS [FILES]
#
# guest: fs=xfs,ext4 fs@7.3-smp=xfs limit=600

# shellcheck disable=SC2016 # the expressions in quotes are awk's
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} count=${2:-10000}

make_mount "$fs"
expect "abi" "$(cat "$sysfs/abi")" 1
expect "bdi" "$(cat "$sysfs/bdi")" "$(basename "$bdi")"
expect "group_map" "$(cat "$sysfs/group_map")" default
groups=$(cat "$sysfs/groups")
((groups >= 8)) || fail "$groups groups are too few"
echo 4 >"$bdi/writeback_contexts"

# New directories go to groups of their own.
for ((d = 0; d < 64; d++)); do
	mkdir "$mnt/d$d"
done
perl -e '
	for (my $i = 0; $i < $ARGV[1]; $i++) {
		my $name = "$ARGV[0]/d" . $i % 64 . "/f$i";
		open(my $f, ">", $name) or die "$name: $!";
		print $f "x" x 5000;
	}' "$mnt" "$count"

# wrong EXPRESSION: the files whose context is not what a formula of their group says
wrong() {
	find "$mnt" -type f -print0 | xargs -0 "$tools/wbctx" get |
		sed 's/[a-z]*=//g' | awk "\$2 != ($1) { print }"
}
nothing_wrong() { [ -z "$(wrong "$1")" ]; }

seen=$(find "$mnt" -type f -print0 | xargs -0 "$tools/wbctx" get | sed 's/.*group=\([0-9]*\).*/\1/' | sort -u | wc -l)
((seen >= 8)) || fail "the files are in $seen groups only"
expect "files off the default map" "$(wrong '$3 % 4')" ""

# A new map is followed when an inode becomes dirty.
last=$((groups - 1))
printf '0-3 0\n4-%d 3\n' "$last" >"$sysfs/group_map"
expect "group_map" "$(tr '\n' , <"$sysfs/group_map")" "0-3 0,4-$last 3,"
redirty() {
	sync
	find "$mnt" -type f -print0 | xargs -0 -n 100 perl -e 'for (@ARGV) { open(my $f, ">>", $_); print $f "y" }'
}
follows_map() { redirty; nothing_wrong '$3 < 4 ? 0 : 3'; }
wait_until follows_map

# A pin moves a dirty inode at once, and only that one.
file=$(find "$mnt" -type f | head -1)
echo more >>"$file"
before=$(cat "$bdi/writeback_context/2/inodes")
"$tools/wbctx" pin 2 "$file"
expect "pinned file" "$("$tools/wbctx" get "$file" | sed 's/ group=[0-9]*//')" "$file context=2 pinned=1 order=0"
expect "context 2's inodes" "$(cat "$bdi/writeback_context/2/inodes")" $((before + 1))
"$tools/wbctx" unpin "$file"
nothing_wrong '$3 < 4 ? 0 : 3' || fail "unpinning did not bring the file back"

# The inodes of contexts that go are elsewhere when the write returns.
echo default >"$sysfs/group_map"
printf '0-%d 3\n' "$last" >"$sysfs/group_map"
wait_until eval "redirty; nothing_wrong 3"
echo 2 >"$bdi/writeback_contexts"
expect "files off after shrinking" "$(wrong '$3 % 2')" ""
total=$(cat "$bdi"/writeback_context/*/inodes | paste -sd+ | bc)
((total >= count)) || fail "$total inodes are counted of $count"

# A clean file goes where it is pinned to, and leaves that context when it goes.
echo 4 >"$bdi/writeback_contexts"
sync
"$tools/wbctx" pin 3 "$file"
expect "pinned clean file" "$("$tools/wbctx" get "$file" | sed 's/ group=[0-9]*//')" "$file context=3 pinned=1 order=0"
timeout 60 sh -c 'echo 2 >"$0"' "$bdi/writeback_contexts" || fail "a clean pinned file holds up shrinking"
expect "files off after shrinking again" "$(wrong '$3 % 2')" ""
remount
expect "files" "$(find "$mnt" -type f | wc -l)" "$count"
umount "$mnt"
check_fs "$fs"
echo "$fs: $count files in $seen of $groups groups"

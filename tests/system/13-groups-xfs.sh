#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file's group on XFS is the AG that xfs_bmap says its data is in.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"
wb_has_fs xfs || wb_skip_fs xfs

ask() # FILE: sets group, basis, inode_group
{
	read -r group basis inode_group < <("$WB_TOOLS/fsys" group "$1" |
		jq -r '"\(.group) \(.basis) \(.inode_group)"')
}

expect() # FILE BASIS GROUP
{
	ask "$1"
	[ "$basis" = "$2" ] || wb_fail "$1: by $basis, not by $2"
	[ "$group" = "$3" ] || wb_fail "$1: in AG $3, not $group"
}

# AG of the last extent, by the file system's own tool.
ag() # FILE
{
	xfs_io -r -c 'bmap -v' "$1" | awk '$3 ~ /\.\./ { ag = $4 } END { print ag }'
}

ag_of_inode() # FILE MNT
{
	local dev
	dev=$(wb_dev "$2")
	xfs_db -r "$dev" -c "convert inode $(stat -c %i "$1") agno" |
		sed -n 's/.*(\([0-9]*\)).*/\1/p'
}

mnt=$(wb_mkfs xfs 1G)

# New folders go round the AGs, and files start in their folder's.
seen=()
for i in $(seq 16); do
	mkdir "$mnt/d$i"
	head -c 64K /dev/zero >"$mnt/d$i/file"
	: >"$mnt/d$i/empty"
done
sync -f "$mnt"
for i in $(seq 16); do
	f=$mnt/d$i/file
	expect "$f" data "$(ag "$f")"
	[ "$inode_group" = "$(ag_of_inode "$f" "$mnt")" ] || wb_fail "$f: inode elsewhere"
	seen[group]=1
	expect "$mnt/d$i/empty" inode "$(ag_of_inode "$mnt/d$i/empty" "$mnt")"
done
[ ${#seen[@]} -eq 8 ] || wb_fail "files in ${#seen[@]} of 8 AGs only"

# Not yet allocated: the inode's AG, and asking writes nothing back.  (xfs_db does, so
# it is asked before; another's sync may come between, so it is tried again.)
want=$(ag_of_inode "$mnt/d3" "$mnt")
for i in $(seq 20); do
	rm -f "$mnt/d3/delayed"
	head -c 1M /dev/zero >"$mnt/d3/delayed"
	ask "$mnt/d3/delayed"
	dirty=$("$WB_TOOLS/cached" -s "$mnt/d3/delayed" 2>/dev/null) || dirty=1048576
	[ "$basis" = data ] || [ "$dirty" -lt 1048576 ] || break
done
[ "$basis" = inode ] || wb_fail "delayed allocation has a place ($basis)"
[ "$group" = "$want" ] || wb_fail "delayed: in $group, not in $want"
[ "$dirty" -ge 1048576 ] || wb_fail "looking at the file wrote it back"

# Fill the AG of d1, then write there: the data goes elsewhere, and the group with it.
home=$(ag_of_inode "$mnt/d1" "$mnt")
n=0
for size in 8M 1M 64K; do
	while fallocate -l $size "$mnt/d1/fill$n" && [ "$(ag "$mnt/d1/fill$n")" = "$home" ]; do
		n=$((n + 1))
		[ $n -lt 200 ] || wb_fail "AG $home does not fill up"
	done
	rm "$mnt/d1/fill$n"
done
head -c 4M /dev/zero >"$mnt/d1/moved"
sync -f "$mnt"
f=$mnt/d1/moved
expect "$f" data "$(ag "$f")"
[ "$inode_group" = "$home" ] || wb_fail "moved: the inode is not in AG $home"
[ "$group" != "$home" ] || wb_fail "moved: the data is not elsewhere"

# The newest data decides: the beginning is at home, the end where there is room.
f=$mnt/d1/file
[ "$(ag "$f")" = "$home" ] || wb_fail "$f is not in AG $home"
xfs_io -c "pwrite -q 32m 8m" "$f"
sync -f "$mnt"
expect "$f" data "$(ag "$f")"
[ "$group" != "$home" ] || wb_fail "the end of $f is not elsewhere"

# Sparse: one extent before a hole of 2 TiB, and 300 that are apart.
xfs_io -f -c "pwrite -q 0 4k" -c "truncate 2t" "$mnt/d4/sparse"
for i in $(seq 0 2 600); do
	echo "pwrite -q $((i * 4))k 4k"
done | xfs_io -f "$mnt/d5/many" >/dev/null
sync -f "$mnt"
for f in "$mnt/d4/sparse" "$mnt/d5/many"; do
	expect "$f" data "$(ag "$f")"
done
wb_umount "$mnt"

# inode32 on 3 TiB: inode numbers say nothing, data does.
if mnt=$(wb_mkfs xfs 3T -l size=64m); then
	dev=$(wb_dev "$mnt")
	wb_umount "$mnt"
	wb_mount "$dev" "$mnt" -o inode32
	"$WB_TOOLS/fsys" scan | jq -s -e --arg t "$mnt" \
		'any(.[]; .target == $t and .inode_unplaced)' >/dev/null || wb_fail "inode32 unnoticed"
	: >"$mnt/empty"
	head -c 64K /dev/zero >"$mnt/file"
	sync -f "$mnt"
	ask "$mnt/empty"
	[ "$basis" = hash ] || wb_fail "inode32: by $basis, not by hash"
	expect "$mnt/file" data "$(ag "$mnt/file")"
	wb_umount "$mnt"
fi

# Realtime files are hashed: their data is on another device.
data=$(wb_loop 1G)
rt=$(wb_loop 256M)
mkfs.xfs -q -f -r rtdev="$rt" -d rtinherit=1 "$data"
mkdir "$WB_TMP/rt"
if mount -o rtdev="$rt" "$data" "$WB_TMP/rt" 2>/dev/null; then
	wb_defer wb_umount "$WB_TMP/rt"
	head -c 1M /dev/zero >"$WB_TMP/rt/file"
	sync -f "$WB_TMP/rt"
	ask "$WB_TMP/rt/file"
	[ "$basis" = realtime ] || wb_fail "a realtime file goes unnoticed ($basis)"
	"$WB_TOOLS/fsys" scan | jq -s -e --arg t "$WB_TMP/rt" \
		'any(.[]; .target == $t and .realtime)' >/dev/null || wb_fail "no realtime device seen"
else
	wb_note "this kernel has no XFS realtime"
fi

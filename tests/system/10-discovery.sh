#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real devices are found: whole and partitioned loops, btrfs on two, binds, read-only.
set -eu
. "$(dirname "$0")/../lib.sh"

find_at() # MOUNTPOINT FILTER: of the one entry there
{
	"$WB_TOOLS/fsys" scan | jq -r --arg t "$1" "select(.target == \$t) | $2"
}

expect() # MOUNTPOINT FIELD VALUE
{
	local got
	got=$(find_at "$1" ".$2")
	[ "$got" = "$3" ] || wb_fail "$1: $2 is '$got', not '$3'"
}

devno()
{
	cat "/sys/class/block/${1#/dev/}/dev"
}

# ---- XFS and ext4 on whole loops -------------------------------------------------

if wb_has_fs xfs; then
	mnt=$(wb_mkfs xfs 1G)
	dev=$(wb_dev "$mnt")
	expect "$mnt" type xfs
	expect "$mnt" class local
	expect "$mnt" device "${dev#/dev/}"
	expect "$mnt" disk "${dev#/dev/}"
	expect "$mnt" bdi "$(devno "$dev")"
	expect "$mnt" groups 8
	expect "$mnt" kind xfs
	expect "$mnt" rotational 0
	expect "$mnt" readonly false
	expect "$mnt" snapshot false
	expect "$mnt" geom_error null
	expect "$mnt" queue_depth "$(cat "/sys/block/${dev#/dev/}/queue/nr_requests")"
	wb_umount "$mnt"
	# A superblock that is read-only, by the superblock's options.
	wb_mount "$dev" "$mnt" -o ro
	expect "$mnt" readonly true
	wb_umount "$mnt"
	wb_mount "$dev" "$mnt" -o ro,norecovery
	expect "$mnt" snapshot true
	wb_umount "$mnt"
fi

mnt=$(wb_mkfs ext4 1G)
dev=$(wb_dev "$mnt")
expect "$mnt" kind ext4
expect "$mnt" groups 1 # 8 block groups in one flex group
expect "$mnt" geom_error null
plain=$(wb_mkfs ext4 1G -O ^flex_bg)
expect "$plain" groups 8
small=$(wb_mkfs ext4 1G -b 1024)
expect "$small" groups 8 # of 16 times 8 MiB
wb_umount "$plain"
wb_umount "$small"

# ---- binds and other views of one superblock are one entry -------------------------

one_entry() # MOUNTPOINT
{
	local n
	n=$("$WB_TOOLS/fsys" scan | jq -r .dev | grep -cx "$(mountpoint -d "$1")")
	[ "$n" -eq 1 ] || wb_fail "$n entries for one superblock"
}

mkdir "$mnt/dir" "$WB_TMP/b" "$WB_TMP/a-long-name-for-a-whole-one"
mount --bind "$mnt/dir" "$WB_TMP/b"
wb_defer wb_umount "$WB_TMP/b"
one_entry "$mnt"
expect "$mnt" kind ext4 # not the shorter bind
mount --bind "$mnt" "$WB_TMP/a-long-name-for-a-whole-one"
wb_defer wb_umount "$WB_TMP/a-long-name-for-a-whole-one"
one_entry "$mnt"
expect "$mnt" kind ext4 # not the longer whole one
mount -o remount,bind,ro "$mnt"
expect "$mnt" readonly false # a read-only mount of a writable superblock
mount -o remount,bind,rw "$mnt"

# Hidden by another mount, so the other way in is taken.
mount -t tmpfs hide "$mnt"
expect "$WB_TMP/a-long-name-for-a-whole-one" kind ext4
umount "$mnt"

# From another name space it is still one, and what is only there is not seen here.
# shellcheck disable=SC2016 # expanded by the inner shell
unshare --mount --propagation private bash -c '
	mkdir "$1/elsewhere"
	mount --bind "$2" "$1/elsewhere"
	mount -t tmpfs only-there "$1/b"
	touch "$1/inside"
	exec sleep 1000' - "$WB_TMP" "$mnt" &
other=$!
wb_defer wb_kill_daemon $other
wb_wait_for 10 test -e "$WB_TMP/inside"
one_entry "$mnt"
expect "$mnt" kind ext4
[ -z "$(find_at "$WB_TMP/b" .type)" ] || wb_fail "a mount of another name space is seen"
kill $other
wait $other || true
wb_umount "$WB_TMP/a-long-name-for-a-whole-one"
wb_umount "$WB_TMP/b"
wb_umount "$mnt"

# ---- strange mount points ----------------------------------------------------------

odd=$(printf '%s/a b\nc\t#\\d' "$WB_TMP")
mkdir "$odd"
wb_mount "$dev" "$odd"
expect "$odd" groups 1
umount "$odd"

# ---- a file on the system's disk may rotate; one on tmpfs does not --------------------

root_rot=$("$WB_TOOLS/fsys" scan | jq -r 'select(.target == "/") | .rotational')
slow=$(mktemp /var/tmp/wb-disk.XXXXXX)
wb_defer rm -f "$slow"
truncate -s 64M "$slow"
mnt=$(wb_mkfs_on "$(wb_loop_on "$slow")" ext4)
if [ "$(stat -c %d /)" = "$(stat -c %d /var/tmp)" ] && [ "$root_rot" = 1 ]; then
	expect "$mnt" rotational 1
fi
wb_umount "$mnt"

# ---- a partition ------------------------------------------------------------------

disk=$WB_TMP/parted
truncate -s 600M "$disk"
printf 'label: gpt\nsize=200M\nsize=300M\n' | sfdisk -q "$disk"
dev=$(wb_loop_on "$disk")
blockdev --rereadpt "$dev" 2>/dev/null || partx -a "$dev" 2>/dev/null || true
if [ -b "${dev}p2" ]; then
	mnt=$(wb_mkfs_on "${dev}p2" ext4 -b 4096)
	base=${dev#/dev/}
	expect "$mnt" device "${base}p2"
	expect "$mnt" disk "$base"
	expect "$mnt" bdi "$(devno "$dev")"
	expect "$mnt" dev "$(devno "${dev}p2")"
	expect "$mnt" rotational 0
	expect "$mnt" groups 1
	expect "$mnt" geom_error null
	wb_umount "$mnt"
	partx -d "$dev" 2>/dev/null || true
else
	wb_note "this kernel makes no partitions on loop devices"
fi

# ---- btrfs on two ------------------------------------------------------------------

if wb_has_fs btrfs; then
	a=$(wb_loop 400M)
	b=$(wb_loop 400M)
	mnt=$(wb_mkfs_on "$a" btrfs "$b")
	expect "$mnt" class local
	expect "$mnt" members "$(printf '%s\n' "${a#/dev/}" "${b#/dev/}" | sort -V | xargs)"
	bdi=$(basename "$(readlink "/sys/fs/btrfs/$(findmnt -nro UUID "$mnt")/bdi")")
	expect "$mnt" bdi "$bdi"
	[ -e "/sys/class/bdi/$bdi" ] || wb_fail "no such bdi: $bdi"
	expect "$mnt" rotational 0
	expect "$mnt" groups 64
	btrfs -q subvolume create "$mnt/sub"
	btrfs -q subvolume snapshot -r "$mnt/sub" "$mnt/snap"
	expect "$mnt" snapshot false
	wb_umount "$mnt"
	wb_mount "$a" "$mnt" -o subvol=snap
	expect "$mnt" snapshot true
	wb_umount "$mnt"
	wb_mount "$a" "$mnt" -o subvol=sub
	expect "$mnt" snapshot false
	wb_umount "$mnt"
fi

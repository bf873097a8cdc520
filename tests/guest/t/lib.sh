# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests in the guest share.  They end at the first command that fails.

set -eu
# shellcheck disable=SC2034 # for those who source this
tools=${WB_GUEST_TOOLS:-$WB_RUN/tools}
disk=${WB_DISK:-/dev/ubda}

fail() {
	echo "FAILED: $*"
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

# expect WHAT IS WANT
expect() {
	[ "$2" = "$3" ] || fail "$1: is '$2', should be '$3'"
}

# Wait until a command succeeds, half a minute at most.
wait_until() {
	local i
	for ((i = 0; i < 300; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	fail "waited in vain for: $*"
}

# need_fs TYPE: skip if the kernel or the host has not what it takes
need_fs() {
	grep -qw "$1" /proc/filesystems || skip "the kernel has no $1"
	if [ "$1" = bcachefs ]; then
		[ -e "${WB_BCACHEFS_IMAGE:-}" ] ||
			skip "bcachefs needs WB_BCACHEFS_IMAGE, an empty file system compressed with zstd"
	elif [ "$1" != ramfs ]; then
		command -v "mkfs.$1" >/dev/null || skip "mkfs.$1 is not installed"
	fi
}

# make_fs TYPE [DISK]
make_fs() {
	local on=${2:-$disk}
	case $1 in
	xfs) mkfs.xfs -q -f -d agcount=8 "$on" ;;
	ext4) mkfs.ext4 -q -F -G 1 -g 8192 "$on" ;;
	f2fs | btrfs) "mkfs.$1" -q -f "$on" ;;
	bcachefs) zstd -dqc "$WB_BCACHEFS_IMAGE" | dd of="$on" bs=1M conv=sparse status=none ;;
	*) "mkfs.$1" -q "$on" ;;
	esac
}

# Mount a file system of type $1 that is on $disk, or $2, on /tmp/mnt, or $3; sets mnt, bdi
# and sysfs, which is not there if the file system has no cgroup writeback.
# shellcheck disable=SC2034 # for those who source this
mount_fs() {
	local dev
	mnt=${3:-/tmp/mnt}
	mkdir -p "$mnt"
	mounted=("$1" "${2:-$disk}" "$mnt")
	mount -t "$1" "${2:-$disk}" "$mnt"
	dev=$(mountpoint -d "$mnt")
	sysfs=/sys/fs/writeback/$dev
	bdi=/sys/class/bdi/$dev
	if [ -e "$sysfs/bdi" ]; then
		bdi=/sys/class/bdi/$(cat "$sysfs/bdi")
	elif [ ! -e "$bdi" ]; then
		bdi=$(echo /sys/class/bdi/"$1"-*)
	fi
	[ -e "$bdi/writeback_contexts" ] || fail "the kernel has no writeback contexts"
}

make_mount() {
	make_fs "$1" "${2:-$disk}"
	mount_fs "$@"
}

# Unmount and mount again with nothing cached.
remount() {
	umount "$mnt"
	echo 3 >/proc/sys/vm/drop_caches
	mount_fs "${mounted[@]}"
}

# check_fs TYPE [DISK]
check_fs() {
	local on=${2:-$disk} said
	case $1 in
	xfs) said=$(xfs_repair -n "$on" 2>&1) ;;
	ext4) said=$(e2fsck -fn "$on" 2>&1) ;;
	f2fs) said=$(fsck.f2fs --dry-run "$on" 2>&1) ;;
	btrfs) said=$(btrfs check --readonly "$on" 2>&1) ;;
	*) said= ;;
	esac || fail "the file system is damaged: $said"
}

# null_disk NAME MEGABYTES: make a disk in the guest's memory, /dev/NAME; sets null
null_disk() {
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	null=/sys/kernel/config/nullb/$1
	mkdir "$null"
	echo "$2" >"$null/size"
	echo 1 >"$null/memory_backed"
	echo 1 >"$null/power"
}

# Change the number of contexts of $bdi, and the map of $sysfs if there is one, all the time
# until stop_changing, which fails if it was never done and leaves one context.
start_changing() {
	: >/tmp/changing
	(
		while [ -e /tmp/changing ]; do
			for n in 16 1 4 3 64 2; do
				echo "$n" >"$bdi/writeback_contexts"
				echo x >>/tmp/changes
				[ ! -e "$sysfs/group_map" ] ||
					echo "$((n % 5)) $((n / 2))" >"$sysfs/group_map" || :
			done
		done
	) 2>/tmp/changer &
	changer=$!
}

stop_changing() {
	rm /tmp/changing
	wait "$changer" || fail "contexts could not be changed: $(cat /tmp/changer)"
	changes=$(wc -l </tmp/changes)
	rm /tmp/changes
	echo 1 >"$bdi/writeback_contexts"
	((changes > 0)) || fail "the number of contexts was never changed"
}

# count_folios FILE: from now on count the folios that the page cache gets for it
count_folios() {
	folios=/sys/kernel/tracing/events/filemap/mm_filemap_add_to_page_cache
	[ -e "$folios/hist" ] || skip "the kernel has no histograms of events (CONFIG_HIST_TRIGGERS)"
	local inode dev
	read -r inode dev < <(stat -c '%i %d' "$1")
	# as the kernel has it inside: the minor number in the lower 20 bits
	dev=$(((dev >> 8 & 0xfff) << 20 | dev & 0xff | dev >> 12 & 0xfff00))
	counting="hist:keys=order:sort=order if i_ino == $inode && s_dev == $dev"
	echo "$counting" >"$folios/trigger"
}

# What has been counted, and an end of it: ORDER*COUNT for each order, ordered.
counted_folios() {
	local line all=
	while read -r line; do
		[[ ! $line =~ order:\ *([0-9]+).*hitcount:\ *([0-9]+) ]] ||
			all+=" ${BASH_REMATCH[1]}*${BASH_REMATCH[2]}"
	done <"$folios/hist"
	echo "${all# }"
	echo "!$counting" >"$folios/trigger"
}

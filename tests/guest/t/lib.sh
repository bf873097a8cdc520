# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests in the guest share.  They end at the first command that fails.

set -eu
# shellcheck disable=SC2034 # for those who source this
tools=${WB_GUEST_TOOLS:-$WB_RUN/tools}

fail() {
	echo "FAILED: $*"
	exit 1
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

# Make a file system of type $1 on /dev/ubda and mount it on /tmp/mnt; sets mnt, bdi and sysfs.
# shellcheck disable=SC2034 # for those who source this
make_mount() {
	case $1 in
	xfs) mkfs.xfs -q -f -d agcount=8 /dev/ubda ;;
	ext4) mkfs.ext4 -q -F -G 1 -g 8192 /dev/ubda ;;
	*) mkfs."$1" -q /dev/ubda ;;
	esac
	mnt=/tmp/mnt
	mkdir -p "$mnt"
	mount -t "$1" /dev/ubda "$mnt"
	local dev
	dev=$(mountpoint -d "$mnt")
	bdi=/sys/class/bdi/$dev
	sysfs=/sys/fs/writeback/$dev
	[ -e "$bdi/writeback_contexts" ] || fail "the kernel has no writeback contexts"
}

# Unmount and mount again with nothing cached.
remount() {
	umount "$mnt"
	echo 3 >/proc/sys/vm/drop_caches
	mount /dev/ubda "$mnt"
}

check_fs() {
	case $1 in
	xfs) xfs_repair -n /dev/ubda >/dev/null 2>&1 || fail "xfs_repair found damage" ;;
	ext4) e2fsck -fn /dev/ubda >/dev/null 2>&1 || fail "e2fsck found damage" ;;
	esac
}

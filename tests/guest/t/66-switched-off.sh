#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# As 65-powercut.sh, with a guest that is switched off when the call returns, and another one
# that looks at its disk: 66-switched-off.sh FS
#
# guest: host=yes full=7.3-smp fs=xfs full-fs=ext4 limit=600

set -eu
fs=$1
if [ $# = 1 ]; then
	dir=$(mktemp -d "${TMPDIR:-/var/tmp}/wb-switched-off.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	truncate -s 800M "$dir/disk"
	# each step looks at what the one before has left; nothing is done for the first promise,
	# which has to show
	for method in none sync syncfs fsync end; do
		if [ $method = end ]; then
			"$WB_GUEST_BOOT" -D "$dir/disk" -- "$0" "$fs" "$dir" $method
		else
			"$WB_GUEST_BOOT" -K -D "$dir/disk" -- "$0" "$fs" "$dir" $method
			[ -e "$dir/returned" ] || exit 1
		fi
	done
	exit
fi

# in the guest
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
dir=$2 method=$3
if [ -e "$dir/promised" ]; then
	mount_fs "$fs"
	if "$tools/verify" "$mnt" <"$dir/promised" >"$dir/said"; then
		[ "$(cat "$dir/method")" != none ] || fail "nothing is lost without a call: this test tests nothing"
	elif [ "$(cat "$dir/method")" != none ]; then
		fail "lost after $(cat "$dir/method"): $(cat "$dir/said")"
	fi
	echo "$fs, switched off after $(cat "$dir/method"): $(tail -n 1 "$dir/said")"
	umount "$mnt"
	check_fs "$fs"
	[ "$method" != end ] || exit 0
	mount_fs "$fs"
else
	make_mount "$fs"
fi
rm -f "$dir/returned"
echo "$method" >"$dir/method"
for worker in 1 2; do
	rm -rf "$mnt/w$worker"
	mkdir "$mnt/w$worker"
	"$tools/churn" "$mnt/w$worker" 100000 $worker >/dev/null &
done
start_changing
sync
"$tools/promise" "$method" $$ "$mnt" cut "$dir/returned" >"$dir/promised"

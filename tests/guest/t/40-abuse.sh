#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input to every file and call of the ABI is refused and changes nothing.
#
# guest: limit=180

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
make_mount xfs

# refused FILE TEXT ERROR: writing TEXT fails with ERROR
refused() {
	local said
	if said=$(perl -e 'open(my $f, ">", $ARGV[0]) or die "open: $!"; $! = 0;
		defined(syswrite($f, $ARGV[1])) and exit 0; print "$!"; exit 1' "$1" "$2"); then
		fail "'$2' was taken by $1"
	fi
	expect "'$2' to $(basename "$1")" "$said" "$3"
}
einval='Invalid argument' erange='Numerical result out of range'

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

# call ERROR COMMAND...: the tool's call fails with ERROR
call() {
	local error=$1 said
	shift
	said=$("$tools/wbctx" "$@") && fail "wbctx $* worked"
	expect "wbctx $*" "${said#*error=}" "$error"
}
touch "$mnt/f" /tmp/f
call ERANGE pin 4 "$mnt/f"
call ERANGE pin 4294967295 "$mnt/f"
call EINVAL raw 4 0 0 "$mnt/f"
call EINVAL raw 1 1 1 "$mnt/f"
call EOPNOTSUPP get /tmp/f
call EOPNOTSUPP pin 0 /tmp/f
call EBADF hint-readonly 65536 "$mnt/f"
"$tools/wbctx" hint 65536 "$mnt/f"
expect "hint" "$("$tools/wbctx" get "$mnt/f" | sed 's/.*order=//')" 4
"$tools/wbctx" hint 0 "$mnt/f"
expect "hint" "$("$tools/wbctx" get "$mnt/f" | sed 's/.*order=//')" 0
said=$(setpriv --reuid 65534 --clear-groups "$tools/wbctx" pin 0 "$mnt/f") && fail "nobody may pin"
expect "pin by nobody" "${said#*error=}" EPERM

# Gone with the file system.
umount "$mnt"
[ ! -e "$sysfs" ] || fail "$sysfs is still there"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad sectors under a file: the daemon's write-back fails, it says so, and takes the
# error away from nobody.  The application's own fsync still gets it, and `wbctl sync`
# ends as `sync -f` does where no daemon runs.
# timeout: 400
set -eu
. "$(dirname "$0")/../lib.sh"

# What `sync -f` says without the daemon: the judge.
control() # TYPE
{
	local mnt status=0
	mnt=$(wb_mkfs_bad "$1" 512)
	wb_bad_file "$mnt" bad 4
	wb_bad_on
	dd if=/dev/zero of="$mnt/bad" bs=64k count=16 conv=notrunc status=none
	sync -f "$mnt" 2>"$WB_TMP/control.log" || status=$?
	wb_bad_done "$mnt"
	[ $status -ne 0 ] || wb_skip "$1 does not report it by syncfs on this kernel"
	case $(cat "$WB_TMP/control.log") in
	*'No space left on device') echo ENOSPC ;;
	*'Input/output error') echo EIO ;;
	*) wb_fail "sync -f says: $(cat "$WB_TMP/control.log")" ;;
	esac
}

saw_error() # MOUNTPOINT
{
	[ "$(wb_status "$1" .errors)" -gt 0 ] || wb_is_clean "$1"
}

for type in xfs ext4; do
	wb_has_fs $type || continue
	want=$(control $type)
	wb_note "$type: sync -f says: $want"
	while read -r source io; do
		wb_note "$type $source $io"

		# wbctl sync is the first that asks.
		mnt=$(wb_mkfs_bad $type 512)
		wb_bad_file "$mnt" bad 4
		wb_bad_on
		wb_start_way "$source" "$io" "$mnt" flush.after=off flush.age=off
		dd if=/dev/zero of="$mnt/bad" bs=64k count=16 conv=notrunc status=none
		status=0
		wb_ctl sync "$mnt" >"$WB_TMP/sync.log" 2>&1 || status=$?
		[ $status -ne 0 ] || wb_fail "$type: wbctl sync succeeds on bad sectors"
		wb_says "$WB_TMP/sync.log" "$want"
		wb_stop
		wb_bad_done "$mnt"

		# The daemon has met the error by itself, long before anybody asks.
		mnt=$(wb_mkfs_bad $type 512)
		wb_bad_file "$mnt" bad 4
		wb_start_way "$source" "$io" "$mnt" flush.after=64K flush.age=20ms \
			flush.cool=0s
		wb_bad_on
		coproc APP { "$WB_TOOLS/hold" "$mnt/bad" 1048576; }
		app=$APP_PID
		exec 8>&"${APP[1]}" 9<&"${APP[0]}"
		read -r line <&9
		[ "$line" = written ] || wb_fail "hold says $line"
		wb_wait_for 30 saw_error "$mnt"
		status=0
		wb_ctl sync "$mnt" >"$WB_TMP/sync.log" 2>&1 || status=$?
		[ $status -ne 0 ] || wb_fail "$type: the error got lost before wbctl sync"
		wb_says "$WB_TMP/sync.log" "$want"
		echo >&8
		read -r line <&9
		exec 8>&- 9<&-
		wait "$app" && wb_fail "$type: fsync succeeds: the daemon took the error"
		wb_note "the application's fsync: $line"
		wb_answers || wb_fail "the daemon does not answer any more"
		wb_stop

		# Mended, it works again.
		wb_bad_off
		dd if=/dev/zero of="$mnt/bad" bs=64k count=16 conv=notrunc,fsync status=none
		wb_bad_done "$mnt"
	done < <(wb_ways $type)
done

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An older kernel, or a container: without cachestat, evictable marks, perf events, statx'
# mount id.  Each is named in features, and everything still works.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

# FEATURE is what features must call missing ("" = not looked at).
check() # WHAT FEATURE SOURCE DENY...
{
	local what=$1 feature=$2 source=$3
	shift 3
	wb_note "$type: $what"
	wb_deny "$@"
	wb_start "$(wb_set engine.contexts=4 engine.source="$source" flush.after=64K \
		flush.age=20ms flush.cool=0s)"
	wb_managed "$mnt" || wb_fail "$what: not managed: $(wb_status "$mnt" .reason)"
	if [ -n "$feature" ]; then
		wb_call io.writeback.Features |
			wb_json ".features[] | select(.name == \"$feature\") |
				.present == false and (.consequence | length > 0)" \
				>/dev/null || {
			wb_call io.writeback.Features
			wb_fail "$what: features does not say so"
		}
		wb_ctl features >"$WB_TMP/features.log"
		wb_says "$WB_TMP/features.log" "$feature"
	fi
	for mode in seq rand append mmap; do
		mkdir "$mnt/$mode"
		"$WB_TOOLS/dirty" write -m $mode -p 2 "$mnt/$mode"
	done
	wb_wait_for 20 wb_flushed "$mnt" 4194304
	wb_ctl sync "$mnt" >/dev/null || wb_fail "$what: wbctl sync"
	WB_WRAP=()
	if dirty=$(wb_dirty_bytes "$mnt"); then
		[ "$dirty" -eq 0 ] || wb_fail "$what: $dirty bytes are dirty after sync"
	fi
	wb_stop
	wb_remount_cold "$mnt"
	for mode in seq rand append mmap; do
		"$WB_TOOLS/dirty" verify -m $mode -p 2 "$mnt/$mode" || wb_fail "$what: $mode"
	done
	rm -r "${mnt:?}"/*
}

for type in xfs ext4 btrfs; do
	wb_has_fs $type || continue
	mnt=$(wb_mkfs $type 1G)
	check "no cachestat (before 6.5)" cachestat auto cachestat=ENOSYS
	check "no cachestat, fanotify" cachestat fanotify cachestat=ENOSYS
	# FAN_MARK_EVICTABLE is 0x200.
	check "no evictable marks (before 5.19)" evictable-marks fanotify \
		'fanotify_mark:arg1&0x200=EINVAL'
	check "no perf events (container)" trace auto perf_event_open=EACCES
	check "no perf events (not built in)" trace auto perf_event_open=ENOSYS
	[ $type = btrfs ] || ! wb_has_trace ||
		check "no fanotify" fanotify auto fanotify_init=ENOSYS
	check "all at once" cachestat auto cachestat=ENOSYS io_uring_setup=ENOSYS \
		perf_event_open=EPERM 'fanotify_mark:arg1&0x200=EINVAL'
	wb_umount "$mnt"
done

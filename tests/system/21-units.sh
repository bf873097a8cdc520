#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The units as installed: systemd finds no fault, and their exposure is at most 2.5.
# timeout: 300
set -eu
. "$(dirname "$0")/../lib.sh"

command -v systemd-analyze >/dev/null || wb_skip "systemd-analyze is not installed"
dest=$WB_TMP/dest
units=$WB_TMP/units
cd "$WB_TOP"

# Programs are looked for where the unit names them, so install below $WB_TMP itself.
make -s BUILD="${BUILD#"$WB_TOP/"}" install PREFIX="$dest" SYSCONFDIR="$dest/etc" \
	UNITDIR="$units" >"$WB_TMP/make.log" 2>&1 ||
	{ cat "$WB_TMP/make.log"; wb_fail "make install failed"; }

wb_note "verify"
out=$(SYSTEMD_UNIT_PATH="$units:" systemd-analyze verify --man=no \
	"$units/wbd.service" "$units/wbd.socket" 2>&1) || true
# What the machine's own units get wrong is not our matter.
if grep -E "^($units|wbd)" <<<"$out"; then
	wb_fail "systemd-analyze verify found something"
fi

wb_note "security"
systemd-analyze security --offline=true --threshold=25 --no-pager "$units/wbd.service" \
	>"$WB_TMP/security" || { cat "$WB_TMP/security"; wb_fail "exposure is above 2.5"; }
tail -n 1 "$WB_TMP/security"

wb_note "nothing that the daemon calls is in the list of what is refused"
# systemd-analyze lists a group as its members and further groups.
members() # NAME
{
	local line
	case $1 in
	@*) systemd-analyze syscall-filter "$1" | sed '1d; s/#.*//' |
		while read -r line; do [ -z "$line" ] || members "$line"; done ;;
	*) echo "$1" ;;
	esac
}
sed -n 's/^SystemCallFilter=~//p' "$units/wbd.service" | tr ' ' '\n' |
	while read -r name; do members "$name"; done | sort -u >"$WB_TMP/refused"
[ "$(wc -l <"$WB_TMP/refused")" -gt 60 ] || wb_fail "the list is too short to be true"
for call in perf_event_open fanotify_init fanotify_mark open_by_handle_at \
	name_to_handle_at fsopen fsconfig fsmount io_uring_setup io_uring_enter \
	io_uring_register sync_file_range cachestat statx sched_setaffinity prlimit64 \
	clone clone3 epoll_wait timerfd_create eventfd2 signalfd4 inotify_init1 mmap \
	ioctl syncfs socket sendmsg recvmsg accept4 getrandom futex rseq; do
	! grep -qx "$call" "$WB_TMP/refused" || wb_fail "$call is refused"
done

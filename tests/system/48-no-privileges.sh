#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without a privilege the daemon says in one sentence which and what follows; it neither
# hangs nor crashes, and nothing is held.
set -eu
. "$(dirname "$0")/../lib.sh"

# It may refuse to start, or run without managing anything; in both cases it says why.
check() # CAPABILITY...
{
	local caps
	caps=$(printf ',-%s' "$@")
	wb_note "without $*"
	WB_WRAP=(setpriv --bounding-set "${caps#,}" --inh-caps "${caps#,}" --)
	rm -f "$WB_TMP/wbd.log"
	if wb_start "$(wb_set engine.contexts=4)" 2>"$WB_TMP/start.log"; then
		if wb_managed "$mnt"; then
			"$WB_TOOLS/dirty" write -m rand "$mnt"
			wb_ctl sync "$mnt" >/dev/null || wb_fail "without $*: wbctl sync"
			"$WB_TOOLS/dirty" verify -m rand "$mnt"
		else
			wb_status "$mnt" .reason >"$WB_TMP/reason.log"
			wb_says "$WB_TMP/reason.log" "CAP_|privilege|permission|permitted"
		fi
		wb_stop
	else
		[ "$(wc -l <"$WB_TMP/wbd.log")" -eq 1 ] ||
			wb_fail "without $*: more than one sentence"
		wb_says "$WB_TMP/wbd.log" "CAP_|privilege|permission|permitted"
	fi
	umount "$mnt" || wb_fail "without $*: busy"
	mount "$dev" "$mnt"
}

mnt=$(wb_mkfs xfs 1G)
dev=$(wb_dev "$mnt")
check sys_admin
check sys_admin perfmon
check dac_read_search
check sys_admin perfmon dac_read_search dac_override

# As an ordinary user.
WB_WRAP=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
mkdir -p "$WB_RUN"
chown 65534 "$WB_RUN"
chmod 755 "$WB_TMP"
rm -f "$WB_TMP/wbd.log"
rm -rf "${WB_RUN:?}"/*
if wb_start "$(wb_set engine.contexts=4)" 2>"$WB_TMP/start.log"; then
	wb_managed "$mnt" && wb_fail "nobody manages $mnt"
	wb_status "$mnt" .reason >"$WB_TMP/reason.log"
	wb_says "$WB_TMP/reason.log" "CAP_|privilege|permission|permitted"
	wb_stop
else
	wb_says "$WB_TMP/wbd.log" "CAP_|privilege|permission|permitted|root"
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel settings are written when asked for, given back, and left alone when somebody
# else has changed them; with the daemon killed in between, and without a daemon.
set -eu
. "$(dirname "$0")/../lib.sh"

mnt=$(wb_mkfs ext4 64M)
dev=$(wb_dev "$mnt")
bdi=/sys/class/bdi/$(lsblk -dno MAJ:MIN "$dev" | tr -d ' ')
[ -w "$bdi/strict_limit" ] || wb_skip "the kernel has no strict_limit (Linux 6.2)"

values()
{
	cat "$bdi/read_ahead_kb" "$bdi/strict_limit" "$bdi/max_ratio_fine" | paste -sd' '
}

# The ratio that max_bytes becomes depends on the memory there is at the time.
are_ours()
{
	[[ $(values) == "320 1 "* ]]
}

conf() # LINE...
{
	printf '%s\n' "$@" | wb_conf >/dev/null
}

reload()
{
	wb_call io.writeback.Reload >/dev/null
}

verify() # FILTER
{
	{ wb_ctl -J verify || true; } | jq -r ".knobs[] | $1"
}

found=$(values)

wb_note "nothing by default"
wb_start
[ "$(values)" = "$found" ] || wb_fail "something was written: $(values)"
[ "$(wb_ctl -J verify | jq '.knobs | length')" -eq 0 ] || wb_fail "verify is not empty"

wb_note "written when asked for"
section=('[knob "test"]' "device = $dev" 'read_ahead = 320K' 'strict_limit = yes'
	'max_bytes = 64M')
conf "${section[@]}"
reload
are_ours || wb_fail "not written: $(values)"
wb_ctl verify >"$WB_TMP/out" || wb_fail "verify: $(cat "$WB_TMP/out")"
wb_says "$WB_TMP/out" 'read_ahead_kb.*320 .*320 .*wb .*ok'

wb_note "kept over a crash, with the originals"
kill -KILL "$WB_PID"
wait "$WB_PID" 2>/dev/null || true
are_ours || wb_fail "changed by the crash"
wb_ctl verify >/dev/null || wb_fail "verify without a daemon"
wb_ctl rollback --print >"$WB_TMP/out"
[ "$(wc -l <"$WB_TMP/out")" -eq 3 ] || wb_fail "rollback --print"
are_ours || wb_fail "--print wrote something"
wb_start "$WB_TMP/wb.conf"
are_ours || wb_fail "not adopted"
wb_stop
[ "$(values)" = "$found" ] || wb_fail "not given back: $(values) instead of $found"

wb_note "hands off what somebody else has set"
wb_start "$WB_TMP/wb.conf"
echo 640 >"$bdi/read_ahead_kb"
status=0
wb_ctl verify >/dev/null || status=$?
[ $status -eq 4 ] || wb_fail "verify says $status"
[ "$(verify 'select(.knob == "read_ahead_kb") | .state + " " + .whose')" = "manual manual" ] ||
	wb_fail "not seen: $(verify .)"
reload
[ "$(cat "$bdi/read_ahead_kb")" -eq 640 ] || wb_fail "written over"
wb_stop
[ "$(cat "$bdi/read_ahead_kb")" -eq 640 ] || wb_fail "restored over"
[ "$(cat "$bdi/strict_limit")" -eq 0 ] || wb_fail "the others are not given back"
echo "${found%% *}" >"$bdi/read_ahead_kb"

wb_note "rollback without a daemon"
wb_start "$WB_TMP/wb.conf"
kill -KILL "$WB_PID"
wait "$WB_PID" 2>/dev/null || true
wb_ctl rollback >/dev/null || wb_fail "rollback"
[ "$(values)" = "$found" ] || wb_fail "rollback: $(values) instead of $found"
wb_ctl rollback >/dev/null || wb_fail "a second rollback"

wb_note "and the daemon that comes after it keeps off"
wb_start "$WB_TMP/wb.conf"
[ "$(values)" = "$found" ] || wb_fail "written again: $(values)"
wb_stop
rm "$WB_RUN/knobs"

wb_note "restore = on-disable"
conf '[knobs]' 'restore = on-disable' "${section[@]}"
wb_start "$WB_TMP/wb.conf"
wb_stop
are_ours || wb_fail "given back on stop"
conf '[knobs]' 'restore = on-disable'
wb_start "$WB_TMP/wb.conf"
[ "$(values)" = "$found" ] || wb_fail "not given back: $(values)"

wb_note "what the kernel refuses is said and left"
conf '[knob "test"]' "device = $dev" 'max_bytes = 1M' 'min_bytes = 1G'
reload
verify '.knob + " " + .state' | grep -q 'min_bytes refused' || wb_fail "$(verify .)"
wb_says "$WB_TMP/wbd.log" 'min_bytes: .* cannot be written \(refused\)'
wb_stop

wb_note "a damaged file stops no daemon, and nothing is written"
conf "${section[@]}"
before=$(values)
echo '{' >"$WB_RUN/knobs"
wb_start "$WB_TMP/wb.conf"
[ "$(values)" = "$before" ] || wb_fail "written without knowing the originals"
wb_says "$WB_TMP/wbd.log" 'knobs cannot be read: it is damaged'
status=0
wb_ctl verify 2>"$WB_TMP/out" || status=$?
[ $status -eq 1 ] || wb_fail "verify says $status"
wb_stop

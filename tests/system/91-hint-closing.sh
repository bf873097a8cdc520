#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Descriptors whose close() never returns: a user who floods the daemon with them fills
# up his own share and no more, others and root are served, and all is closed in the end.
# timeout: 300
set -eu
. "$(dirname "$0")/../lib.sh"

command -v setpriv >/dev/null || wb_skip "there is no setpriv"
h='{"write_size":65536}'
flood='' fuse=''
bound=500 # 64 to be closed, 128 to be looked at, 253 with one more message, connections

as() # UID COMMAND ARG...
{
	local uid=$1
	shift
	setpriv --reuid="$uid" --regid="$uid" --clear-groups -- "$@"
}

# hintflood in the background until flood_ends; sets SAID.
flood() # UID METHOD COUNT EACH [FD]
{
	coproc FLOOD { exec "$WB_TOOLS/hintflood" "$WB_RUN" "$@"; }
	flood=$FLOOD_PID
	exec 8>&"${FLOOD[1]}" 9<&"${FLOOD[0]}"
	# The only ends that are left.
	eval "exec ${FLOOD[1]}>&- ${FLOOD[0]}<&-"
	read -r -t 60 SAID <&9 || wb_fail "hintflood says nothing"
}

flood_ends()
{
	exec 8>&- 9<&-
	[ -z "$flood" ] || wait "$flood" || true
	flood=
}

let_go()
{
	flood_ends
	exec 6>&- 7>&-
}

fuse_ends()
{
	[ -n "$fuse" ] || return 0
	kill -KILL "$fuse"
	wait "$fuse" 2>/dev/null || true
	fuse=
}

others_are_served()
{
	local reply
	wb_ctl -J status >/dev/null || wb_fail "root gets no status"
	as 65533 "$WBCTL" --socket "$WB_RUN/io.writeback" -J status >/dev/null ||
		wb_fail "another user gets no status"
	reply=$(as 65533 "$WB_TOOLS/hintfd" "$WB_RUN/io.writeback" Hint "$h" 7) ||
		wb_fail "another user's hint: $reply"
	reply=$("$WB_TOOLS/hintfd" "$WB_RUN/io.writeback" Hint "$h" 7) ||
		wb_fail "root's hint: $reply"
}

few_fds()
{
	[ "$(wb_fds)" -le $((fds + bound)) ] || wb_fail "$(wb_fds) descriptors, $fds before"
}

mnt=$(wb_mkfs ext4 1G)
wb_start "$(wb_set engine.contexts=2)"
wb_managed "$mnt" || wb_fail "not managed"
chmod 755 "$WB_TMP" "$WB_RUN"
wb_defer let_go
exec 7>"$mnt/f"
others_are_served
fds=$(wb_fds)

for method in Hint Status; do # one takes a descriptor, to look at it, the other none
	wb_note "connections that linger, one with each $method"
	flood 65534 $method 1000 1
	[ "$SAID" = stalled ] || wb_fail "1000 are taken: $SAID"
	few_fds
	others_are_served
	flood_ends
	wb_wait_for 60 wb_fds_are "$fds"
done

wb_note "the most that one message can have"
flood 65534 Status 6 253
others_are_served
few_fds
flood_ends
wb_wait_for 60 wb_fds_are "$fds"

wb_note "who waits is served when the rest is closed"
flood 65534 Status 1000 1
as 65534 "$WB_TOOLS/vl" "$WB_RUN/io.writeback" io.writeback.Status >"$WB_TMP/late" \
	8>&- 9<&- &
late=$!
others_are_served
wb_alive $late || wb_fail "he was served before: $(cat "$WB_TMP/late")"
flood_ends
wait $late || wb_fail "he is not served after: $(cat "$WB_TMP/late")"
wb_wait_for 60 wb_fds_are "$fds"

mkdir "$WB_TMP/fuse"
if [ -w /dev/fuse ] && grep -qw fuse /proc/filesystems; then
	wb_note "a FUSE file system"
	"$WB_TOOLS/fusehang" "$WB_TMP/fuse" "$WB_PID" >"$WB_TMP/fuse.log" 2>&1 &
	fuse=$!
	wb_defer umount -l "$WB_TMP/fuse"
	wb_defer fuse_ends
	wb_wait_for 10 grep -q ready "$WB_TMP/fuse.log"
	exec 6<>"$WB_TMP/fuse/f"
	if as 65534 "$WB_TOOLS/hintfd" "$WB_RUN/io.writeback" Hint "$h" 6 >"$WB_TMP/said"; then
		wb_fail "a hint for a FUSE file: $(cat "$WB_TMP/said")"
	fi
	wb_says "$WB_TMP/said" "does not answer"
	wb_says "$WB_TMP/fuse.log" hangs
	flood 65534 Status 1000 1 6
	[ "$SAID" = stalled ] || wb_fail "1000 are taken: $SAID"
	few_fds
	others_are_served
	fuse_ends
	flood_ends
	wb_wait_for 60 wb_fds_are "$fds"
else
	wb_note "no FUSE here: that part is left out"
fi
let_go
wb_stop

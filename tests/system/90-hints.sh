#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hints of applications and rules take effect, end when they should, and bad
# descriptors do no harm.
# timeout: 600
set -eu
. "$(dirname "$0")/../lib.sh"

hint() # METHOD PARAMETERS FD...
{
	"$WB_TOOLS/hintfd" "$WB_RUN/io.writeback" "$@"
}

hints()
{
	wb_call io.writeback.Hints | jq "$@"
}

hints_are() # NUMBER
{
	[ "$(hints .count)" -eq "$1" ]
}

refused() # ERROR COMMAND...
{
	local want=$1 out
	shift
	if out=$("$@" 2>&1); then
		wb_fail "not refused: $* -> $out"
	fi
	[[ $out == *"io.writeback.$want"* ]] || wb_fail "$*: $out instead of $want"
}

in_force() # REPLY EFFECT
{
	jq -e --arg e "$2" '.parameters.effects[] | select(.name == $e) | .in_force' <<<"$1"
}

# Appends to FILE until the daemon has flushed BYTES: what is dirty now and then, a sync
# of somebody else on this machine may write out before it looks.
# A new file of a program that lives long enough to be asked who it is.
names_writer() # FILE
{
	rm -f "$1"
	{
		head -c 1M /dev/zero
		sleep 1
	} | "$WB_TMP/wb-writer" -c 4M >"$1"
	wb_ctl explain "$1" | grep 'rule writer'
}

grows() # FILE BYTES [PROGRAM]
{
	! wb_flushed "$mnt" "$2" || return 0
	[ ! -e "$1" ] || [ "$(stat -c %s "$1")" -lt $((128 << 20)) ] || : >"$1"
	"${3:-head}" -c 2M /dev/zero >>"$1"
	return 1
}

looked_at() # FILE
{
	wb_ctl -J explain "$1" | jq -e '.tracked and .dirty_bytes > 0'
}

# Nothing is flushed in the first seconds but what a hint brings forward.
start() # MOUNT SOURCE
{
	{
		printf '[engine]\ncontexts = 4\nsource = %s\n' "$2"
		printf '[flush]\nafter = 1G\nage = 20s\ncool = 0s\n'
		printf '[hint "bulk"]\npath = %s/bulk/**\nwrite_size = 1M\n' "$1"
		printf '[hint "writer"]\nprogram = wb-writer\nfile_size = 1G\n'
	} | wb_conf >/dev/null
	wb_start "$WB_TMP/wb.conf"
	wb_managed "$1" || wb_fail "$1 is not managed"
}

ways() # TYPE
{
	[ "$1" = btrfs ] || ! wb_has_trace || echo trace
	echo fanotify
}

cp "$(command -v head)" "$WB_TMP/wb-writer"
for type in xfs ext4 btrfs; do
	wb_has_fs $type || {
		wb_note "no $type here"
		continue
	}
	mnt=$(wb_mkfs $type 1G)
	for source in $(ways $type); do
		wb_note "$type by $source"
		rm -rf "${mnt:?}"/f* "$mnt/bulk" "$mnt"/by-*
		start "$mnt" "$source"

		# What has none is left to the kernel.
		head -c 24M /dev/zero >"$mnt/plain"
		wb_wait_for 20 looked_at "$mnt/plain"
		[ "$(wb_status "$mnt" .flushed_bytes)" -eq 0 ] ||
			wb_fail "a file without a hint was flushed"
		rm "$mnt/plain"

		# A hint of the application.
		exec 7>"$mnt/f"
		reply=$(hint Hint '{"write_size":1048576,"keep":true}' 7)
		in_force "$reply" flush-stride >/dev/null || wb_fail "no stride: $reply"
		wb_wait_for 60 grows "$mnt/f" $((16 << 20))
		reply=$(hint Query '{}' 7)
		[ "$(jq .parameters.write_size <<<"$reply")" = 1048576 ] || wb_fail "$reply"
		exec 7>&-

		# Rules by path and by program.
		mkdir -p "$mnt/bulk/deep"
		wb_wait_for 60 grows "$mnt/bulk/deep/x" $(($(wb_status "$mnt" .flushed_bytes) + (8 << 20)))
		wb_ctl explain "$mnt/bulk/deep/x" | grep 'rule bulk' ||
			wb_fail "explain does not name the rule"
		wb_wait_for 60 grows "$mnt/by-program" \
			$(($(wb_status "$mnt" .flushed_bytes) + (8 << 20))) "$WB_TMP/wb-writer"
		# Which process it was is known as long as the inode is tracked.
		[ "$source" = fanotify ] || wb_wait_for 60 names_writer "$mnt/by-name" ||
			wb_fail "explain does not name the program's rule"
		wb_ctl explain "$mnt/bulk/deep/x" -J | jq -e '.hint.from == "rule"' >/dev/null ||
			wb_fail "explain -J"

		# Nothing holds the file system.
		wb_ctl sync "$mnt" >/dev/null
		dev=$(wb_dev "$mnt")
		umount "$mnt" || wb_fail "busy because of a hint"
		mount "$dev" "$mnt"
		wb_wait_for 10 wb_managed "$mnt"
		wb_stop
	done
done

mnt=$(wb_mkfs xfs 1G)
start "$mnt" auto
exec 7>"$mnt/f"
exec 8<"$mnt/f"

wb_note "by hand"
wb_ctl hint "$mnt/f" 1M | grep 'xfs-extsize *in force' || wb_fail "no extent size hint"
wb_ctl hints | grep -E ' 1.0M .* wbctl .* yes ' || wb_fail "wbctl hints"
wb_ctl hint "$mnt/f" off
hints_are 0 || wb_fail "a hint is left"
[[ $(xfs_io -c extsize "$mnt/f") == '[0]'* ]] || wb_fail "an extent size hint is left"
head -c 1M /dev/zero >"$mnt/f"
sync -f "$mnt"
out=$(wb_ctl hint "$mnt/f" 1M)
[[ $out == *'xfs-extsize  not in force: the file had extents'* ]] || wb_fail "$out"
wb_ctl hint "$mnt/f" off

wb_note "bad descriptors"
fds=$(wb_fds)
h='{"write_size":65536}'
refused BadDescriptor hint Hint "$h"
refused BadDescriptor hint Hint "$h" 8
refused BadDescriptor hint HintClear '{}' 8
refused BadDescriptor hint Hint "$h" 7 7
refused BadDescriptor hint Status '{}' 7
exec 9<"$mnt"
refused BadDescriptor hint Hint "$h" 9
exec 9> >(cat)
refused NotManaged hint Hint "$h" 9
exec 9>"$WB_TMP/on-tmpfs"
refused NotManaged hint Hint "$h" 9
exec 9>/dev/null
refused NotManaged hint Hint "$h" 9
exec 9>&-
# shellcheck disable=SC2046
refused BadDescriptor hint Hint "$h" $(yes 7 | head -n 253)
for size in 1 3 9223372036854775807; do
	hint Hint "{\"write_size\":$size}" 7 >/dev/null || wb_fail "size $size"
done

wb_note "another name space"
mkdir "$WB_TMP/hidden"
unshare -m "$WB_TOOLS/hintfd" "$WB_RUN/io.writeback" Hint "$h" 7 >/dev/null ||
	wb_fail "a hint from another mount name space"
# shellcheck disable=SC2016
unshare -m --propagation private bash -ec 'mount -t tmpfs none "$1"; exec 9>"$1/x"
	exec "$2" "$3" Hint "$4" 9' - "$WB_TMP/hidden" "$WB_TOOLS/hintfd" "$WB_RUN/io.writeback" "$h" |
	grep -q NotManaged || wb_fail "a hint for a mount that the daemon does not see"

wb_note "leases end with their connection"
"$WB_TOOLS/hintfd" -k "$WB_RUN/io.writeback" Hint "$h" 7 >/dev/null &
client=$!
wb_wait_for 10 hints_are 1
[ "$(hints -r '.leases[0].program')" = hintfd ] || wb_fail "program"
kill -KILL $client
wb_wait_for 10 hints_are 0

wb_note "killed in the middle of a message"
for part in 1 20; do
	"$WB_TOOLS/hintfd" -p $part "$WB_RUN/io.writeback" Hint "$h" 7 >"$WB_TMP/said" &
	client=$!
	wb_wait_for 10 grep -q part "$WB_TMP/said"
	kill -KILL $client
	wait $client 2>/dev/null || true
done
wb_wait_for 20 wb_fds_are "$fds"
hints_are 0 || wb_fail "half a message is a hint"

wb_note "a flood"
clients=()
for _ in 1 2 3; do
	"$WB_TOOLS/hintfd" -n 3000 "$WB_RUN/io.writeback" Hint "$h" 7 >/dev/null &
	clients+=($!)
done
for client in "${clients[@]}"; do
	wait "$client" || wb_fail "a flooding client was cut off"
done
wb_wait_for 10 hints_are 0
wb_wait_for 20 wb_fds_are "$fds"

wb_note "the daemon dies between hint and query"
hint Hint '{"write_size":65536,"keep":true}' 7 >/dev/null
kill -KILL "$WB_PID"
wait "$WB_PID" 2>/dev/null || true
wb_start "$WB_TMP/wb.conf"
reply=$(hint Query '{}' 7)
[ "$(jq .parameters.write_size <<<"$reply")" = null ] || wb_fail "$reply"
wb_stop
exec 7>&- 8<&-

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libwb and the real daemon: hints, leases, refusals, and a daemon that is killed, comes
# back, or whose socket becomes something else.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

export WB_SOCKET=$WB_RUN/io.writeback
tool=$WB_TOOLS/libwb_hint

# One program that lives through the test; sets SAID.
ask() # LINE
{
	echo "$1" >&8
	read -r -t 20 SAID <&9 || wb_fail "no answer to: $1"
}

says() # LINE PATTERN
{
	ask "$1"
	[[ $SAID =~ $2 ]] || wb_fail "$1: \"$SAID\", not \"$2\""
}

begin() # FILE
{
	coproc APP { "$tool" "$1" 2>>"$WB_TMP/why.log"; }
	app=$APP_PID
	exec 8>&"${APP[1]}" 9<&"${APP[0]}"
	# The only end that is left, so that the program sees it closed.
	eval "exec ${APP[1]}>&- ${APP[0]}<&-"
}

end()
{
	exec 8>&- 9<&-
	wait "$app" || wb_fail "libwb_hint ends with status $?"
}

once() # FILE LINE: prints the answer
{
	echo "$2" | "$tool" "$1" 2>>"$WB_TMP/why.log"
}

# XFS's extent size hint in bytes, 0: none.
unit() # FILE
{
	xfs_io -r -c extsize "$1" | sed -n 's/^\[\([0-9]*\)\].*/\1/p'
}

# Waits for the library's next look.
hears()
{
	ask query
	[[ $SAID == daemon=1* ]]
}

mnt=$(wb_mkfs xfs 1G)
other=$(wb_mkfs ext4 256M)
conf=$({ printf '[mount "other"]\npath = %s\nmanage = no\n' "$other"
	printf '[mount "test"]\npath = %s\nmanage = yes\n' "$mnt"; } | wb_conf)

wb_note "before there is a daemon"
begin "$mnt/early"
says "write 65536" '^ok$'
says query '^daemon=0 engine=none'

wb_start "$conf"
if ! "$WB_TOOLS/vl" "$WB_SOCKET" org.varlink.service.GetInterfaceDescription \
	'{"interface":"io.writeback"}' | grep -q 'method Hint('; then
	wb_wait_for 20 hears || true
	says "write 65536" '^ok$'
	end
	wb_stop
	wb_skip "this daemon takes no hints"
fi

wb_note "found by the same handle when it is there"
wb_wait_for 20 hears
says "write 1048576" '^ok$'
says "size 8388608" '^ok$'
says query '^daemon=1 engine=(user|kernel) write_size=1048576 file_size=8388608'
says query ' folio-order=[01]'
says query ' xfs-extsize=1'
[ "$(unit "$mnt/early")" = 8388608 ] || wb_fail "unit of allocation: $(unit "$mnt/early")"
says clear '^ok$'
[ "$(unit "$mnt/early")" = 0 ] || wb_fail "clear leaves a unit: $(unit "$mnt/early")"
says "write 1048576" '^ok$'
says "data 1000000" '^ok$'
says query '^daemon=1 .* write_size=1048576'
says clear '^ok$'
says query '^daemon=1 .* write_size=0 file_size=0'
end

wb_note "odd sizes"
[ "$(once "$mnt/odd" "write 0")" = EINVAL ] || wb_fail "0"
for n in 1 3 18446744073709551615; do
	[ "$(once "$mnt/odd" "write $n")" = ok ] || wb_fail "write $n"
	[ "$(once "$mnt/odd" "size $n")" = ok ] || wb_fail "size $n"
done

wb_note "a hint ends with its handle, unless it is to be kept"
begin "$mnt/lease"
says "write 131072" '^ok$'
[[ $(once "$mnt/lease" query) == *' write_size=131072 '* ]] || wb_fail "not seen by others"
end
released()
{
	[[ $(once "$mnt/lease" query) == *' write_size=0 '* ]]
}
wb_wait_for 10 released

wb_note "what is refused"
[ "$(once "$other/file" "write 65536")" = ENODEV ] || wb_fail "an excluded file system"
[[ $(once "$other/file" query) == "daemon=1 engine=none"* ]] || wb_fail "query there"
[ "$(once "$WB_TMP/tmpfs" "write 65536")" = EOPNOTSUPP ] || wb_fail "tmpfs"
[ "$(once "$mnt" "write 65536")" = EBADF ] || wb_fail "a folder"

wb_note "a program that logs"
mkfifo "$WB_TMP/lines"
"$BUILD/wb-log" "$mnt/log" <"$WB_TMP/lines" &
log=$!
exec 7>"$WB_TMP/lines"
echo one >&7
log_is_hinted()
{
	wb_call io.writeback.Hints | jq -e '.leases[] | select(.program == "wb-log")'
}
wb_wait_for 10 log_is_hinted
exec 7>&-
wait $log || wb_fail "wb-log ends with status $?"
echo two | "$BUILD/wb-log" "$mnt/log"
[ "$(cat "$mnt/log")" = $'one\ntwo' ] || wb_fail "wb-log: $(cat "$mnt/log")"
if echo three | "$BUILD/wb-log" "$mnt" 2>"$WB_TMP/said"; then
	wb_fail "a folder is no log"
fi
wb_says "$WB_TMP/said" '^wb-log: .*: Is a directory\.$'

wb_note "killed between hint and query, and back"
begin "$mnt/killed"
says "write 65536" '^ok$'
kill -KILL "$WB_PID"
wait "$WB_PID" || true
says query '^daemon=0 engine=none'
says "write 65536" '^ok$'
wb_start "$conf"
wb_wait_for 20 hears
says "write 65536" '^ok$'
says query '^daemon=1 .* write_size=65536'

wb_note "a file where the socket was"
wb_stop
rm -f "$WB_SOCKET"
echo x >"$WB_SOCKET"
says query '^daemon=0'
says "write 65536" '^ok$'
rm -f "$WB_SOCKET"
end

wb_note "clients that die in the middle of it do no harm"
wb_start "$conf"
fds=$(find "/proc/$WB_PID/fd" -mindepth 1 | wc -l)
for ((i = 0; i < 50; i++)); do
	begin "$mnt/die$i"
	echo "write 65536" >&8
	kill -KILL "$app"
	exec 8>&- 9<&-
	wait "$app" 2>/dev/null || true
done
few_fds()
{
	[ "$(find "/proc/$WB_PID/fd" -mindepth 1 | wc -l)" -le $((fds + 2)) ]
}
wb_wait_for 20 few_fds
[[ $(once "$mnt/die1" query) == daemon=1* ]] || wb_fail "the daemon does not answer"
wb_stop

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Clients that break every rule: each is told so or cut off, all others are served.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

command -v socat >/dev/null || wb_skip "needs socat"

wb_start
sock=$WB_RUN/io.writeback

# Sends stdin, prints what comes back with its NULs as newlines.
raw()
{
	timeout 30 socat -t 5 - "UNIX-CONNECT:$sock" 2>/dev/null | tr '\0' '\n' || true
}

alive()
{
	wb_dead "$WB_PID" && wb_fail "$1 ended the daemon"
	wb_call io.writeback.Status >/dev/null || wb_fail "no answer after $1"
}

expect() # WHAT ERROR < BYTES
{
	local answer
	answer=$(raw)
	[[ $answer == *"\"$2\""* ]] || wb_fail "$1: \"$answer\" instead of $2"
	alive "$1"
}

descriptors()
{
	find "/proc/$WB_PID/fd" -mindepth 1 -maxdepth 1 | wc -l
}

before=$(descriptors)

printf 'GET / HTTP/1.1\r\n\r\n\0' | expect garbage io.writeback.ProtocolError
head -c 4096 /dev/zero | expect "a flood of NULs" io.writeback.ProtocolError
printf '[]\0' | expect "an array" io.writeback.ProtocolError
printf '{"method":1}\0' | expect "a number as method" io.writeback.ProtocolError
printf '{"method":"x.Y","parameters":[]}\0' | expect "a list" io.writeback.ProtocolError
printf '\377\376\0' | expect "bytes that are not UTF-8" io.writeback.ProtocolError
{
	printf '{"a":'
	head -c 10000 /dev/zero | tr '\0' '['
	printf '\0'
} | expect "deep nesting" io.writeback.ProtocolError
# socat gives up at the hang-up and may not read why; it must not get rid of it all.
head -c 64M /dev/zero | tr '\0' x | timeout 30 socat -u - "UNIX-CONNECT:$sock" 2>/dev/null &&
	wb_fail "a message of 64 MiB was taken"
alive "a message of 64 MiB"
head -c 1M /dev/urandom | raw >/dev/null
alive "noise"

i=io.writeback
printf '{"method":"%s.Nonsense"}\0' $i |
	expect "an unknown method" org.varlink.service.MethodNotFound
printf '{"method":"a.b.C"}\0' |
	expect "an unknown interface" org.varlink.service.InterfaceNotFound
printf '{"method":"%s.Explain","parameters":{"device":1,"inode":1}}\0' $i |
	expect "a wrong type" org.varlink.service.InvalidParameter
printf '{"method":"%s.Status","parameters":{"x":1}}\0' $i |
	expect "an unknown parameter" org.varlink.service.InvalidParameter
printf '{"method":"%s.Status","upgrade":true}\0' $i |
	expect "an upgrade" org.varlink.service.InvalidParameter
printf '{"method":"%s.Monitor"}\0' $i |
	expect "a stream not asked for" org.varlink.service.ExpectedMore
printf '{"method":"%s.Drain","parameters":{"mount":"/no/where"}}\0' $i |
	expect "an unknown file system" io.writeback.NoSuchFilesystem

# Half a message: nothing happens until it is told that its time is over.
mkfifo "$WB_TMP/half"
timeout 60 socat -t 20 "PIPE:$WB_TMP/half,rdonly!!STDOUT" "UNIX-CONNECT:$sock" \
	>"$WB_TMP/told" 2>/dev/null &
client=$!
exec 9>"$WB_TMP/half"
printf '{"method":' >&9
wb_wait_for 30 grep -q ProtocolError "$WB_TMP/told" ||
	wb_fail "half a message did not time out"
exec 9>&-
wait $client || true
alive "half a message"

# Pipelined calls are answered one by one and in order; a oneway call is not.
answer=$(printf '{"method":"a.b.C"}\0{"method":"%s.Status","oneway":true}\0{"method":"%s.X"}\0' \
	$i $i | raw)
[ "$(grep -c error <<<"$answer")" -eq 2 ] || wb_fail "pipelined: $answer"
[[ $answer == *InterfaceNotFound*MethodNotFound* ]] || wb_fail "order: $answer"

# Everybody reads; only root and the group change.
if command -v setpriv >/dev/null; then
	chmod 755 "$WB_TMP" "$WB_RUN"
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${nobody[@]}" "$WB_TOOLS/vl" "$sock" $i.Status >/dev/null ||
		wb_fail "nobody may not read"
	answer=$("${nobody[@]}" "$WB_TOOLS/vl" "$sock" $i.Reload 2>&1 || true)
	[[ $answer == *PermissionDenied* ]] || wb_fail "nobody may reload: $answer"
fi
wb_call $i.Reload >/dev/null || wb_fail "root may not reload"

# Nothing is left of any of them.
settled()
{
	[ "$(descriptors)" -le "$before" ]
}
wb_wait_for 30 settled || wb_fail "$(descriptors) descriptors, $before before"
wb_stop

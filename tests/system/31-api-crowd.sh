#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 10,000 connections, and clients that never read: the daemon stays small and serves.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

command -v python3 >/dev/null || wb_skip "needs python3"

wb_start
sock=$WB_RUN/io.writeback

rss_kib()
{
	awk '/^VmRSS/ { print $2 }' "/proc/$WB_PID/status"
}

wb_call io.writeback.Status >/dev/null
before=$(rss_kib)

# One after the other, all kept as long as this process may have descriptors.
timeout 120 python3 - "$sock" <<'EOF' || wb_fail "the crowd was not handled"
import collections, resource, socket, sys

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
keep = collections.deque()
refused = 0
for i in range(10000):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])  # waits while the queue is full; with a timeout it would not
    s.settimeout(30)
    keep.append(s)
    if len(keep) > min(hard - 64, 12000):
        keep.popleft().close()
    if i >= 9990:
        refused += b"TooManyConnections" in s.recv(4096)
if refused != 10:
    sys.exit("only %d of the last 10 were turned away" % refused)
EOF
answers()
{
	wb_call io.writeback.Status >/dev/null 2>&1
}
wb_wait_for 30 answers || wb_fail "no answer after 10,000 connections"

# Each asks again and again and never reads; the daemon stops reading from it.
timeout 120 python3 - "$sock" <<'EOF' || wb_fail "a client that never reads was not bounded"
import select, socket, sys

call = b'{"method":"org.varlink.service.GetInterfaceDescription",' \
       b'"parameters":{"interface":"io.writeback"}}\0'
clients = []
for i in range(8):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.setblocking(False)
    clients.append(s)
sent = 0
while clients:
    ready = select.select([], clients, [], 2)[1]
    if not ready:
        break  # nobody can send any more
    for s in ready:
        try:
            sent += s.send(call)
        except BlockingIOError:
            pass
        except (BrokenPipeError, ConnectionResetError):
            clients.remove(s)
    if sent > 1 << 28:
        sys.exit("256 MiB of calls were taken without an answer being read")
EOF
answers || wb_fail "no answer after clients that never read"
after=$(rss_kib)
wb_note "resident: $before KiB before, $after KiB after"
[ -n "${ASAN_OPTIONS:-}" ] || [ "$after" -le $((before + 16384)) ] ||
	wb_fail "memory grew from $before to $after KiB"
wb_stop

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGHUP with a bad file keeps what was in force and says file and line; a good one is
# taken; file systems stay managed all the while.
set -eu
. "$(dirname "$0")/../lib.sh"

setting() # SECTION KEY
{
	wb_call io.writeback.Config |
		jq -r --arg s "$1" --arg k "$2" \
			'.settings[] | select(.section == $s and .key == $k) | .value'
}

refused()
{
	wb_call io.writeback.Status | jq -e '.reload_error != null'
}

accepted()
{
	wb_call io.writeback.Status | jq -e '.reload_error == null'
}

mnt=$(wb_mkfs xfs 1G)
conf=$(wb_set engine.contexts=4 flush.after=32M)
good=$WB_TMP/good.conf
cp "$conf" "$good"
wb_start "$conf"
was=$(setting flush after)
[ -n "$was" ] || wb_fail "Config does not tell [flush] after"

bad()
{
	wb_note "$1"
	kill -HUP "$WB_PID"
	wb_wait_for 20 refused
	[ "$(setting flush after)" = "$was" ] || wb_fail "$1: the setting changed"
	wb_managed "$mnt" || wb_fail "$1: $mnt was let go"
	"$WB_TOOLS/dirty" write "$mnt"
	wb_ctl sync "$mnt" >/dev/null || wb_fail "$1: wbctl sync"
	# And back: the error is not forgotten before that, but then.
	rm -rf "$conf"
	cp "$good" "$conf"
	kill -HUP "$WB_PID"
	wb_wait_for 20 accepted
}

printf '[flush]\nafter = nonsense\n' >>"$conf"
lines=$(wc -l <"$conf")
wb_call io.writeback.Status >/dev/null
kill -HUP "$WB_PID"
wb_wait_for 20 refused
wb_call io.writeback.Status | jq -r .reload_error >"$WB_TMP/error.log"
wb_says "$WB_TMP/error.log" "wb.conf:$lines"
bad "a bad value"

rm "$conf"
bad "the file is gone"

rm "$conf"
mkdir "$conf"
bad "a folder in its place"

rm "$conf"
mkfifo "$conf"
bad "a FIFO in its place (must not hang)"

head -c 100000 /dev/urandom >"$conf"
bad "random bytes"

{ cat "$good"; printf '[flush]\nage = '; head -c 100000 /dev/zero | tr '\0' 9; } >"$conf"
bad "an overlong line"

# A good change is taken.
sed 's/32M/8M/' "$good" >"$conf"
kill -HUP "$WB_PID"
changed()
{
	[ "$(setting flush after)" != "$was" ]
}
wb_wait_for 20 changed
wb_managed "$mnt" || wb_fail "a good change let $mnt go"

# No longer managed, and managed again.
{ cat "$good"; printf '[mount "this"]\npath = %s\nmanage = no\n' "$mnt"; } >"$conf"
kill -HUP "$WB_PID"
wb_wait_for 20 wb_not_managed "$mnt"
cp "$good" "$conf"
kill -HUP "$WB_PID"
wb_wait_for 20 wb_managed "$mnt"
wb_stop

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# contexts = search: with 8 writers numbers are tried, it ends, explains and remembers.
# timeout: 600
set -eu
. "$(dirname "$0")/../lib.sh"

state=$WB_TMP/state
load=$BUILD/wbload
loader=
[ -x "$load" ] || wb_skip "bench/wbload has not been built"

# A file system in which writers are throttled at so much dirty data, and in no other.
make() # DEVICE
{
	dev=$1
	disk=${dev##*/}
	mnt=$(wb_mkfs_on "$dev" xfs)
	bdi=/sys/class/bdi/$(cat "/sys/block/$disk/dev")
	[ -w "$bdi/strict_limit" ] || wb_skip "the kernel has no strict_limit (Linux 6.2)"
	echo 1 >"$bdi/strict_limit"
	echo $((96 << 20)) >"$bdi/max_bytes"
	mkdir "$mnt"/d{0..7}
}

search() # FILTER: of what the daemon says of the search
{
	wb_call io.writeback.Search "{\"device\":\"$disk\"}" | jq -r ".search | $1"
}

is() # FILTER: it is true
{
	[ "$(search "$1")" = true ]
}

start()
{
	wb_start "$(wb_set engine.contexts=search)" --sample 250ms
	wb_managed "$mnt" || wb_fail "$mnt is not managed: $(wb_status "$mnt" .reason)"
}

write_in_place() # the load: 8 writers, until it is killed
{
	"$load" overwrite --files 8 --threads 8 --size 24M --seconds 3600 "$mnt"/d{0..7} \
		>"$WB_TMP/load.log" 2>&1 &
	loader=$!
	wb_defer stop_writing
}

stop_writing()
{
	[ -z "$loader" ] || kill -KILL "$loader"
	wait $loader 2>/dev/null || true
	loader=
}

make "$(wb_loop 1G)"

# ---- nothing is written: nothing is looked at -----------------------------------------

start
[ "$(search .state)" = waiting ] || wb_fail "it does not wait: $(search .)"
[ "$(search .why)" = no-load ] || wb_fail "it has seen load: $(search .why)"
[ "$(search .contexts)" = 1 ] || wb_fail "it does not begin with 1"
[ "$(search .cap)" = 8 ] || wb_fail "the cap is not the number of groups: $(search .cap)"
[ "$(wb_status "$mnt" .contexts_n)" = 1 ] || wb_fail "another number is in force"
samples=$(search .samples)

# ---- load: trials, and an end -----------------------------------------------------------

write_in_place
wb_wait_for 60 is ".samples > $samples"
wb_wait_for 120 is '.state == "trial"'
wb_ctl explain "$dev" >"$WB_TMP/trying"
grep -q 'search  *trial: two numbers are compared' "$WB_TMP/trying" ||
	wb_fail "explain does not tell of the trial: $(cat "$WB_TMP/trying")"
wb_wait_for 60 is '.contexts == 2 or .trials[0].crossings > 0'
wb_wait_for 400 is '.searches > 0'

is '.state == "found" or .state == "trial"' || wb_fail "it is not found: $(search .state)"
is '.trials | length > 0' || wb_fail "no trial is told of"
is '.trials[-1] | .lo == 1 and .hi == 2 and .was == 1 and .cause == "start"' ||
	wb_fail "the first trial was not 2 against 1: $(search '.trials[-1]')"
is '[.trials[] | select(.verdict == "running" | not)] | length > 0' ||
	wb_fail "no trial has a verdict"
is '[.rates[].contexts] | contains([1, 2])' || wb_fail "rates: $(search '.rates')"
is '.sample.written > 0 and .sample.mark > 0' || wb_fail "sample: $(search .sample)"
grep -q "($disk\|$disk (bdi.*tried 2 contexts against 1:" "$WB_TMP/wbd.log" ||
	wb_fail "the journal tells of no trial"
grep -q "$disk (bdi .*context.* found, .*/s: " "$WB_TMP/wbd.log" ||
	wb_fail "the journal does not tell what was found"
stop_writing

# Without load it looks at nothing any more, and the number in force is the one found.
sync -f "$mnt"
found=$(search .settled)
idle()
{
	local n
	n=$(search .samples)
	sleep 2
	[ "$(search .samples)" = "$n" ]
}
wb_wait_for 60 idle
[ "$(wb_status "$mnt" .contexts_n)" = "$found" ] ||
	wb_fail "$(wb_status "$mnt" .contexts_n) contexts are in force, not the $found found"

# ---- explain ---------------------------------------------------------------------------------

for name in "$dev" "$disk" "$(cat "/sys/block/$disk/dev")"; do
	wb_ctl explain "$name" >"$WB_TMP/text"
	wb_says "$WB_TMP/text" "contexts  *$found, as the search says"
	wb_says "$WB_TMP/text" 'search  *found: '
	wb_says "$WB_TMP/text" '2 against 1 \(first load\): '
done
wb_ctl -J explain "$dev" | wb_json '.search.trials | length > 0'
if wb_ctl explain no-such-disk 2>"$WB_TMP/err"; then
	wb_fail "it explains a disk that is not there"
fi
wb_says "$WB_TMP/err" "no mounted file system .*: no-such-disk"

# ---- memory ------------------------------------------------------------------------------------

wb_wait_for 20 test -s "$state/knee.json"
jq -e --argjson n "$found" '.devices | length == 1 and (.[0] |
	.contexts == $n and .engine == "user" and (.device | startswith("file:")))' \
	"$state/knee.json" || wb_fail "$(cat "$state/knee.json")"
wb_stop

# What is remembered is what the next start begins with, and --dry-run says so.
jq '.devices[0].contexts = 5' "$state/knee.json" >"$WB_TMP/five"
cp "$WB_TMP/five" "$state/knee.json"
"$WBD" --dry-run --config "$(wb_set engine.contexts=search)" --state-dir "$state" >"$WB_TMP/dry"
wb_says "$WB_TMP/dry" "$disk .*contexts searched, up to 8; begins with 5, remembered"
start
[ "$(search .began_with)" = 5 ] || wb_fail "it does not begin with what is remembered"
[ "$(wb_status "$mnt" .contexts_n)" = 5 ] || wb_fail "5 contexts are not in force"
wb_stop

# ---- files that cannot be used are used in no part, said, and kept ---------------------------------

bad() # TEXT WHY
{
	rm -f "$state"/*
	printf '%s' "$1" >"$state/knee.json"
	: >"$WB_TMP/wbd.log"
	start
	wb_says "$WB_TMP/wbd.log" "knee.json cannot be used: .*$2"
	[ "$(search .began_with)" = null ] || wb_fail "something of '$1' was used"
	[ "$(search .contexts)" = 1 ] || wb_fail "it does not begin with 1"
	search .trouble | grep -q 'cannot be used' || wb_fail "explain tells of no trouble"
	[ "$(cat "$state/knee.json")" = "$1" ] || wb_fail "the file was changed"
	wb_stop
}
bad '{"version": 1, "devices": [' ''
bad "$(sed 's/"version": 1/"version": 2/' "$WB_TMP/five")" 'version 2'
bad "$(sed 's/"contexts": 5/"contexts": 500/' "$WB_TMP/five")" 'entry 1'

# ---- the device goes while it is searched ------------------------------------------------------------

rm -f "$state"/*
start
write_in_place
wb_wait_for 60 is '.samples > 2'
stop_writing
wb_umount "$mnt"
gone()
{
	! wb_call io.writeback.Search "{\"device\":\"$disk\"}" >/dev/null 2>&1
}
wb_wait_for 30 gone
wb_alive "$WB_PID" || wb_fail "the daemon has gone, too"
wb_stop

# ---- a RAM disk that compresses: searched, but it has no name to be remembered by -----------------

zram=$(wb_zram 1G) || wb_skip "all but zram, which is not to be had here"
make "$zram"
start
[ "$(search .remembered_as)" = null ] || wb_fail "it has a name: $(search .remembered_as)"
write_in_place
wb_wait_for 120 is '.state == "trial"'
stop_writing
wb_ctl explain "$disk" >"$WB_TMP/text"
wb_says "$WB_TMP/text" "known as  *nothing that lasts"
wb_stop

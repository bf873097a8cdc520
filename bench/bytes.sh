# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bytes that reach the device under a load, without and with the daemon.
# Sourced after lib.sh.

# Runs the function LOAD (seed) RUNS times on each side; fills A and B with the bytes
# written to the device from its start to the end of a final sync.
bytes_compare() # LOAD
{
	local r side sides
	bytes_once without "$1" 0 # the first load also makes the log and directories grow
	A=() B=()
	for ((r = 1; r <= RUNS; r++)); do
		sides=(without with)
		((r % 2)) || sides=(with without)
		for side in "${sides[@]}"; do
			bytes_once "$side" "$1" $r
		done
	done
}

bytes_once() # without|with LOAD SEED
{
	local before bytes
	sync -f "$MNT"
	[ "$1" = without ] || daemon_start </dev/null
	before=$(device_bytes)
	"$2" "$3"
	[ "$1" = without ] || daemon_stop
	sync -f "$MNT"
	bytes=$(($(device_bytes) - before))
	if [ "$1" = without ]; then A+=("$bytes"); else B+=("$bytes"); fi
	wb_note "$1: $bytes bytes to the device"
}

bytes_more()
{
	calc %.2f '100 * (b / a - 1)' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")"
}

mib() # NUMBER...
{
	spread_by 1048576 %.2f "$@"
}

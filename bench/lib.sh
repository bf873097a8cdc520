# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the benchmarks and the demo share, on top of what the system tests have: a mount
# name space of their own, devices and file systems of their own, everything undone at
# the end.  README.md says how each number is taken.

export LC_ALL=C
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tests/lib.sh"
# shellcheck source=bench/groups.sh
. "$(dirname "${BASH_SOURCE[0]}")/groups.sh"

: "${RUNS:=5}" "${BENCH_MIB:=96}" "${BENCH_OUT:=$BUILD/bench}"
# A service has a session of its own, and with it (autogroup) a share of the CPUs that does
# not come out of the writers': so has the daemon here.
WB_WRAP=(setsid)
WBLOAD=$BUILD/wbload
mkdir -p "$BENCH_OUT"

# ---- numbers -----------------------------------------------------------------------

median() # NUMBER...
{
	printf '%s\n' "$@" | sort -g |
		awk '{ v[NR] = $1 } END { h = int((NR + 1) / 2); print (v[h] + v[NR + 1 - h]) / 2 }'
}

# The median of how many percent B[i] is more than A[i]: a pair was measured one right after
# the other, so a machine that is slow for a minute is slow for both.
pairs_percent_more()
{
	local i grown=()
	for i in "${!A[@]}"; do
		grown+=("$(calc %.6f '100 * (b / a - 1)' "a=${A[i]}" "b=${B[i]}")")
	done
	median "${grown[@]}"
}

# "median (smallest to largest)"
spread() # FORMAT NUMBER...
{
	local f=$1
	shift
	printf '%s\n' "$@" | sort -g | awk -v m="$(median "$@")" -v f="$f" '
		NR == 1 { lo = $1 } { hi = $1 }
		END { printf f " (" f " to " f ")", m, lo, hi }'
}

# The same in units of UNIT.
spread_by() # UNIT FORMAT NUMBER...
{
	local unit=$1 format=$2 v scaled=()
	shift 2
	for v in "$@"; do
		scaled+=("$(calc %.9g 'v / u' "v=$v" "u=$unit")")
	done
	spread "$format" "${scaled[@]}"
}

# Arithmetic with fractions: calc '%.2f' 'a / b' a=1 b=3
calc() # FORMAT EXPRESSION [NAME=NUMBER...]
{
	local f=$1 e=$2 v args=()
	shift 2
	for v in "$@"; do
		args+=(-v "$v")
	done
	awk "${args[@]}" "BEGIN { printf \"$f\", $e }"
}

json_numbers() # NUMBER...
{
	jq -nc '[$ARGS.positional[] | tonumber]' --args -- "$@"
}

# Seconds that COMMAND takes.
stopwatch() # COMMAND ARG...
{
	local t0=$EPOCHREALTIME t1
	"$@" >/dev/null
	t1=$EPOCHREALTIME
	calc %.6f 't1 - t0' "t0=$t0" "t1=$t1"
}

# ---- devices and file systems ----------------------------------------------------------

# A RAM disk: zram where it exists (its writes cost CPU, as fast devices' do), else a
# loop device over tmpfs.  Sets DEV.
bench_ram_disk() # SIZE
{
	DEV=$(wb_zram "$1") || DEV=$(wb_loop "$1")
}

# A loop device that goes past the page cache to a file on the disk under $BUILD, whose
# speed is then the limit.  Sets DEV.
bench_slow_disk() # SIZE
{
	local file
	file=$(mktemp "$BENCH_OUT/disk.XXXXXX")
	wb_defer rm -f "$file"
	fallocate -l "$1" "$file"
	DEV=$(wb_loop_on "$file")
	losetup --direct-io=on "$DEV"
}

# Sets MNT and DIRS, eight directories in eight groups.
bench_fs() # xfs|ext4
{
	local per
	case $1 in
	xfs) MNT=$(wb_mkfs_on "$DEV" xfs -K) ;;
	ext4) MNT=$(wb_mkfs_on "$DEV" ext4 -J size=64 -G 4) ;; # more flex groups
	esac
	per=$("inodes_per_group_$1")
	bench_dirs "$per"
}

# No files, nothing dirty, and the device has forgotten what was there.
bench_fresh()
{
	find "$MNT" -xdev -type f -delete
	sync -f "$MNT"
	fstrim "$MNT" 2>/dev/null || true
}

# Bytes written to the device since it exists.
device_bytes()
{
	awk '{ print $7 * 512 }' "/sys/block/${DEV##*/}/stat"
}

# The writer; its JSON goes to LOADED.
load() # MODE OPTION...
{
	LOADED=$("$WBLOAD" "$@" "${DIRS[@]}")
}

loaded() # FILTER
{
	jq -r "$1" <<<"$LOADED"
}

# Sets a sysctl for the time of the row.
bench_sysctl() # NAME VALUE
{
	local old
	old=$(sysctl -n "$1")
	# What is governed by ratio reads as 0 bytes, and comes back by its ratio.
	if [ "$old" = 0 ] && [[ $1 == *_bytes ]]; then
		wb_defer sysctl -q "${1%_bytes}_ratio=$(sysctl -n "${1%_bytes}_ratio")"
	else
		wb_defer sysctl -q "$1=$old"
	fi
	sysctl -q "$1=$2"
}

# ---- the daemon ----------------------------------------------------------------------

# The daemon answers when its CLI gets an answer.
wb_answers()
{
	wb_ctl -J status
}

# With HINTS every file of a row has a hint: by its path, and the program that writes it is
# looked at as well.
hint_rules()
{
	[ -n "${HINTS:-}" ] || return 0
	printf '[hint "bench-path"]\npath = %s/**\nwrite_size = 1M\n' "$MNT"
	printf '[hint "bench-program"]\nprogram = wbload\nwrite_size = 1M\n'
}

# Starts it with the settings on standard input, for MNT alone.
daemon_start()
{
	local conf
	conf=$({
		cat
		printf '[mount "bench"]\npath = %s\nmanage = yes\n' "$MNT"
		hint_rules
	} | wb_conf)
	wb_start "$conf" >/dev/null
	wb_wait_for 10 daemon_manages
}

daemon_manages()
{
	wb_ctl -J -o NAME,MANAGED status | jq -e --arg m "$MNT" \
		'[.. | objects | select(.name? == $m) | .managed] | any'
}

daemon_stop()
{
	wb_stop "$WB_PID"
}

# ---- results -------------------------------------------------------------------------

# One row.  A and B hold the single measurements without and with the daemon.
result() # NAME VALUE UNIT TARGET true|false NOTE
{
	jq -n --arg name "$1" --argjson value "$2" --arg unit "$3" --arg target "$4" \
		--argjson met "$5" --arg note "$6" \
		--argjson a "$(json_numbers "${A[@]}")" --argjson b "$(json_numbers "${B[@]}")" \
		'{name: $name, value: $value, unit: $unit, target: $target, met: $met,
		  runs: {without: $a, with: $b},
		  command: "make bench '"${HINTS:+HINTS=1 }"'ROWS=\($name)",
		  note: $note}' >"$BENCH_OUT/$1.json"
}

# true or false: is_met 'v >= 1.6' v=1.7
is_met() # CONDITION NAME=NUMBER...
{
	local c=$1
	shift
	calc %s "($c) ? \"true\" : \"false\"" "$@"
}

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

: "${RUNS:=5}" "${QUICK:=}" "${BENCH_MIB:=96}" "${BENCH_OUT:=$BUILD/bench}"
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

# A field more of the next row: why, published, ratio, share, plots, tables (README.md).
extra() # FIELD JSON
{
	EXTRA=$(jq -c --arg f "$1" --argjson v "$2" '.[$f] = $v' <<<"$EXTRA")
}
EXTRA={}

extra_text() # FIELD TEXT
{
	extra "$1" "$(jq -n --arg t "$2" '$t')"
}

# A line of a plot: [[x, median, smallest, largest], ...] is gathered point by point.
plot_point() # X NUMBER...
{
	local x=$1
	shift
	POINTS=$(jq -c --argjson x "$x" --argjson v "$(json_numbers "$@")" --argjson m "$(median "$@")" \
		'. + [[$x, $m, ($v | min), ($v | max)]]' <<<"$POINTS")
}
POINTS=[]

plot_line() # NAME: of the points so far
{
	LINES_OF_PLOT=$(jq -c --arg n "$1" --argjson p "$POINTS" '. + [{name: $n, points: $p}]' \
		<<<"$LINES_OF_PLOT")
	POINTS=[]
}
LINES_OF_PLOT=[]

plot_end() # TITLE X-AXIS Y-AXIS [log]: with their units; X is drawn to the base of 2 with log
{
	PLOTS=$(jq -c --arg t "$1" --arg x "$2" --arg y "$3" --argjson l "$LINES_OF_PLOT" --arg log "${4:-}" \
		'. + [{title: $t, x: $x, y: $y, x_log: ($log != ""), lines: $l}]' <<<"$PLOTS")
	LINES_OF_PLOT=[]
	extra plots "$PLOTS"
}
PLOTS=[]

# What there is to say of any row, measured or not.
row_json() # NAME JQ-ARGUMENT... FILTER
{
	local filter=${*: -1}
	# shellcheck disable=SC2016 # jq's names
	jq -n -L "$WB_TOP/bench/report" --rawfile table "$WB_TOP/bench/rows.table" --arg name "$1" \
		--arg options "${HINTS:+HINTS=1 }${QUICK:+QUICK=1 }$([ "$RUNS" = 5 ] || echo "RUNS=$RUNS ")" \
		--arg measured "$(date -u '+%F %H:%M UTC'), load $(cut -d' ' -f1 /proc/loadavg)" \
		"${@:2:$#-2}" 'include "schema"; {name: $name} + ($table | table[$name] //
			error("\($name) is not in bench/rows.table") | del(.quick)) +
		{command: "make bench \($options)ROWS=\($name)", measured: $measured} + ('"$filter"')'
}

# One row.  A and B hold the single measurements without and with the daemon.
result() # NAME VALUE UNIT TARGET true|false NOTE
{
	# shellcheck disable=SC2016 # jq's names
	row_json "$1" --argjson value "$2" --arg unit "$3" --arg target "$4" \
		--argjson met "$5" --arg note "$6" --argjson extra "$EXTRA" \
		--argjson a "$(json_numbers "${A[@]}")" --argjson b "$(json_numbers "${B[@]}")" \
		'{status: "measured", value: $value, unit: $unit, target: $target, met: $met,
		  runs: {without: $a, with: $b}, note: ($note | gsub("\\s+"; " "))} + ($extra | if .why then .why |= gsub("\\s+"; " ") else . end)' \
		>"$BENCH_OUT/$1.json"
}

# true or false: is_met 'v >= 1.6' v=1.7
is_met() # CONDITION NAME=NUMBER...
{
	local c=$1
	shift
	calc %s "($c) ? \"true\" : \"false\"" "$@"
}

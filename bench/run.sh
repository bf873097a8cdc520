#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the benchmarks named in ROWS (all of rows.table if it is empty) and writes
# build/bench/results.json, results.txt and results.md from every row there is.  With
# HINTS=1 the daemon has hint rules for the rows' files, and it is build/bench-hints/.  With
# QUICK=1 only some rows run, on less data, and it is build/bench-quick/.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
export BUILD=${BUILD:-$PWD/build}
[ "${HINTS:-0}" != 0 ] || HINTS=
[ "${QUICK:-0}" != 0 ] || QUICK=
export HINTS QUICK
out=${BENCH_OUT:-$BUILD/bench${HINTS:+-hints}${QUICK:+-quick}}
export BENCH_OUT=$out
if [ -n "$QUICK" ]; then
	export BENCH_MIB=${BENCH_MIB:-64} BENCH_SECONDS=${BENCH_SECONDS:-5}
fi

# The names in rows.table, with QUICK the quick ones.
names()
{
	awk -F'|' -v quick="${1:-}" '/^[^#].*[|]/ {
		gsub(/ /, "", $1); gsub(/ /, "", $5)
		if (quick == "" || $5 == "yes") print $1 }' bench/rows.table
}

if [ "$(id -u)" -ne 0 ]; then
	echo "The benchmarks make file systems of their own: run make bench as root." >&2
	exit 1
fi
mkdir -p "$out"
mapfile -t order < <(names)
mapfile -t wanted < <(names "$QUICK")
# shellcheck disable=SC2206 # a list of words
[ -z "${ROWS:-}" ] || wanted=($ROWS)
failed=
for row in "${wanted[@]}"; do
	[[ " ${order[*]} " == *" $row "* && -x bench/rows/$row.sh ]] || {
		echo "There is no row \"$row\", but these: ${order[*]}" >&2
		exit 2
	}
done
for row in "${wanted[@]}"; do
	echo "== $row" >&2
	rm -f "$out/$row.json"
	status=0
	start=$SECONDS
	# Its own group, so that Ctrl-C reaches each of them once.
	"bench/rows/$row.sh" >"$out/$row.log" 2>&1 || status=$?
	case $status in
	0)
		jq -r '"   \(.value) \(.unit), target \(.target): \(if .met then "met" else "MISSED" end)"' \
			"$out/$row.json" >&2
		;;
	77)
		bench/not-measured.sh "$row" "not run" "$(tail -n 1 "$out/$row.log")"
		;;
	130) exit 130 ;;
	*)
		failed+=" $row"
		tail -n 20 "$out/$row.log" >&2
		bench/not-measured.sh "$row" failed \
			"It ended with $status; the last it said: $(tail -n 1 "$out/$row.log")"
		;;
	esac
	echo "   in $((SECONDS - start)) s" >&2
done

files=()
for row in "${order[@]}"; do
	[ ! -e "$out/$row.json" ] || files+=("$out/$row.json")
done
bench/machine.sh >"$out/machine"
jq -s --slurpfile machine "$out/machine" '{schema: 1, machine: $machine[0], rows: .}' "${files[@]}" \
	>"$out/results.json"
rm "$out/machine"
bench/report.sh "$out/results.json" "$out"
cat "$out/results.txt"
[ -z "$failed" ] || {
	echo "Failed (see $out/ROW.log):$failed" >&2
	exit 1
}

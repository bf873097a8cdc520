#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the benchmarks named in ROWS (all of them if it is empty) and writes
# build/bench/results.json, results.txt and results.md from every row there is.  With
# HINTS=1 the daemon has hint rules for the rows' files, and it is build/bench-hints/.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
export BUILD=${BUILD:-$PWD/build}
[ "${HINTS:-0}" != 0 ] || HINTS=
export HINTS
out=${BENCH_OUT:-$BUILD/bench${HINTS:+-hints}}
export BENCH_OUT=$out

order="drain-random drain-sequential steady-random device-bound write-overhead small-files
temp-files hot-overwrite idle tracked-memory hint-cost extents-hinted copy-time copy-latency
lease-memory kernel-contexts kernel-small-files kernel-extents
kernel-one-context folio-hint ramfs-blocksize rasync-ext2"

if [ "$(id -u)" -ne 0 ]; then
	echo "The benchmarks make file systems of their own: run make bench as root." >&2
	exit 1
fi
mkdir -p "$out"
failed=
for row in ${ROWS:-$order}; do
	[ -x "bench/rows/$row.sh" ] || {
		echo "There is no row \"$row\", but these: ${order//$'\n'/ }" >&2
		exit 2
	}
	echo "== $row" >&2
	rm -f "$out/$row.json"
	# Its own group, so that Ctrl-C reaches each of them once.
	"bench/rows/$row.sh" >"$out/$row.log" 2>&1 || {
		[ $? -ne 130 ] || exit 130
		failed+=" $row"
		tail -n 20 "$out/$row.log" >&2
		continue
	}
	jq -r '"   \(.value) \(.unit), target \(.target): \(if .met then "met" else "MISSED" end)"' \
		"$out/$row.json" >&2
done

files=()
for row in $order; do
	[ ! -e "$out/$row.json" ] || files+=("$out/$row.json")
done
[ ${#files[@]} -gt 0 ] || {
	echo "No row was measured." >&2
	exit 1
}
jq -s 'map(.note |= gsub("\\s+"; " "))' "${files[@]}" >"$out/results.json"
bench/report.sh "$out/results.json" "$out"
cat "$out/results.txt"
[ -z "$failed" ] || {
	echo "Failed (see $out/ROW.log):$failed" >&2
	exit 1
}

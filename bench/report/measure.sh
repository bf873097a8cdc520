#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: measure.sh FOLDER: every row (or ROWS; QUICK=1 the quick ones), and the report of them in FOLDER.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
[ "${QUICK:-0}" != 0 ] || QUICK=
export BENCH_OUT=$out/rows${QUICK:+-quick}
# Of a whole run nothing is left over from another.
[ -n "${ROWS:-}" ] || rm -rf "$BENCH_OUT"
status=0
"$top/bench/run.sh" || status=$?
[ "$status" -le 1 ] || exit "$status"
"$top/bench/report/page.sh" "$out" "$BENCH_OUT/results.json"
echo "$out/index.html"
exit "$status"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: not-measured.sh ROW "not run"|failed REASON: the row as one without numbers, in $BENCH_OUT.
set -eu
WB_NS=1 # no name space is needed
. "$(dirname "$0")/lib.sh"
echo "   $2: $3" >&2
# shellcheck disable=SC2016 # jq's names
row_json "$1" --arg status "$2" --arg reason "$3" \
	'{status: $status, reason: ($reason | .[:2000]), runs: {without: [], with: []}, note: ""}' \
	>"$BENCH_OUT/$1.json"

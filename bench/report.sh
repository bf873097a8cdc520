#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: report.sh RESULTS.json FOLDER: the results as a page to read, .txt and .md.
set -eu
export LC_ALL=C
. "$(dirname "$0")/report/lib.sh"
results=$1 out=$2
merged=$(results_merge "$results")

{
	jq -r '.machine | to_entries[] | "\(.key): \(.value)"' "$results"
	echo
	jq -r -L "$REPORT" 'include "numbers";
		.rows[] | [.name, measured, .target // "-", verdict] | @tsv' <<<"$merged" | awk -F'\t' '
		{ printf "%-18s %-31s %-31s %s\n", $1, $2, $3, $4 }'
	echo
	jq -r -L "$REPORT" 'include "numbers";
		.rows[] | "\(title): \([reason, .note] | map(select(. != null and . != "")) | join(" "))\n"' \
		<<<"$merged" | fold -s -w 88
} >"$out/results.txt"
jq -r -L "$REPORT" -f "$REPORT/md.jq" <<<"$merged" >"$out/results.md"

# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Read files of results: what make bench-report and make bench-compare share.

REPORT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
RESULTS_MAX=$((8 << 20))

die()
{
	echo "$*" >&2
	exit 2
}

report_needs() # PROGRAM...
{
	local p
	for p in "$@"; do
		command -v "$p" >/dev/null ||
			die "$p is not installed, and the report needs it: run make deps as root."
	done
}

# Our own jq programs, with the table of rows as $table.
report_jq() # ARG...
{
	jq -L "$REPORT" --rawfile table "$REPORT/../rows.table" "$@"
}

# Prints FILE as a document of today's schema, or says in a sentence what is wrong with it.
results_load() # FILE
{
	local file=$1 doc
	[ -f "$file" ] || die "$file: there is no such file; results are in build/bench and bench/results."
	[ "$(stat -Lc %s "$file")" -le $RESULTS_MAX ] ||
		die "$file: it has more than $((RESULTS_MAX >> 20)) MiB, so it holds no results of make bench."
	# shellcheck disable=SC2016 # jq's names
	doc=$(report_jq -sc --arg file "${file##*/}" 'include "schema";
		try (if length == 1 then .[0] else error("the file holds \(length) documents instead of one") end
			| load($table | table; $file)) catch ("!" + tostring)' "$file" 2>/dev/null) ||
		die "$file: this is not JSON, or it is cut off; give a results.json or report.json."
	[ "${doc:0:1}" != '"' ] ||
		die "$file: $(jq -r '.[1:300]' <<<"$doc"); it cannot be used: take the file as make bench wrote it."
	printf '%s\n' "$doc"
}

# Prints one document of the rows of all FILEs, each row with its machine; of rows of the same
# command the last one counts.
results_merge() # FILE...
{
	local f
	# A failure within the pipe is one of the whole.
	set -o pipefail
	# shellcheck disable=SC2016 # jq's names
	for f in "$@"; do
		results_load "$f" || exit
	done | report_jq -sc 'include "schema";
		($table | table | keys_unsorted) as $order
		| {schema: schema, rows: ([.[] | .machine as $m | .rows[] | .machine //= $m]
			| group_by(.command | sub(" RUNS=[0-9]+"; "")) | map(last)
			| sort_by([(.name as $n | $order | index($n) // 1000), .command]))}'
}

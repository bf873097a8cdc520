#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: report.sh RESULTS.json FOLDER: the results as a page to read, .txt and .md.
set -eu
export LC_ALL=C
results=$1 out=$2

machine()
{
	echo "Linux $(uname -r), $(nproc) CPUs ($(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo))," \
		"$(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GiB of memory," \
		"$(. /etc/os-release && echo "$PRETTY_NAME")"
	if [ -e /sys/block/zram0/comp_algorithm ]; then
		echo "RAM disk: zram, $(sed 's/.*\[\(.*\)\].*/\1/' /sys/block/zram0/comp_algorithm)"
	else
		echo "RAM disk: loop device over tmpfs"
	fi
	[ -z "${HINTS:-}" ] || echo "With a hint rule for every file"
	echo "Measured $(date -u '+%F %H:%M UTC'); load average before the report $(cut -d' ' -f1-3 /proc/loadavg)"
}

{
	machine
	echo
	jq -r '.[] | [.name, "\(.value) \(.unit)", .target, if .met then "met" else "MISSED" end] | @tsv' \
		"$results" | awk -F'\t' '
		{ printf "%-17s %-29s %-21s %s\n", $1, $2, $3, $4 }'
	echo
	jq -r '.[] | "\(.name): \(.note)\n"' "$results" | fold -s -w 88
} >"$out/results.txt"

{
	echo "# Benchmarks of wb"
	echo
	machine | sed 's/^/* /'
	echo
	echo "| what | measured | target | |"
	echo "| --- | --- | --- | --- |"
	jq -r '.[] | "| \(.name) | \(.value) \(.unit) | \(.target) | \(if .met then "met" else "**missed**" end) |"' \
		"$results"
	echo
	jq -r '
		def list: map(tostring) | join(", ");
		.[] | "## \(.name)\n\n\(.note)\n\n* without: \(.runs.without | list)\n* with: \(.runs.with | list)\n* `\(.command)`\n"' \
		"$results"
} >"$out/results.md"

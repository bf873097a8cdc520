#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: page.sh FOLDER RESULTS.json...: index.html, report.md and report.json of all their rows.
#
# Measures nothing.  Of rows of the same command the last file's counts.
set -eu
export LC_ALL=C
. "$(dirname "$0")/lib.sh"
[ $# -ge 2 ] || die "usage: bench/report/page.sh FOLDER RESULTS.json..."
report_needs jq gnuplot awk sed
out=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# gnuplot's own document as a part of another one: without its head, its names its own.
inline_svg() # NAME
{
	sed -i -e '1,/<svg/{/<svg/!d}' -e '/^<title>.*<.title>$/d; /^<desc>.*<.desc>$/d' -e "s/\\bid=\"/&$1-/g; s/\\bid='/&$1-/g" \
		-e "s/href='#/&$1-/g; s/href=\"#/&$1-/g; s/url(#/&$1-/g" "$tmp/$1.svg"
}

results_merge "$@" >"$tmp/report.json" || exit
jq -r -L "$REPORT" --arg dir "$tmp" -f "$REPORT/plot.jq" "$tmp/report.json" >"$tmp/plots"
gnuplot "$tmp/plots" 2>"$tmp/gnuplot" || die "gnuplot could not draw: $(head -5 "$tmp/gnuplot")"
for svg in "$tmp"/p*.svg; do
	[ ! -e "$svg" ] || inline_svg "$(basename "$svg" .svg)"
done
jq -r -L "$REPORT" -f "$REPORT/html.jq" "$tmp/report.json" |
	awk -v dir="$tmp" '
		/^@@SVG p[0-9]+-[0-9]+@@$/ {
			svg = dir "/" substr($2, 1, length($2) - 2) ".svg"
			while ((getline line <svg) > 0) print line
			close(svg)
			next
		}
		{ print }' >"$tmp/index.html"
jq -r -L "$REPORT" -f "$REPORT/md.jq" "$tmp/report.json" >"$tmp/report.md"
mkdir -p "$out"
jq . "$tmp/report.json" >"$out/report.json"
cp "$tmp/index.html" "$tmp/report.md" "$out"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: compare.sh OLD.json NEW.json: what got better or worse beyond noise (compare.awk has the rule).
#
# Exits with 0 if nothing got worse, 1 if something did, 2 if the files cannot be compared.
set -eu
export LC_ALL=C
. "$(dirname "$0")/lib.sh"
[ $# -eq 2 ] || die "usage: bench/report/compare.sh OLD.json NEW.json"
report_needs jq awk
old=$(results_load "$1")
new=$(results_load "$2")
printf '%-14s %-28s %24s    %-24s %8s %8s\n' "" row old new change p
printf '%s\n%s\n' "$old" "$new" |
	jq -sr -L "$REPORT" -f "$REPORT/compare.jq" | awk -f "$REPORT/compare.awk"

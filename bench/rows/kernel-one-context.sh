#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel series costs whoever does not use it: one context against the unpatched kernel.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"

without=6.12-uml-unpatched with=6.12-uml-bench
pairs=$((RUNS * 4)) # 1 % is little: many short guests
guest_kernels $without $with
guest_clear kernel-one-context
for ((r = 1; r <= pairs; r++)); do
	for fs in xfs ext4; do
		kernels=("$without" "$with")
		((r % 2)) || kernels=("$with" "$without")
		for k in "${kernels[@]}"; do
			guest_run kernel-one-context "$k" $fs writes.sh $fs 15 500
		done
	done
done

# Fills A and B with what FIELD was on FS.
pick() # FS FIELD
{
	mapfile -t A < <(guest_numbers kernel-one-context \
		"select(.set == \"$1\" and .kernel == \"$without\") | .$2")
	mapfile -t B < <(guest_numbers kernel-one-context \
		"select(.set == \"$1\" and .kernel == \"$with\") | .$2")
}

facts() # FS
{
	local what text=$1:
	for what in write whole file; do
		pick "$1" $what
		text+=" ${names[$what]} $(spread %.0f "${A[@]}") ns without and $(spread %.0f "${B[@]}") ns with,"
		text+=" $(calc %+.2f v "v=$(pairs_percent_more)") %;"
	done
	echo "${text%;}."
}
declare -A names=([write]="the write alone" [whole]="write and sync" [file]="a new file of 4 KiB and sync")

note="$(facts xfs) $(facts ext4)"
pick ext4 whole
ext4=$(pairs_percent_more) ext4_a=("${A[@]}") ext4_b=("${B[@]}")
pick xfs whole
value=$(pairs_percent_more)
# The worse of the two is the row's value.
if [ "$(is_met 'e > x' "e=$ext4" "x=$value")" = true ]; then
	value=$ext4 A=("${ext4_a[@]}") B=("${ext4_b[@]}")
fi
value=$(calc %.2f v "v=$value")
result kernel-one-context "$value" "% slower" "<= 1" "$(is_met 'v <= 1' "v=$value")" \
	"Nanoseconds per 4 KiB write at a random place of a cached file of 64 MiB, 20,000 of them and a sync, $without
against $with, which differ by the series alone. Percentages are the median of $pairs pairs of guests. $note
Each guest's number is the median of 15 batches (7 of 500 files)."

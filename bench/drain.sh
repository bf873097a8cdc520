# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same dirty files, written back by syncfs alone and by `wbctl sync`, in turns.
# Sourced after lib.sh; MNT, DEV and DIRS are set.

# So that both sides start with the same dirty bytes, nothing is flushed before `sync`.
DRAIN_ONLY=$'[flush]\nafter = off\nage = off\n'

# Writes the files and drains them once; SET describes the files to wbload.
# Sets T_WRITE, T_DRAIN (seconds) and DIRTY (bytes before the drain).
drain_once() # without|with SETTINGS MODE SEED
{
	bench_fresh
	[ "$1" = without ] || daemon_start <<<"$2"
	load "$3" "${SET[@]}" --seed "$4"
	T_WRITE=$(loaded .seconds)
	load dirty "${SET[@]}"
	DIRTY=$(loaded .dirty)
	if [ "$1" = with ]; then
		T_DRAIN=$(stopwatch wb_ctl sync "$MNT")
		daemon_stop
	else
		T_DRAIN=$(stopwatch sync -f "$MNT")
	fi
}

# RUNS pairs; which side is first changes each time.  Fills A and B (seconds of each
# drain), AW and BW (of writing and draining), DA and DB (dirty bytes at the start), EA and
# EB (extents per file) and LIMIT (bytes/s past the page cache into the same files).
drain_compare() # RUNS SETTINGS MODE
{
	local r side sides
	A=() B=() AW=() BW=() DA=() DB=() EA=() EB=() LIMIT=()
	for ((r = 1; r <= $1; r++)); do
		sides=(without with)
		((r % 2)) || sides=(with without)
		for side in "${sides[@]}"; do
			drain_once "$side" "$2" "$3" $r
			drain_record "$side"
			drain_show "$side"
			((r < $1 && ! ${VERIFY_ALL:-0})) || drain_verify "$r"
		done
		load direct "${SET[@]}" --block "${DIRECT_BLOCK:-1M}"
		LIMIT+=("$(loaded '.bytes / .seconds')")
	done
}

drain_record() # without|with
{
	local whole extents
	whole=$(calc %.6f 'w + d' "w=$T_WRITE" "d=$T_DRAIN")
	extents=$(drain_extents)
	if [ "$1" = without ]; then
		A+=("$T_DRAIN") AW+=("$whole") DA+=("$DIRTY") EA+=("$extents")
	else
		B+=("$T_DRAIN") BW+=("$whole") DB+=("$DIRTY") EB+=("$extents")
	fi
}

# Per file, of the first hundred in each directory.
drain_extents()
{
	local dir
	for dir in "${DIRS[@]}"; do
		find "$dir" -type f -name 'w*' | head -n 100
	done | xargs -d '\n' filefrag | awk '{ n += $(NF - 2) } END { printf "%.2f", n / NR }'
}

# The demo has another way of showing it.
drain_show() # without|with
{
	wb_note "$1: $(calc '%.0f' 'd / 1048576' "d=$DIRTY") MiB dirty," \
		"written in $T_WRITE s, drained in $T_DRAIN s"
}

# What is on the device?  Read back from there, with nothing cached; counts in FILES_OK
# and FILES_ALL.
drain_verify() # SEED
{
	wb_remount_cold "$MNT"
	load verify "${SET[@]}" --seed "$1" || true
	FILES_OK=$((FILES_OK + $(loaded .files)))
	FILES_ALL=$((FILES_ALL + $(loaded '.files + .bad')))
}
FILES_OK=0 FILES_ALL=0

# Times, shares of the limit, dirty bytes: the facts of the last comparison.
drain_facts()
{
	local bytes limit
	bytes=$(median "${DA[@]}")
	limit=$(median "${LIMIT[@]}")
	echo "syncfs $(spread %.2f "${A[@]}") s, wbctl sync $(spread %.2f "${B[@]}") s;" \
		"dirty at the start $(calc %.0f 'd / 1048576' "d=$bytes") and" \
		"$(calc %.0f 'd / 1048576' "d=$(median "${DB[@]}")") MiB;" \
		"$(median "${EA[@]}") and $(median "${EB[@]}") extents per file;" \
		"$FILES_OK of $FILES_ALL files read back as written;" \
		"$(drain_share A) and $(drain_share B) of the device's own limit of" \
		"$(calc %.0f 'l / 1e6' "l=$limit") MB/s (O_DIRECT into the same files)"
}

# true if CONDITION holds and no file was damaged.
drain_met() # CONDITION NAME=NUMBER...
{
	if [ "$FILES_OK" -eq "$FILES_ALL" ]; then is_met "$@"; else echo false; fi
}

# Percent of the device's own limit at which array A or B drained.
drain_share() # A|B
{
	local -n t=$1
	calc '%.0f %%' '100 * d / t / l' "d=$(median "${DA[@]}")" "t=$(median "${t[@]}")" \
		"l=$(median "${LIMIT[@]}")"
}

drain_ratio()
{
	calc %.3f 'a / b' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")"
}

# What else a reader wants to know, from shorter series: settings as shipped, and data
# that costs the device less.
drain_more() # MODE
{
	local n=$(((RUNS + 1) / 2))
	drain_compare $n "" "$1"
	MORE="With the shipped settings, which flush while files are being written, writing and
draining takes $(spread %.2f "${BW[@]}") s, against $(spread %.2f "${AW[@]}") s without the daemon."
	SET+=(--half)
	drain_compare $n "$DRAIN_ONLY" "$1"
	MORE+=" Half noise and half zeros (fio's 50 %) instead of text: ratio $(drain_ratio), $(drain_facts)."
	unset 'SET[-1]'
}

# The shares as numbers, for the report.
drain_extra()
{
	local a b
	a=$(drain_share A) b=$(drain_share B)
	extra share "{\"without\": ${a% %}, \"with\": ${b% %}}"
}

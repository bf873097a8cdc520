# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Measure in guest kernels: a script of guest/ runs in one and leaves lines of JSON, which come
# back here.  Sourced after lib.sh.

GUEST=$WB_TOP/tests/guest

# How much data a row of guests takes, less with QUICK=1.
guest_mib() # QUICK FULL
{
	if [ -n "${BENCH_GUEST_MIB:-}" ]; then echo "$BENCH_GUEST_MIB"; elif [ -n "$QUICK" ]; then echo "$1"; else echo "$2"; fi
}

# Builds what is missing before anything is measured.
guest_kernels() # KERNEL...
{
	local k
	for k in "$@"; do
		"$GUEST/build" "$k" >/dev/null || wb_fail "there is no kernel $k"
	done
}

# Runs SCRIPT of guest/ and appends its lines to $BENCH_OUT/FILE.jsonl, with the word NAME as
# their "set".  GUEST_OPTIONS are options of tests/guest/run.
guest_run() # FILE KERNEL NAME SCRIPT ARG...
{
	local file=$BENCH_OUT/$1.jsonl kernel=$2 name=$3 script=$4 keep=$WB_TMP/guest status=0
	shift 4
	rm -rf "$keep"
	"$GUEST/run" -o "$keep" -e "WB_GUEST_TOOLS=$BUILD/tests/guest/tools" -e "BUILD=$BUILD" \
		"${GUEST_OPTIONS[@]}" "$kernel" -- "$WB_TOP/bench/guest/$script" "$@" || status=$?
	# What it skipped says why at its end.
	[ "$status" != 77 ] || wb_skip "$(tail -n 1 "$keep/output")"
	[ "$status" = 0 ] || wb_fail "$script did not measure in $kernel"
	jq -c --arg set "$name" --arg kernel "$kernel" '{set: $set, kernel: $kernel} + .' \
		"$keep/out/lines" >>"$file"
}
GUEST_OPTIONS=()

# Forgets the lines of an earlier run.
guest_clear() # FILE
{
	rm -f "$BENCH_OUT/$1.jsonl"
}

# All that FILTER makes of the lines, for an array: mapfile -t A < <(guest_numbers ...)
guest_numbers() # FILE FILTER
{
	jq -r "$2" "$BENCH_OUT/$1.jsonl"
}

# Sets A and B to what two filters make of the lines, and RATIO to the median of B by that of A.
# shellcheck disable=SC2034 # for those who source this
guest_compare() # FILE FILTER FILTER
{
	mapfile -t A < <(guest_numbers "$1" "$2")
	mapfile -t B < <(guest_numbers "$1" "$3")
	RATIO=$(calc %.4f 'b / a' "a=$(median "${A[@]}")" "b=$(median "${B[@]}")")
}

# ---- rows that compare numbers of contexts (drain.sh) --------------------------------

# Seconds that sync took in SET with N contexts.
contexts_sync() # FILE SET N
{
	guest_numbers "$1" "select(.set == \"$2\" and .contexts == $3) | .sync"
}

# Sets BEST to the number of contexts among N... with the lowest median, A to the times of
# one context and B to those of BEST.
# shellcheck disable=SC2034 # for those who source this
contexts_best() # FILE SET N...
{
	local file=$1 set=$2 n times
	shift 2
	mapfile -t A < <(contexts_sync "$file" "$set" 1)
	B=()
	for n in "$@"; do
		mapfile -t times < <(contexts_sync "$file" "$set" "$n")
		if [ ${#B[@]} = 0 ] || [ "$(is_met 't < b' "t=$(median "${times[@]}")" \
			"b=$(median "${B[@]}")")" = true ]; then
			BEST=$n B=("${times[@]}")
		fi
	done
}

# Seconds for each N, and what else there is to know.
contexts_facts() # FILE SET N...
{
	local file=$1 set=$2 n times text=
	shift 2
	for n in "$@"; do
		mapfile -t times < <(contexts_sync "$file" "$set" "$n")
		text+="$n: $(spread %.3f "${times[@]}") s, "
		text+="$(contexts_median "$file" "$set" "$n" .fullest) % of it in the fullest context, "
		text+="written in $(contexts_median "$file" "$set" "$n" .write) s; "
	done
	echo "Contexts $text$(contexts_median "$file" "$set" 1 '.dirty / 1048576 | floor') MiB dirty before it."
}

# A plot of the seconds by contexts.
contexts_plot() # FILE TITLE SET... -- N...
{
	local file=$1 title=$2 sets=() set n times
	shift 2
	while [ "$1" != -- ]; do
		sets+=("$1")
		shift
	done
	shift
	for set in "${sets[@]}"; do
		for n in "$@"; do
			mapfile -t times < <(contexts_sync "$file" "$set" "$n")
			plot_point "$n" "${times[@]}"
		done
		plot_line "$set"
	done
	plot_end "$title" "contexts (number)" "time of sync (s)" log
}

contexts_median() # FILE SET N FILTER
{
	local v
	mapfile -t v < <(guest_numbers "$1" "select(.set == \"$2\" and .contexts == $3) | $4")
	median "${v[@]}"
}

# ---- rows of throttled writers (writers.sh) ------------------------------------------

WRITERS_KERNEL=6.12-x86-bench

writers_measure() # FILE DEVICE MIB "WAY..."
{
	guest_kernels $WRITERS_KERNEL
	guest_clear "$1"
	GUEST_OPTIONS=(-m 3G -t 900)
	guest_run "$1" $WRITERS_KERNEL "$2" writers.sh "$RUNS" "${BENCH_SECONDS:-10}" "$3" "$2" "$4"
}

writers_rates() # FILE WAY
{
	guest_numbers "$1" "select(.way == \"$2\") | .rate"
}

# Sets A and B to the rates of two ways and RATIO to their quotient.
writers_compare() # FILE WAY WAY
{
	guest_compare "$1" "select(.way == \"$2\") | .rate" "select(.way == \"$3\") | .rate"
}

# Sets BEST to the way with the highest median and BEST_RATES to its rates.
# shellcheck disable=SC2034 # for those who source this
writers_best() # FILE WAY...
{
	local file=$1 way rates
	shift
	BEST_RATES=(0)
	for way in "$@"; do
		mapfile -t rates < <(writers_rates "$file" "$way")
		if [ "$(is_met 'r > b' "r=$(median "${rates[@]}")" "b=$(median "${BEST_RATES[@]}")")" = true ]; then
			BEST=$way BEST_RATES=("${rates[@]}")
		fi
	done
}

# What else there is to know of each way.
writers_facts() # FILE WAY...
{
	local file=$1 way rates pauses cpu text=
	shift
	for way in "$@"; do
		mapfile -t rates < <(writers_rates "$file" "$way")
		mapfile -t pauses < <(guest_numbers "$file" "select(.way == \"$way\") | .max_ms")
		mapfile -t cpu < <(guest_numbers "$file" "select(.way == \"$way\") | 100 * .cpu")
		text+="$way: $(spread_by 1e6 %.0f "${rates[@]}") MB/s with $(guest_numbers "$file" \
			"select(.way == \"$way\") | .contexts" | head -1) contexts, longest write $(median "${pauses[@]}") ms"
		[ "$way" = none ] || text+=", wbd takes $(calc %.2f c "c=$(median "${cpu[@]}")") % of a CPU"
		text+="; "
	done
	echo "$text"
}

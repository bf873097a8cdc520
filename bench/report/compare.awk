# SPDX-License-Identifier: GPL-2.0-or-later
# Which rows are better or worse beyond noise?  Reads the lines of compare.jq.
#
# The rule: a row changed if its runs did, and what they are against the other side of the same run did,
# in the same direction: the Mann-Whitney test, two-sided, says of both that runs of the same kind would
# be so far apart less than once in a hundred times, and the medians are at least 1 % apart.  The test
# asks only which of two runs is the smaller, so one wild run does not count, whatever the distribution.
# With 5 runs on each side all of one must lie beyond all of the other.  With fewer (4 and 4 could never
# be told apart) a row is judged by its target alone: met before and missed, or the reverse.

BEGIN {
	FS = "\t"
	alpha = 0.01
	least = 0.01
}

function sorted(text, v,    n, i, j, t) {
	n = split(text, v, " ")
	for (i = 2; i <= n; i++) {
		t = v[i] + 0
		for (j = i - 1; j >= 1 && v[j] + 0 > t; j--) v[j + 1] = v[j]
		v[j + 1] = t
	}
	return n
}

function median(v, n,    h) {
	h = int((n + 1) / 2)
	return (v[h] + v[n + 1 - h]) / 2
}

# Twice the rank of each of both together, those that are equal sharing theirs.
function ranks(a, n, b, m, rank,    i, j, k, all, x, y, t) {
	all = 0
	i = j = 1
	while (i <= n || j <= m) {
		x = i <= n && (j > m || a[i] <= b[j]) ? a[i] : b[j]
		t = all
		y = 0
		while (i <= n && a[i] == x) { i++; all++; y++ }
		while (j <= m && b[j] == x) { j++; all++ }
		for (k = t + 1; k <= all; k++) rank[k] = t + all + 1
		ranks_of_a += y * (t + all + 1)
		ties += (all - t) ^ 3 - (all - t)
	}
	return all
}

# How probable it is, if both are of the same kind, that the ranks of A add up to something at
# least as far from their mean.
function probability(a, n, b, m,    rank, all, i, k, s, ways, wide, from, top, far, mean, total, p, sd, z) {
	ranks_of_a = ties = 0
	all = ranks(a, n, b, m, rank)
	mean = n * (all + 1)
	far = ranks_of_a - mean
	if (far < 0) far = -far
	if (all > 30) {
		sd = sqrt(n * m / 12 * (all + 1 - ties / (all * (all - 1))))
		if (sd == 0) return 1
		z = (far / 2 - 0.5) / sd
		return z <= 0 ? 1 : 2 * upper(z)
	}
	# All ways to choose n of the ranks, by their sum.
	wide = all * (all + 1) + 1
	top = 0
	ways[0] = 1
	for (i = 1; i <= all; i++) {
		top += rank[i]
		for (k = i < n ? i : n; k >= 1; k--)
			for (s = top; s >= rank[i]; s--) {
				from = (k - 1) * wide + s - rank[i]
				if (from in ways) ways[k * wide + s] += ways[from]
			}
	}
	for (s = 0; s <= top; s++) {
		from = n * wide + s
		if (!(from in ways)) continue
		total += ways[from]
		if (s - mean >= far || mean - s >= far) p += ways[from]
	}
	return p / total
}

# The normal distribution beyond z (Abramowitz and Stegun 26.2.17).
function upper(z,    t) {
	t = 1 / (1 + 0.2316419 * z)
	t *= 0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
	return exp(-z * z / 2) * 0.3989422804 * t
}

function by_target() {
	if ($3 == "met" && ($4 == "MISSED" || $4 == "FAILED")) return "worse"
	if (($3 == "MISSED" || $3 == "FAILED") && $4 == "met") return "better"
	return "same"
}

{
	change = probable = "-"
	said = ""
	if ($4 == "FAILED" && $3 != "FAILED" && $3 != "absent") {
		verdict = "worse"; said = "it failed"
	} else if ($3 == "absent" || $4 == "absent" || $3 == "not run" || $4 == "not run" || $3 == "FAILED") {
		verdict = "not compared"
		said = ($3 == "absent" || $3 == "not run" || $3 == "FAILED" ? "old: " $3 : "new: " $4)
	} else if ($9 != "true") {
		verdict = "not compared"; said = "they measure different things"
	} else {
		n = $5 == "-" ? 0 : sorted($5, a)
		m = $6 == "-" ? 0 : sorted($6, b)
		if (n && m && median(a, n) > 0) change = median(b, m) / median(a, n) - 1
		if (n < 5 || m < 5) {
			verdict = by_target()
			said = "few runs (" n ", " m "): by its target"
		} else {
			probable = probability(a, n, b, m)
			grown = median(b, m) > median(a, n)
			n = sorted($10, a)
			m = sorted($11, b)
			p = probability(a, n, b, m)
			if (p > probable) probable = p
			verdict = "same"
			if (probable < alpha && grown == (median(b, m) > median(a, n)) &&
			    (change == "-" || change >= least || change <= -least))
				verdict = grown == ($2 == "higher") ? "better" : "worse"
		}
	}
	count[verdict]++
	printf "%-14s %-28s %24s -> %-24s %8s %8s  %s\n", verdict, $1, $7, $8,
		(change == "-" ? "-" : sprintf("%+.1f %%", 100 * change)),
		(probable == "-" ? "-" : sprintf("%.4f", probable)), said
}

END {
	printf "\n%d better, %d worse, %d the same, %d not compared\n", count["better"], count["worse"],
		count["same"], count["not compared"]
	exit count["worse"] > 0
}

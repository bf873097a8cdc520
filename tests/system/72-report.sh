#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The report of stored results: of every schema that there was, sound HTML, nothing of a file taken for
# markup, hostile files refused with a sentence; and a regression is told, noise is not.
set -eu
. "$(dirname "$0")/../lib.sh"

report=$WB_TOP/bench/report
old=$WB_TOP/tests/report/schema-0.json one=$WB_TOP/tests/report/schema-1.json
page()
{
	"$report/page.sh" "$@"
}

wb_note "schema 1: every kind of row"
page "$WB_TMP/one" "$one"
xmllint --noout "$WB_TMP/one/index.html"
html=$(<"$WB_TMP/one/index.html")
md=$(<"$WB_TMP/one/report.md")
[ "$(grep -c '<svg' "$WB_TMP/one/index.html")" -eq 5 ] || wb_fail "not each plot is in the page"
[[ $html != *@@SVG* ]] || wb_fail "a plot is missing"
[ -z "$(grep -o ' id=["'\''][^"'\'']*' "$WB_TMP/one/index.html" | tr '"' "'" | sort | uniq -d)" ] ||
	wb_fail "two elements have the same id"
# Needs nothing from anywhere.
! grep -Eo "(src|href)=[\"']?[^\"' >]*" "$WB_TMP/one/index.html" |
	grep -Ev "=[\"']?(#|report\\.(json|md)\$)" | grep . || wb_fail "the page is not self-contained"
for text in 'MISSED' 'Two CPUs at most are there' 'the kernel has no bcachefs' 'the last it said: no space' \
	'31 %, 45 %' '1.42 times faster' 'RAM disk' 'aged, 0 us' 'Others'; do
	[[ $html == *"$text"* ]] || wb_fail "the page has not \"$text\""
done
# Those that missed, and those that failed, are marked; the others are not.
[ "$(grep -c '<span class="missed">' <<<"$html")" -eq 2 ] || wb_fail "not the right rows are red"
[[ $md == *'| S4-xfs-A | 1.42 times faster |'*'**MISSED**'* ]] || wb_fail "the Markdown has no headline"
[[ $html != *'<script'* && $html != *'<b>nothing'* ]] || wb_fail "a note became markup"
[[ $md != *'<script>'* ]] || wb_fail "a note became markup in the Markdown"

wb_note "report.json is a file of results itself"
page "$WB_TMP/again" "$WB_TMP/one/report.json"
cmp "$WB_TMP/one/report.json" "$WB_TMP/again/report.json"
wb_json '.schema == 1 and ([.rows[].status] | sort) ==
	["failed", "measured", "measured", "measured", "measured", "not run"]' <"$WB_TMP/one/report.json"

wb_note "schema 0, the list alone: rows get what rows.table knows"
page "$WB_TMP/old" "$old"
xmllint --noout "$WB_TMP/old/index.html"
wb_json '[.rows[].name] == ["kernel-contexts", "kernel-one-context", "folio-hint"]' <"$WB_TMP/old/report.json"
wb_json '.rows[0] | .status == "measured" and .value == 1.34 and .better == "lower" and
	.run_unit == "time of sync (s)" and .labels.without == "1 context" and (.runs.with | length) == 7' \
	<"$WB_TMP/old/report.json"
page "$WB_TMP/stored" "$WB_TOP"/bench/results/*.json
xmllint --noout "$WB_TMP/stored/index.html"

wb_note "of the same row in two files the later one counts"
jq '(.rows[] | select(.name == "idle") | .value) = 7' "$one" >"$WB_TMP/later.json"
page "$WB_TMP/both" "$one" "$WB_TMP/later.json"
wb_json '[.rows[] | select(.name == "idle") | .value] == [7]' <"$WB_TMP/both/report.json"

# refused FILE WORDS: in one sentence that has WORDS, and nothing is written
refused()
{
	local status=0
	rm -rf "$WB_TMP/no"
	page "$WB_TMP/no" "$1" >"$WB_TMP/said" 2>&1 || status=$?
	[ "$status" -eq 2 ] || wb_fail "$2: status $status"
	[ "$(wc -l <"$WB_TMP/said")" -eq 1 ] || wb_fail "$2: not one line: $(head -5 "$WB_TMP/said")"
	grep -qF "$2" "$WB_TMP/said" || wb_fail "$2: it says $(cat "$WB_TMP/said")"
	[ ! -e "$WB_TMP/no" ] || wb_fail "$2: a page was written"
}

# hostile WORDS FILTER: the good file changed by FILTER
hostile()
{
	jq "$2" "$one" >"$WB_TMP/hostile.json"
	refused "$WB_TMP/hostile.json" "$1"
}

wb_note "what is no file of results is refused"
refused "$WB_TMP/none.json" "there is no such file"
head -c 400 "$one" >"$WB_TMP/cut.json"
refused "$WB_TMP/cut.json" "not JSON"
: >"$WB_TMP/empty.json"
refused "$WB_TMP/empty.json" "0 documents"
cat "$one" "$one" >"$WB_TMP/two.json"
refused "$WB_TMP/two.json" "2 documents"
head -c 9M /dev/zero >"$WB_TMP/large.json"
refused "$WB_TMP/large.json" "more than 8 MiB"
head -c 100000 /dev/zero | tr '\0' '[' >"$WB_TMP/deep.json"
refused "$WB_TMP/deep.json" "not JSON"
hostile "schema is 2" '.schema = 2'
hostile "has no schema" 'del(.schema)'
hostile "has no schema" '"text"'
hostile "rows is no list" '.rows = {}'
hostile "rows[0] is no object" '.rows[0] = null'
hostile "rows[0].name" '.rows[0].name = "../../x"'
hostile "status" '.rows[0].status = "fine"'
hostile "value is no number" '.rows[0].value = "1.42"'
hostile "value is no number" '.rows[0].value = 1e300'
hostile "runs.with is no list of numbers" '.rows[0].runs.with[0] = "143"'
hostile "run_unit" '.rows[0].run_unit = "time `touch '"$WB_TMP/ran"'`"'
hostile "unit" '.rows[0].unit = "x\"; system(\"true\")"'
hostile "labels.with is" '.rows[0].labels.with = "a\nset output"'
hostile "plots[].y" '.rows[0].plots[0].y = "'"'"'; !true"'
hostile "has not title, x and y" 'del(.rows[0].plots[0].x)'
hostile "lines[].points" '.rows[0].plots[0].lines[0].points[0] = [1, 2]'
hostile "lines is no list of 1 to 8" '.rows[0].plots[0].lines = []'
hostile "as many cells" '.rows[0].tables[0].rows[0] = ["one"]'
hostile "note is no text" '.rows[0].note = "a\u0000b"'
hostile "note is no text" '.rows[0].note = ("x" * 30000)'
hostile "machine.kernel" '.machine.kernel = {}'
hostile "two of the same command" '.rows += [.rows[0]]'
hostile "why" '.rows[0].why = 3'
[ ! -e "$WB_TMP/ran" ] || wb_fail "a command in a file was run"
if page "$WB_TMP/no" >"$WB_TMP/said" 2>&1; then
	wb_fail "no file is no mistake"
fi

# compare WANTED-STATUS NEW-FILTER: the good file against itself changed by the filter
compare()
{
	local status=0
	jq "$2" "$one" >"$WB_TMP/new.json"
	"$report/compare.sh" "$one" "$WB_TMP/new.json" >"$WB_TMP/compared" 2>&1 || status=$?
	[ "$status" -eq "$1" ] || {
		cat "$WB_TMP/compared"
		wb_fail "status $status instead of $1 for $2"
	}
}

# told VERDICT ROW
told()
{
	grep -q "^$1 *$2 " "$WB_TMP/compared" || {
		cat "$WB_TMP/compared"
		wb_fail "$2 is not \"$1\""
	}
}

wb_note "compared: the same, noise, a machine that is slower as a whole"
s4='.rows[] | select(.name == "S4-xfs-A")'
compare 0 .
told same S4-xfs-A
told "not compared" S1-bcachefs-128k
compare 0 "($s4 | .runs.with) |= (map(. * 1.005) | reverse)"
told same S4-xfs-A
compare 0 "($s4 | .runs) |= map_values(map(. * 0.5))"
told same S4-xfs-A
compare 0 "($s4 | .runs.with[0]) = 1"
told same S4-xfs-A
# The baseline alone moves.
compare 0 "($s4 | .runs.without) |= map(. * 2)"
told same S4-xfs-A

wb_note "compared: what got worse, better, is gone"
compare 1 "($s4 | .runs.with) |= map(. * 0.9)"
told worse S4-xfs-A
compare 0 "($s4 | .runs.with) |= map(. * 1.2)"
told better S4-xfs-A
# Less is better.
for better in lower higher; do
	jq "($s4 | .better) = \"$better\"" "$one" >"$WB_TMP/a.json"
	jq "($s4 | .runs.with) |= map(. * 1.2)" "$WB_TMP/a.json" >"$WB_TMP/b.json"
	status=0
	"$report/compare.sh" "$WB_TMP/a.json" "$WB_TMP/b.json" >"$WB_TMP/compared" || status=$?
	case $better in
	lower) [ $status = 1 ] && told worse S4-xfs-A ;;
	higher) [ $status = 0 ] && told better S4-xfs-A ;;
	esac
done
# Few runs are judged by their target.
compare 0 '(.rows[] | select(.name == "idle") | .runs.with) = [1]'
told same idle
compare 1 '(.rows[] | select(.name == "idle")) |= (.value = 9 | .met = false | .runs.with = [9])'
told worse idle
compare 1 "($s4) |= (.status = \"failed\" | .reason = \"it broke\" | .runs = {without: [], with: []})"
told worse S4-xfs-A
compare 0 'del(.rows[0])'
told "not compared" S4-xfs-A
compare 0 "($s4 | .run_unit) = \"time (s)\""
told "not compared" S4-xfs-A
compare 2 '.schema = 3'

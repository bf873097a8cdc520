# SPDX-License-Identifier: GPL-2.0-or-later
# From a document, the report in Markdown.

include "numbers";

# Nothing in a text is markup.
def cell: line | gsub("(?<c>[\\\\`*_\\[\\]<>|#])"; "\\\(.c)");
# All but a back-quote can stand between two.
def code: line | gsub("`"; "'") | "`\(.)`";
def tabled: "| \(map(cell) | join(" | ")) |";
def bold: if . == "met" or . == "not run" then . else "**\(.)**" end;
def spread: if length == 0 then "-" else "\(median | digits) (\(min | digits) to \(max | digits); \(length) runs)" end;

machines as $machines
| "# Benchmarks of wb", "",
($machines | to_entries[] | "* Machine \(.key + 1): " + ([.value | to_entries[] | "\(.key) \(.value)"] | join("; ") | cell)),
"",
"| row | measured | target | published | share of the device's limit | |",
"| --- | --- | --- | --- | --- | --- |",
(.rows[] | [title, measured, .target // "-", .published // "-", share_text] as $c
	| ($c | tabled) + " \(verdict | bold) |"),
"",
(sections[] as $s | [.rows[] | select(.section == $s[0] or ($s[0] == "other" and
		(.section as $n | sections | map(.[0]) | index($n) == null)))]
	| select(length > 0) | "## \($s[1])", "",
	(.[] | . as $row
	| "### \(title)", "",
	([if .status == "measured" then "**\(measured | cell)**, target \(.target | cell): \(verdict | bold)" else verdict | bold end]
		+ [reason | select(. != null) | cell] | join(". ")), "",
	(if .status == "measured" then
		"* \(.run_unit | cell), \(.better) is better",
		"* \(.labels.without | cell): \(.runs.without | spread)",
		"* \(.labels.with | cell): \(.runs.with | spread)",
		(if .share then "* share of the device's own limit: \(share_text)" else empty end) else empty end),
	(if .published then "* published: \(.published | cell)" else empty end),
	"* machine \((.machine as $m | $machines | index([$m])) + 1), \(.command | code)", "",
	(.note | cell), "",
	(.tables // [] | .[] | (.title | cell), "", (.columns | tabled), (.columns | map("---") | "| \(join(" | ")) |"),
		(.rows[] | tabled), "")))

# SPDX-License-Identifier: GPL-2.0-or-later
# From a document, the page; a line @@SVG NAME@@ stands for each plot.  Everything that comes from a
# document goes through h.

include "numbers";

def h: tostring | line | @html;
def tag($name; $class): "<\($name) class=\"\($class)\">\(h)</\($name)>";
def td: "<td>\(h)</td>";
def th: "<th scope=\"col\">\(h)</th>";
def class: {"met": "met", "MISSED": "missed", "FAILED": "missed", "not run": "notrun"}[verdict];
def grid($caption): "<div class=\"wide\"><table><caption>\($caption | h)</caption>";
def anchor: "row\(.)";

def numbers_of($what): if length == 0 then empty else
	"<tr><th scope=\"row\">\($what | h)</th>" + ([median, min, max] | map(digits | td) | join("")) + (length | td) + "</tr>" end;

def style: "
body { font: 1rem/1.45 sans-serif; color: #1a1a1a; background: #fff; margin: 0 auto; max-width: 62rem; padding: 0 .6rem 3rem; overflow-wrap: break-word }
h1 { font-size: 1.6rem } h2 { font-size: 1.3rem; margin-top: 2.5rem; border-bottom: 1px solid #bbb } h3 { font-size: 1.1rem; margin: 2rem 0 .3rem }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .5rem 0; font-size: .9rem } caption { text-align: left; color: #555 }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .6rem; text-align: left; vertical-align: top; font-variant-numeric: tabular-nums }
.met { color: #1b6e20 } .missed { color: #b00020; font-weight: bold } .notrun { color: #666 }
.why { border-left: 4px solid #b00020; background: #fdf0f1; padding: .4rem .8rem } .skip { border-left: 4px solid #999; background: #f4f4f4; padding: .4rem .8rem }
pre { background: #f4f4f4; padding: .4rem .6rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem }
figure { margin: .8rem 0; max-width: 40rem } figure svg { width: 100%; height: auto; display: block } figcaption { color: #555; font-size: .85rem }
";

def row_head($i):
	"<section id=\"\($i | anchor)\">", "<h3>\(title | h)</h3>",
	"<p><span class=\"\(class)\">\(verdict)</span>"
		+ (if .status == "measured" then ": \(measured | h), target \(.target | h)" else "" end)
		+ (if .published then "; published: \(.published | h)" else "" end) + "</p>",
	(if reason == null then empty
	 else "<p class=\"\(if class == "missed" then "why" else "skip" end)\">\(reason | h)</p>" end);

def row_numbers:
	if .status == "measured" and (.runs.without + .runs.with | length) > 0 then
		grid("\(.run_unit), \(.better) is better"),
		"<tr>\(["", "median", "smallest", "largest", "runs"] | map(th) | join(""))</tr>",
		(.labels as $l | .runs | (.without | numbers_of($l.without)), (.with | numbers_of($l.with))),
		"</table></div>" else empty end,
	(if .share then "<p>Share of the device's own measured limit: \(share_text | h)</p>" else empty end);

def row_grids: .tables // [] | .[]
	| grid(.title), "<tr>\(.columns | map(th) | join(""))</tr>",
	(.rows[] | "<tr>\(map(td) | join(""))</tr>"), "</table></div>";

def row_plots($i): .run_unit as $unit | .name as $name | plots | to_entries[]
	| (if .value.runs then "Each run a point, the medians dashed: \($unit)"
	   else "\(.value.title): medians, smallest and largest; \(.value.y) by \(.value.x)" end) as $caption
	| "<figure role=\"img\" aria-label=\"\($name | h): \($caption | h)\">", "@@SVG p\($i)-\(.key)@@",
	"<figcaption>\($caption | h)</figcaption>", "</figure>";

def row_all($i; $machines): row_head($i), row_numbers, row_grids, row_plots($i),
	"<p>\(.note | h)</p>",
	"<p>Machine \((.machine as $m | $machines | index([$m])) + 1); command:</p>",
	"<pre>\(.command | h)</pre>", "</section>";

def summary: grid("Every row; the value compares medians, the row itself has their spread"),
	"<tr>\(["row", "", "measured", "target", "published", "share of the device's limit"] | map(th) | join(""))</tr>",
	(.rows | to_entries[] | .key as $i | .value
	| "<tr><td><a href=\"#\($i | anchor)\">\(title | h)</a></td>"
		+ "<td class=\"\(class)\">\(verdict)</td>"
		+ ([measured, .target // "-", .published // "-", share_text] | map(td) | join("")) + "</tr>"), "</table></div>";

machines as $machines | .rows as $rows
| "<!DOCTYPE html>",
"<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\" xml:lang=\"en\"><head><meta charset=\"utf-8\"/>",
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>",
"<title>Benchmarks of wb</title><style>\(style)</style></head><body>",
"<h1>Benchmarks of wb</h1>",
"<p>\([$rows[] | select(.status == "measured")] | length) rows were measured, "
	+ "\([$rows[] | select(.status == "measured" and .met)] | length) of them met their target; "
	+ "\([$rows[] | select(.status != "measured")] | length) did not run, each with its reason. "
	+ "Without and with alternate; <a href=\"report.json\">report.json</a> and <a href=\"report.md\">report.md</a> hold the same.</p>",
summary,
"<h2>Machines</h2>",
($machines | to_entries[] | grid("Machine \(.key + 1)"),
	(.value | to_entries[] | "<tr><th scope=\"row\">\(.key | h)</th>\(.value | td)</tr>"), "</table></div>"),
(sections[] as $s | [$rows | to_entries[] | select(.value.section == $s[0] or ($s[0] == "other" and
		(.value.section as $n | sections | map(.[0]) | index($n) == null)))]
	| select(length > 0) | "<h2>\($s[1] | h)</h2>", (.[] | .key as $i | .value | row_all($i; $machines))),
"</body></html>"

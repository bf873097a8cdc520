# SPDX-License-Identifier: GPL-2.0-or-later
# From a document, the gnuplot program that draws all its plots into $dir.  All words in it have been
# through schema.jq: there is no quote, backslash or line's end in them.

include "numbers";

def quoted: "'" + gsub("'"; "") + "'";
def block($name; rows): "$\($name) << EOD\n" + ([rows] | join("\n")) + "\nEOD\n";
def colours: ["#b03a2e", "#1f5fa8", "#2e7d32", "#8e5a00", "#6a1b9a", "#00737d", "#5d4037", "#455a64"];

def head($id):
	"reset\nset output '\($dir)/\($id).svg'\n"
	+ "set terminal svg size 640,400 dynamic noenhanced font 'sans-serif,15'\n"
	+ "set key outside bottom center horizontal noenhanced\nset grid ytics lc rgb '#cccccc'\n"
	+ "set border 3\nset tics nomirror\n";

# Large numbers with k, M, G behind them.
def axis($largest): "set yrange [0:\(if $largest > 0 then "*" else "1" end)]\n"
	+ (if $largest >= 10000 then "set format y '%.1s%c'\n" else "set format y '%g'\n" end);

def side($name; $numbers; $what; $i):
	if $numbers | length == 0 then {data: "", plot: []} else
	{data: block($name; $numbers | to_entries[] | "\(.key + 1) \(.value)"),
	 plot: ["$\($name) using 1:2 with points pt \(if $i == 0 then 6 else 7 end) ps 1 lc rgb '\(colours[$i])' title \($what | quoted)",
		"\($numbers | median) with lines lw 1.5 dt 2 lc rgb '\(colours[$i])' notitle"]} end;

def runs($id):
	(.runs.without | length) as $a | (.runs.with | length) as $b | ([$a, $b] | max) as $n
	| side("a"; .runs.without; .labels.without; 0) as $left
	| side("b"; .runs.with; .labels.with; 1) as $right
	| head($id) + $left.data + $right.data
	+ "set xlabel 'run (number)' offset 0,0.5\nset ylabel \(.run_unit | quoted)\nset xrange [0.5:\($n + 0.5)]\n"
	+ (if $n <= 12 then "set xtics 1\n" else "" end)
	+ axis(.runs.without + .runs.with | max)
	+ "plot " + ($left.plot + $right.plot | join(", ")) + "\n";

def curve($id):
	([.lines[].points[][0]] | unique) as $x
	| (.x_log == true and all($x[]; . > 0)) as $log
	| head($id)
	+ ([.lines | to_entries[] | select(.value.points | length > 0)
		| block("l\(.key)"; .value.points[] | map(tostring) | join(" "))] | join(""))
	+ "set xlabel \(.x | quoted) offset 0,0.5\nset ylabel \(.y | quoted)\n"
	+ (if $log then "set logscale x 2\n" else "" end)
	+ (if ($x | length) <= 12 then "set xtics (\($x | map(tostring) | join(", ")))\n" else "" end)
	+ (if ($x | length) == 1 then "set xrange [\($x[0]) / 2.0:\($x[0]) * 2.0 + 1]\n" else "set offsets graph 0.03, graph 0.03, 0, 0\n" end)
	+ axis([.lines[].points[][3], 0] | max)
	+ "plot " + ([.lines | to_entries[] | select(.value.points | length > 0)
		| "$l\(.key) using 1:2:3:4 with yerrorlines pt 7 ps 0.7 lw 1.5 lc rgb '\(colours[.key])' title \(.value.name | quoted)"]
		| join(", ")) + "\n";

.rows | to_entries[] | .key as $i | .value | . as $row
| plots | to_entries[] | "p\($i)-\(.key)" as $id
| if .value.runs then $row | runs($id) else .value | curve($id) end

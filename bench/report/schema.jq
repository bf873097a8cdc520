# SPDX-License-Identifier: GPL-2.0-or-later
# What a file of results may be, and how an older one becomes one of today.
#
# Schema 1: {schema: 1, machine: {WHAT: TEXT, ...}, rows: [ROW, ...]}.  Fields may be added within a
# schema; none is removed, and no type changes.  README.md has the fields.  Schema 0 is the list of
# rows alone.  Nothing in a file is trusted: whoever opens the report did not make it.

def schema: 1;

# What rows.table says, by name.
def table:
	split("\n") | map(select(test("^[^#].*\\|")) | split("|") | map(gsub("^ +| +$"; "")))
	| map({key: .[0], value: {section: .[1], run_unit: .[2], better: .[3], quick: .[4],
		labels: {without: .[5], with: .[6]}}})
	| from_entries;

# ---- refusing ------------------------------------------------------------------------

def refuse($where; $what): error("\($where) \($what)");
def want(ok; $where; $what): if ok then . else refuse($where; $what) end;

def no_control: explode | all(.[];
	(. >= 32 or . == 9 or . == 10) and (. < 127 or . > 159) and . < 65534 or . > 65535);
def is_text($max): type == "string" and length <= $max and no_control;
# What goes into a plot.
def is_plain: is_text(60) and test("^[A-Za-z0-9 %/.,:;()<>=+-]*$");
def is_number: type == "number" and (isnan | not) and fabs <= 1e18;
def is_numbers: type == "array" and length <= 10000 and all(.[]; is_number);

def text($max; $where): want(is_text($max); $where; "is no text of at most \($max) characters");
def plain($where): want(is_plain; $where; "is no short text of letters, digits and simple punctuation");
def number($where): want(is_number; $where; "is no number");
def numbers($where): want(is_numbers; $where; "is no list of numbers");
def object($where): want(type == "object"; $where; "is no object");
def list($max; $where):
	want(type == "array" and length <= $max; $where; "is no list of at most \($max)");

# Each field that is there.
def field(f; check): if (f | . == null) then . else (f | check) as $x | . end;

def check_plot($w):
	object($w)
	| field(.title; plain("\($w).title")) | field(.x; plain("\($w).x")) | field(.y; plain("\($w).y"))
	| want([.title, .x, .y] | all(.[]; . != null and . != ""); $w; "has not title, x and y, its axes with their units")
	| field(.x_log; want(type == "boolean"; "\($w).x_log"; "is neither true nor false"))
	| want(.lines | type == "array" and length >= 1 and length <= 8; "\($w).lines"; "is no list of 1 to 8")
	| reduce .lines[] as $l (.; ($l | object("\($w).lines[]") | .name // "" | plain("\($w).lines[].name")) as $x | .)
	| reduce (.lines[] | .points // []) as $p (.;
		($p | list(1000; "\($w).lines[].points")
		 | want(all(.[]; is_numbers and length == 4); "\($w).lines[].points";
			"is no list of [x, median, smallest, largest]")) as $x | .);

def check_grid($w):
	object($w)
	| .columns |= (list(20; "\($w).columns") | map(text(100; "\($w).columns[]")))
	| (.columns | length) as $n
	| .title |= text(200; "\($w).title")
	| .rows |= (list(500; "\($w).rows") | map(
		want(type == "array" and length == $n; "\($w).rows[]"; "has not as many cells as there are columns")
		| map(text(200; "\($w).rows[][]"))));

def check_machine:
	object("machine")
	| want(length <= 30; "machine"; "has more than 30 fields")
	| with_entries(.key |= text(40; "machine") | .key as $k | .value |= text(300; "machine.\($k)"));

def check_row($w):
	object($w)
	| want(.name | is_text(60) and test("^[A-Za-z0-9][A-Za-z0-9-]*$"); "\($w).name";
		"is no name of letters, digits and hyphens")
	| "\($w) (\(.name))" as $w
	| want(.status | . == "measured" or . == "not run" or . == "failed"; "\($w).status";
		"is not measured, not run or failed")
	| .section |= plain("\($w).section")
	| .command |= text(300; "\($w).command")
	| .note |= text(20000; "\($w).note")
	| if .status == "measured" then
		.value |= number("\($w).value")
		| .unit |= plain("\($w).unit") | .target |= text(200; "\($w).target")
		| want(.met | type == "boolean"; "\($w).met"; "is neither true nor false")
	  else .reason |= text(2000; "\($w).reason") end
	| .runs |= (object("\($w).runs")
		| .without |= numbers("\($w).runs.without") | .with |= numbers("\($w).runs.with"))
	| .run_unit |= plain("\($w).run_unit")
	| want(.better == "lower" or .better == "higher"; "\($w).better"; "is neither lower nor higher")
	| .labels |= (object("\($w).labels")
		| .without |= plain("\($w).labels.without") | .with |= plain("\($w).labels.with"))
	| field(.measured; text(100; "\($w).measured"))
	| field(.machine; check_machine)
	| field(.why; text(5000; "\($w).why"))
	| field(.published; text(300; "\($w).published"))
	| field(.ratio; number("\($w).ratio"))
	| field(.share; object("\($w).share")
		| field(.without; number("\($w).share.without")) | field(.with; number("\($w).share.with")))
	| field(.plots; list(8; "\($w).plots")
		| reduce .[] as $p (.; ($p | check_plot("\($w).plots[]")) as $x | .))
	| field(.tables; list(8; "\($w).tables")
		| reduce .[] as $p (.; ($p | check_grid("\($w).tables[]")) as $x | .));

# ---- older files ---------------------------------------------------------------------

# Before there was a schema: the list of rows, of which rows.table knows what was not said.
def upgrade_0($table; $file):
	list(500; "the file")
	| {schema: 1,
	   machine: {file: $file, measured: ($file | capture("(?<d>[0-9]{4}-[0-9]{2}-[0-9]{2})").d? // "unknown"),
		machine: "not in the file (schema 0): see the page of the same name beside it"},
	   rows: map(if type == "object" and (.name | type == "string") then
			($table[.name] // {section: "other", run_unit: "single runs (as in the note)", better: "lower",
				labels: {without: "without", with: "with"}}) as $t
			| {status: "measured", section: $t.section, run_unit: $t.run_unit, better: $t.better,
			   labels: $t.labels} + . + {command: (.command // "" | tostring)}
		else . end)};

# The document as one of today, or an error that says what is wrong with it.
def load($table; $file):
	(if type == "array" then upgrade_0($table; $file)
	 elif type == "object" and (.schema | type == "number") then .
	 else refuse("the file"; "has no schema and is no list of rows: is it one of results?") end)
	| want(.schema == schema; "schema";
		"is \(.schema | tostring | .[:20]), and this version reads 0 and \(schema)")
	| .machine |= (. // {} | check_machine)
	| .rows |= (list(500; "rows") | [to_entries[] | .key as $i | .value | check_row("rows[\($i)]")])
	| want(.rows | map(.command) | length == (unique | length); "rows"; "has two of the same command");

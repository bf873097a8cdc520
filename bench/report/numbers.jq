# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers for readers.

def median: sort | if length == 0 then null
	else (length / 2 | floor) as $h
	| if length % 2 == 1 then .[$h] else (.[$h - 1] + .[$h]) / 2 end end;

# Four digits that count.
def digits: if . == 0 then "0"
	elif fabs >= 1000 then round | tostring
	else pow(10; 3 - (fabs | log10 | floor)) as $p | (. * $p | round) / $p | tostring end;

# One line of whatever text it is.
def line: gsub("[\\s]+"; " ") | sub("^ "; "") | sub(" $"; "");

def verdict: if .status == "measured" then (if .met then "met" else "MISSED" end)
	elif .status == "failed" then "FAILED" else "not run" end;
def measured: if .status == "measured" then "\(.value | digits) \(.unit)" else "-" end;
def share_text: if .share == null then "-"
	else [.share.without, .share.with] | map(if . == null then "-" else "\(round) %" end)
		| if .[0] == "-" then .[1] else join(", ") end end;

# Why a row missed its target, or the published ratio.
def reason: if .status != "measured" then .reason
	elif .met then .why
	else .why // "No reason was stored with this result; the note has what was found." end;

# The distinct machines, and each row's number among them.
def machines: reduce .rows[].machine as $m ([]; if index([$m]) then . else . + [$m] end);

def sections: [
	["seed", "The five seed systems"], ["daemon", "The daemon on a stock kernel"],
	["libwb", "libwb: hints, streams, copies"], ["kernel", "The kernel series"], ["other", "Others"]];

# What tells rows of the same name apart.
def title: .name + (if .command | test(" HINTS=1 ") then ", with hints" else "" end);

# The plots of a row: its single runs, and what it brought along.
def plots: (if .status == "measured" and (.runs.without + .runs.with | length) >= 2
	then [{runs: true}] else [] end) + (.plots // []);

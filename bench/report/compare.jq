# SPDX-License-Identifier: GPL-2.0-or-later
# From two documents, a line for each row of either: row, better, verdicts, effects of each run in the
# old and in the new one.
#
# The runs themselves, and what they are against the median of the other side measured beside them:
# compare.awk wants both to have moved, so that neither a machine that is slower as a whole nor a
# baseline that varies is a regression.

include "numbers";

def ours: if (.runs.with | length) > 0 then .runs.with else .runs.without end;
def effects: (.runs.without | median) as $m
	| if (.runs.with | length) > 0 and $m != null and $m > 0 then [.runs.with[] / $m] else ours end;
def spaced(f): if . == null or .status != "measured" then "-"
	else f | if length == 0 then "-" else map(tostring) | join(" ") end end;
def seen: if . == null then "absent" else verdict end;

.[0] as $old | .[1] as $new
| [$old, $new | .rows[] | .command] | unique[] as $c
| [$old, $new | [.rows[] | select(.command == $c)][0]] as [$o, $n]
| [($n // $o | title), ($n // $o | .better), ($o | seen), ($n | seen), ($o | spaced(effects)), ($n | spaced(effects)),
	($o | if . then measured else "-" end), ($n | if . then measured else "-" end),
	# Other units, sizes or numbers are not the same measurement.
	(if $o and $n then $o.run_unit == $n.run_unit and $o.better == $n.better else true end), ($o | spaced(ours)), ($n | spaced(ours))]
| @tsv

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules by control group, with real ones: of version 2, and of the hierarchy that systemd
# keeps beside version 1.
# timeout: 300
set -eu
. "$(dirname "$0")/../lib.sh"

# Where a group of the kind can be made.
hierarchies()
{
	findmnt -nro TARGET -t cgroup2
	findmnt -nro TARGET,OPTIONS -t cgroup | awk '$2 ~ /name=/ { print $1 }'
}

make_group() # DIR
{
	mkdir "$1"
	wb_defer group_ends "$1"
}

group_ends() # DIR
{
	[ ! -e "$1" ] || wb_wait_for 10 rmdir "$1"
}

# A program in GROUP that writes a new FILE and lives until writer_ends.
writes() # GROUP FILE
{
	rm -f "$2"
	# shellcheck disable=SC2016
	coproc WRITER { exec bash -ec 'echo $$ >"$1/cgroup.procs"
		printf -v mib "%*s" 1048576 ""
		for ((i = 0; i < 24; i++)); do printf %s "$mib"; done >"$2"
		echo written
		read -r || true' - "$1" "$2"; }
	writer=$WRITER_PID
	exec 8>&"${WRITER[1]}" 9<&"${WRITER[0]}"
	# The only end that is left, so that the program sees it closed.
	eval "exec ${WRITER[1]}>&- ${WRITER[0]}<&-"
	read -r -t 60 line <&9 || wb_fail "nothing was written from $1"
}

writer_ends()
{
	exec 8>&- 9<&-
	[ -z "$writer" ] || wait "$writer"
	writer=
}

rule_of() # FILE
{
	wb_ctl -J explain "$1" | jq -r 'if .hint then .hint.who else "none" end'
}

# What a hint brings forward is written; nothing else is in the time of this test.
was_hinted() # FILE BYTES-BEFORE
{
	wb_flushed "$mnt" $(($2 + (8 << 20)))
}

tracked() # FILE
{
	wb_ctl -J explain "$1" | jq -e '.tracked and .dirty_bytes > 0'
}

tries() # HIERARCHY SOURCE
{
	local top=$1/wb-test-$$ before
	wb_note "$1 by $2"
	make_group "$top"
	make_group "$top/backup"
	make_group "$top/backup/inner"
	make_group "$top/other"
	{
		printf '[engine]\nmode = user\ncontexts = 4\nsource = %s\n' "$2"
		printf '[flush]\nafter = 1G\nage = 10min\ncool = 0s\n'
		printf '[hint "any"]\ncgroup = /wb-test-%s/backup**\nwrite_size = 1M\n' $$
		printf '[hint "inner"]\ncgroup = /wb-test-%s/backup/inner\nwrite_size = 2M\n' $$
	} | wb_conf >/dev/null
	wb_start "$WB_TMP/wb.conf"
	wb_managed "$mnt" || wb_fail "$mnt is not managed"

	before=$(wb_status "$mnt" .flushed_bytes)
	writes "$top/other" "$mnt/other"
	wb_wait_for 20 tracked "$mnt/other"
	[ "$(rule_of "$mnt/other")" = none ] || wb_fail "a rule for another group"
	writer_ends
	rm "$mnt/other"

	[ "$(wb_status "$mnt" .flushed_bytes)" = "$before" ] || wb_fail "flushed without a rule"
	writes "$top/backup" "$mnt/backup"
	wb_wait_for 30 was_hinted "$mnt/backup" "$before"
	writer_ends

	# The longer pattern wins.
	before=$(wb_status "$mnt" .flushed_bytes)
	writes "$top/backup/inner" "$mnt/inner"
	wb_wait_for 30 was_hinted "$mnt/inner" "$before"
	got=$(rule_of "$mnt/inner")
	[[ $got == inner || $got == none ]] || wb_fail "rule $got" # none: not tracked any more
	writer_ends
	wb_stop
	for group in other backup/inner backup ''; do
		group_ends "$top${group:+/$group}"
	done
	sync -f "$mnt"
}

writer=
[ -n "$(hierarchies)" ] || wb_skip "there is no hierarchy of control groups"
mnt=$(wb_mkfs ext4 1G)
wb_defer writer_ends
ran=0
for dir in $(hierarchies); do
	[ -w "$dir/cgroup.procs" ] || continue
	for source in $(wb_ways ext4 | cut -d' ' -f1 | sort -u); do
		tries "$dir" "$source"
		ran=$((ran + 1))
	done
done
[ $ran -gt 0 ] || wb_skip "no hierarchy of control groups can be written to"

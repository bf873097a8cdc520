#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A file's group on ext4 is where debugfs, reading the device, finds its blocks.
# timeout: 240
set -eu
. "$(dirname "$0")/../lib.sh"

header() # DEV NAME
{
	dumpe2fs -h "$1" 2>/dev/null | sed -n "s/^$2: *//p"
}

read_header() # MNT
{
	dev=$(wb_dev "$1")
	first=$(header "$dev" "First block")
	per=$(header "$dev" "Blocks per group")
	flex=$(header "$dev" "Flex block group size")
	: "${flex:=1}"
}

# One line for each file: flex group of most of its blocks (of two equal ones the last
# one's; "" if it has none), flex group of its inode.  By debugfs, which knows nothing of us.
truth() # FILE...
{
	stat -c 'blocks <%i>' "$@" >"$WB_TMP/ask-blocks"
	stat -c 'imap <%i>' "$@" >"$WB_TMP/ask-imap"
	debugfs -f "$WB_TMP/ask-blocks" "$dev" 2>/dev/null |
		awk -v first="$first" -v size=$((per * flex)) '
			function done() { if (seen) print best }
			/^debugfs: / { done(); seen = 1; best = ""; split("", n); next }
			{
				for (i = 1; i <= NF; i++) n[last = int(($i - first) / size)]++
				if (NF) best = last
				for (g in n) if (n[g] > n[best]) best = g
			}
			END { done() }' >"$WB_TMP/data"
	debugfs -f "$WB_TMP/ask-imap" "$dev" 2>/dev/null |
		sed -n 's/.*part of block group \([0-9]*\).*/\1/p' |
		awk -v flex="$flex" '{ print int($1 / flex) }' >"$WB_TMP/inode"
	paste -d ' ' "$WB_TMP/data" "$WB_TMP/inode"
}

# The same lines from the daemon's code, which also says by what: "data" or "inode".
ours() # BASIS FILE...
{
	local basis=$1
	shift
	"$WB_TOOLS/fsys" group "$@" | jq -r --arg b "$basis" '
		if .basis != $b then "by \(.basis)"
		elif $b == "data" then "\(.group) \(.inode_group)"
		elif .group == .inode_group then " \(.group)"
		else "two groups" end'
}

check() # WHAT BASIS FILE...
{
	local what=$1
	shift
	ours "$@" >"$WB_TMP/ours"
	truth "${@:2}" >"$WB_TMP/truth"
	[ "$(wc -l <"$WB_TMP/truth")" -eq $(($# - 1)) ] || wb_fail "$what: debugfs says too little"
	diff "$WB_TMP/truth" "$WB_TMP/ours" || wb_fail "$what: not where debugfs says (<)"
}

# mballoc gathers small files per processor and larger ones in a stream, so it takes a
# file system full of files to see all groups: 16 MiB each until nothing is left.
try() # OPTION...
{
	local mnt i n=0 groups
	mnt=$(wb_mkfs ext4 1G "$@")
	read_header "$mnt"
	groups=$("$WB_TOOLS/fsys" scan | jq -r --arg t "$mnt" 'select(.target == $t) | .groups')
	for i in $(seq 8); do
		mkdir "$mnt/d$i"
		head -c 64K /dev/zero >"$mnt/d$i/file"
		: >"$mnt/d$i/empty"
	done
	while fallocate -l 16M "$mnt/d1/fill$n" 2>/dev/null; do
		n=$((n + 1))
	done
	rm -f "$mnt/d1/fill$n"
	[ $n -gt 30 ] || wb_fail "$*: only $n files of 16 MiB on 1 GiB"
	sync -f "$mnt"
	check "$*" inode "$mnt"/d*/empty
	check "$*" data "$mnt"/d*/file "$mnt"/d1/fill*
	[ "$(cut -d ' ' -f 1 "$WB_TMP/ours" | sort -u | wc -l)" -eq "$groups" ] ||
		wb_fail "$*: no data in some of $groups groups"
	[ "$groups" -eq 1 ] || awk '$1 != $2 { n++ } END { exit !n }' "$WB_TMP/ours" ||
		wb_fail "$*: no data away from its inode"
	wb_umount "$mnt"
}

try -O ^flex_bg
try -G 2
try -b 1024 -G 64
try

# Inline data lies in the inode: its group is the inode's.
mnt=$(wb_mkfs ext4 1G -O inline_data,^flex_bg)
read_header "$mnt"
echo tiny >"$mnt/tiny"
sync -f "$mnt"
check inline inode "$mnt/tiny"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What two contexts of ext4 write in turns stays in one piece, each in its own group.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
group_blocks=8192 # make_fs

make_mount ext4
echo 2 >"$bdi/writeback_contexts"
for ((d = 0; d < 16; d++)); do
	mkdir "$mnt/d$d"
	: >"$mnt/d$d/f"
done

# The first file of each context; new directories go to groups of their own.
files=()
for c in 0 1; do
	file=$("$tools/wbctx" get "$mnt"/d*/f | awk -v c="context=$c" '$2 == c { print $1; exit }')
	[ -n "$file" ] || fail "no file is in context $c"
	files+=("$file")
done

# Open all the time: ext4 preallocates nothing for a file that is closed.
exec 3>"${files[0]}" 4>"${files[1]}"
for ((i = 0; i < 8; i++)); do
	head -c 2M /dev/urandom >&3
	head -c 2M /dev/urandom >&4
	sync
done
exec 3>&- 4>&-

pieces() { filefrag -v "$1" | awk '$1 ~ /^[0-9]+:$/' | wc -l; }
for c in 0 1; do
	n=$(pieces "${files[c]}")
	# 2 MiB, each preallocated anew, go on behind the last unless others took the place
	((n <= 2)) || fail "the file of context $c is in $n pieces: $(filefrag -v "${files[c]}")"
done
group=$("$tools/wbctx" get "${files[1]}" | sed 's/.* group=\([0-9]*\).*/\1/')
data=$(filefrag -v "${files[1]}" | awk -v g=$group_blocks '$1 == "0:" { print int($4 / g) }')
expect "the group of the data of ${files[1]}" "$data" "$group"
umount "$mnt"
check_fs ext4

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Time of sync with different numbers of contexts: the same files, in turns.
#
#	drain.sh FS ROUNDS "CONTEXTS..." NANOSECONDS DIRTY-BYTES MODE OPTION...
#
# MODE and options are wbload's.  FS has eight groups, on null_blk whose requests take NANOSECONDS;
# the files are in eight directories, one in each group.  With DIRTY-BYTES 0 nothing is written
# before the sync, else the kernel keeps to that limit while files are written.  One round more
# than ROUNDS warms up.  Each line: contexts, seconds of writing and of the sync, bytes dirty before
# it, the share of the fullest context, extents and files.  At last all is read back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../groups.sh
. "$(dirname "$0")/../groups.sh"
wb_fail() { fail "$@"; }

fs=$1 rounds=$2 latency=$4 limit=$5 mode=$6
read -r -a contexts <<<"$3"
shift 6
set=("$@") in_place=
[[ " $* " != *" --in-place "* ]] || in_place=yes

# The groups in which the kernel has files.
groups_of() # FILE...
{
	"$tools/wbctx" get "$@" | sed 's/.* group=\([-0-9]*\) .*/\1/'
}

# The percentage of all dirty bytes that the fullest context has.
fullest()
{
	cat "$bdi"/writeback_context/*/dirty_kb | sort -n |
		awk '{ s += $1 } END { print s ? int(100 * $1 / s + 0.5) : 0 }'
}

# Of at most a hundred files in each directory.
extents()
{
	local d
	for d in "${DIRS[@]}"; do
		find "$d" -type f -name 'w*' | head -n 100
	done | xargs filefrag | awk '{ n += $(NF - 2) } END { print n, NR }'
}

drain() # CONTEXTS SEED
{
	local wrote synced share kilobytes
	[ "$in_place" ] || find "$MNT" -type f -name 'w*' -delete
	sync
	echo "$1" >"$bdi/writeback_contexts"
	wrote=$("$wbload" "$mode" "${set[@]}" --seed "$2" "${DIRS[@]}")
	kilobytes=$(cat "$bdi"/writeback_context/*/dirty_kb | paste -sd+ | bc)
	share=$(fullest)
	synced=$("$wbload" nothing --sync "$MNT")
	read -r extents files <<<"$(extents)"
	# shellcheck disable=SC2016 # jq's names
	[ "$2" = 0 ] || line --argjson c "$1" --argjson w "$wrote" --argjson s "$synced" \
		--argjson kb "$kilobytes" \
		--argjson share "$share" --argjson e "$extents" --argjson f "$files" \
		'{contexts: $c, write: $w.seconds, sync: $s.sync_seconds, dirty: ($kb * 1024),
		  fullest: $share, extents: $e, files: $f, max_ms: $w.max_ms}'
}

bench_disk nullb-bench 1024 "$latency"
case $fs in
xfs) mkfs.xfs -q -f -K -d agcount=8 "$DEV" ;;
ext4) mkfs.ext4 -q -F -E nodiscard -G 1 -g 16384 "$DEV" ;; # 16, each a flex group
esac
mount_fs "$fs" "$DEV"
MNT=$mnt
bench_dirs "$("inodes_per_group_$fs")"
[ "$(groups_of "${DIRS[@]}" | sort -u | wc -l)" = 8 ] ||
	fail "the kernel has the directories in other groups than their inodes' numbers say"
if [ "$limit" = 0 ]; then
	no_writeback_yet
else
	echo $((limit / 2)) >/proc/sys/vm/dirty_background_bytes
	echo "$limit" >/proc/sys/vm/dirty_bytes
fi
[ ! "$in_place" ] || "$wbload" seq "${set[@]}" "${DIRS[@]}" >/dev/null
for ((r = 0; r <= rounds; r++)); do
	for ((i = 0; i < ${#contexts[@]}; i++)); do
		drain "${contexts[(i + r) % ${#contexts[@]}]}" $r
	done
done
first=()
for i in {0..7}; do
	first+=("${DIRS[i]}/w00000$i")
done
[ "$(groups_of "${first[@]}" | sort -u | wc -l)" = 8 ] || fail "the files are not in eight groups"
umount "$MNT"
echo 3 >/proc/sys/vm/drop_caches
mount_fs "$fs" "$DEV"
"$wbload" verify "${set[@]}" --seed "$rounds" "${DIRS[@]}"
umount "$MNT"
check_fs "$fs" "$DEV"

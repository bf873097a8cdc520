#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The demo: dirty files in several allocation groups, written back by the kernel's single
# flusher and by wb, in turns, on file systems that are made for it and taken down again.
#
# DEMO_MIB (size of a file on XFS) and DEMO_RUNS (3) make it smaller or longer.
set -eu

refuse()
{
	echo "The demo cannot run here: $*" >&2
	exit 1
}

if [ -z "${WB_NS:-}" ]; then
	[ "$(id -u)" -eq 0 ] ||
		refuse "it makes file systems of its own, so it needs root (sudo make demo)."
	unshare --mount --propagation private true 2>/dev/null ||
		refuse "it needs a mount name space of its own, which this container forbids."
fi
mib_free=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
mib=${DEMO_MIB:-$((mib_free / 128))} # 8 files in a sixteenth of the memory
mib=$((mib < 64 ? mib : 64))
[ "$mib" -ge 4 ] || refuse "only $mib_free MiB of memory are free; it needs 512 MiB."

# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=bench/drain.sh
. "$(dirname "$0")/drain.sh"
trap 'exit 129' HUP
runs=${DEMO_RUNS:-3}
VERIFY_ALL=1

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi

title()
{
	printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}

# ---- contexts at work, live ----------------------------------------------------------

# Files are written while the daemon, set as it is shipped, writes them back.
live()
{
	local pid lines=0 n=0 text
	bench_fresh
	daemon_start </dev/null >/dev/null
	{
		"$WBLOAD" seq "${SET[@]}" --seed 99 "${DIRS[@]}"
		wb_ctl sync "$MNT"
	} >/dev/null 2>&1 &
	pid=$!
	while wb_alive $pid; do
		sleep 0.15
		n=$((n + 1))
		[ -t 1 ] || ((n % 4 == 2)) || continue # not every picture into a file
		text=$(live_table)
		((lines == 0)) || [ ! -t 1 ] || printf '\e[%dA\e[J' "$lines"
		printf '%s\n' "$text"
		lines=$(wc -l <<<"$text")
	done
	wait $pid
	daemon_stop
}

# The heading, this file system and its contexts.
live_table()
{
	wb_ctl status -o NAME,GROUPS,INODES,DIRTY,QUEUED,RATE,FLUSHED | awk -v mnt="$MNT" '
		NR == 1 { print; next }
		/^[^ |`]/ && !/^[├└│]/ { on = index($0, mnt " ") == 1 }
		on { print }' | cut -c 1-100
}

# ---- the comparison ------------------------------------------------------------------

drain_show() # without|with
{
	local who="kernel alone  sync -f   " bar
	[ "$1" = without ] || who="with wb       wbctl sync"
	bar=$(calc %.0f '24 * t / (d / 400e6)' "t=$T_DRAIN" "d=$DIRTY")
	printf '  %s %7.2f s  %s\n' "$who" "$T_DRAIN" \
		"$(printf '%*s' "$((bar < 40 ? bar : 40))" '' | tr ' ' '#')"
}

compare()
{
	title "The same $((8 * ${SET[3]%M})) MiB of dirty data, until it is on the device, $runs times each:"
	drain_compare "$runs" "$DRAIN_ONLY" rand
	cat <<-EOF

	  median                   $(calc %.2f t "t=$(median "${A[@]}")") s -> $(calc %.2f t "t=$(median "${B[@]}")") s: $bold$(calc %.2f r "r=$(drain_ratio)") times as fast$plain
	  extents per file         $(median "${EA[@]}") -> $(median "${EB[@]}")  (fewer is better)
	  of the device's limit    $(drain_share A) -> $(drain_share B)  (100 %: what O_DIRECT by
	                           all CPUs reaches, $(calc %.0f 'l / 1e6' "l=$(median "${LIMIT[@]}")") MB/s; noise is a few %)
	EOF
}

demo_fs() # xfs|ext4 MIB SIZE
{
	bench_ram_disk "$3"
	bench_fs "$1"
	SET=(--files 8 --size "$2M")
	title "$1 on $DEV: 8 files of $2 MiB in 8 directories, each with a group of its own"
}

# ---- the story -------------------------------------------------------------------------

cat <<EOF
${bold}wb writes dirty files back in parallel.$plain

A program's write() only fills memory; the kernel carries the data to the disk
later, with one flusher thread per device. Where that thread is slower than the
device, the device waits for it. wb pushes out files that lie in different
allocation groups side by side ("contexts"), so that they do not get in each
other's way.

Everything below happens on RAM disks made for it ($(nproc) CPUs, $mib_free MiB
of memory free); your own file systems are not touched.
EOF

ratio='' extents=''
if wb_has_fs xfs; then
	demo_fs xfs "$mib" 3G
	title "Contexts at work while files are being written (wbctl status):"
	live
	compare
	ratio=$(drain_ratio)
	extents=$(calc %.2f 'b / a' "a=$(median "${EA[@]}")" "b=$(median "${EB[@]}")")
else
	echo "(This kernel has no XFS, or mkfs.xfs is missing: ext4 alone.)"
fi
if wb_has_fs ext4; then
	demo_fs ext4 $((mib / 2)) 16G
	compare
	: "${ratio:=$(drain_ratio)}"
	: "${extents:=$(calc %.2f 'b / a' "a=$(median "${EA[@]}")" "b=$(median "${EB[@]}")")}"
fi
[ -n "$ratio" ] || refuse "it needs XFS or ext4, and the kernel has neither."

title "Nothing is lost"
cat <<EOF
  After each drain the file system was unmounted, caches were dropped, and every
  byte of every file was read back: $FILES_OK of $FILES_ALL files are what was written.

  To keep it: make install && systemctl enable --now wbd.   More: make bench

RESULT drain_ratio=$(calc %.2f r "r=$ratio") extents_ratio=$extents files_ok=$FILES_OK/$FILES_ALL
EOF
[ "$FILES_OK" -eq "$FILES_ALL" ]

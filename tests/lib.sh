# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What system tests share.  A test starts with
#
#     #!/usr/bin/env bash
#     # SPDX-License-Identifier: GPL-2.0-or-later
#     # One line that says what is proven.
#     # timeout: 200                  (seconds; 120 if left out)
#     set -eu
#     . "$(dirname "$0")/../lib.sh"
#
# and then runs in a mount name space of its own, as root, with a folder $WB_TMP on
# tmpfs.  What it makes through these functions is undone in reverse order, whatever
# happens; tests/run fails a test that leaves a process, a mount or a device behind.
# tests/README.md lists the functions.

WB_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${BUILD:=$WB_TOP/build}"
: "${WBD:=$BUILD/wbd}" "${WBCTL:=$BUILD/wbctl}" "${WB_TOOLS:=$BUILD/tests/tools}"
export WBD WBCTL WB_TOOLS

# A failure within $(...) is a failure.
shopt -s inherit_errexit

# ---- ending a test -------------------------------------------------------------

wb_skip() # REASON
{
	echo "$*" >&2 # so that it is also seen from within $()
	exit 77
}

wb_fail() # MESSAGE
{
	echo "FAILED: $* (${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]})" >&2
	exit 1
}

wb_note()
{
	echo "* $*"
}

if [ "$(id -u)" -ne 0 ]; then
	wb_skip "needs root"
fi

# A mount name space of its own: no other daemon sees the test's file systems, and none
# is left over.  File systems on loop devices and RAM disks that others have mounted are
# let go, so that this name space does not keep them alive.
if [ -z "${WB_NS:-}" ]; then
	export WB_NS=1
	exec unshare --mount --propagation private -- "$BASH" "$0" "$@"
fi
while read -r _ _ _ _ wb_mp _ wb_rest; do
	case $wb_rest in
	*' - '*' /dev/loop'* | *' - '*' /dev/zram'*) umount -l "$(printf %b "$wb_mp")" ;;
	esac
done </proc/self/mountinfo

# ---- clean-up ------------------------------------------------------------------

if [ -z "${WB_TMP:-}" ]; then
	WB_TMP=$(mktemp -d /dev/shm/wb-test.XXXXXX)
	WB_TMP_OWN=1
fi
: "${WB_RUN:=$WB_TMP/run}"
export WB_TMP WB_RUN

# Runs COMMAND at the end; the last one first.  In a file, so that it also works in $().
wb_defer() # COMMAND ARG...
{
	printf '%q ' "$@" >>"$WB_TMP/defer"
	echo >>"$WB_TMP/defer"
}

wb_cleanup()
{
	local status=$? line
	trap '' INT TERM
	trap - EXIT
	set +e
	if [ $status -ne 0 ] && [ $status -ne 77 ]; then
		wb_show_logs
	fi
	while [ -s "$WB_TMP/defer" ]; do
		line=$(tail -n 1 "$WB_TMP/defer")
		sed -i '$d' "$WB_TMP/defer"
		eval "$line"
	done
	if grep -F " $WB_TMP/" /proc/self/mountinfo; then
		echo "FAILED: mounts are left" >&2
		[ $status -ne 0 ] || status=1
	fi
	if [ -n "${WB_TMP_OWN:-}" ]; then
		rm -rf --one-file-system "$WB_TMP"
	fi
	exit $status
}
trap wb_cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

wb_show_logs()
{
	local f
	for f in "$WB_TMP"/*.log; do
		[ ! -s "$f" ] || { echo "--- ${f##*/}:"; tail -n 60 "$f"; }
	done
}

# ---- waiting -------------------------------------------------------------------

# Waits until COMMAND succeeds; fails after SECONDS (the bound is no measurement).
wb_wait_for() # SECONDS COMMAND ARG...
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || {
			echo "FAILED: waited in vain for: $*" >&2
			return 1
		}
		sleep 0.05
	done
}

# ---- devices and file systems ------------------------------------------------------

# A loop device over a new sparse file on tmpfs (so not rotational); prints its name.
wb_loop() # SIZE
{
	local file
	file=$(mktemp "$WB_TMP/disk.XXXXXX")
	truncate -s "$1" "$file"
	wb_loop_on "$file"
}

# The kernel numbers each attachment of a loop device (diskseq), so that one is not taken
# for another's that came later at the same name.
wb_loop_on() # FILE
{
	local dev seq bdi
	dev=$(losetup --show -f "$1")
	# It has what was set for the file before, by a test that was killed for example.
	bdi=/sys/block/${dev##*/}/bdi
	echo 0 >"$bdi/strict_limit"
	echo 0 >"$bdi/min_ratio"
	echo 100 >"$bdi/max_ratio"
	echo 128 >"$bdi/read_ahead_kb"
	seq=$(cat "/sys/block/${dev##*/}/diskseq")
	echo "${dev##*/} $seq" >>"$WB_TMP/loops"
	wb_defer wb_loop_detach "$dev" "$seq"
	echo "$dev"
}

wb_loop_detach() # DEV [DISKSEQ]
{
	local seq=${2:-$(cat "/sys/block/${1##*/}/diskseq")}
	wb_loop_attached "$1" "$seq" || return 0
	losetup -d "$1"
	wb_wait_for 10 wb_loop_detached "$1" "$seq"
}

wb_loop_attached() # DEV DISKSEQ
{
	local dir=/sys/block/${1##*/}
	[ -e "$dir/loop/backing_file" ] && [ "$(cat "$dir/diskseq")" = "$2" ]
}

wb_loop_detached()
{
	! wb_loop_attached "$@"
}

# A RAM disk of its own that compresses; prints its name.  1 = there is no zram here.
wb_zram() # SIZE
{
	local n
	n=$(cat /sys/class/zram-control/hot_add 2>/dev/null) || return 1
	echo "$n" >>"$WB_TMP/zram"
	wb_defer wb_zram_remove "$n"
	echo "$1" >"/sys/block/zram$n/disksize"
	echo "/dev/zram$n"
}

wb_zram_remove() # NUMBER
{
	wb_wait_for 10 wb_zram_try_remove "$1"
}

wb_zram_try_remove()
{
	[ -e "/sys/block/zram$1" ] || return 0
	echo 1 >"/sys/block/zram$1/reset" && echo "$1" >/sys/class/zram-control/hot_remove
}

# A file system of its own on a new loop device; prints the mount point.
# SIZE as for truncate.  XFS has WB_AGS (8) AGs, each of which must hold the log of
# 64 MiB: 1G or more.
wb_mkfs() # xfs|ext4|btrfs SIZE [MKFS-OPTION...]
{
	local dev type=$1 size=$2
	shift 2
	dev=$(wb_loop "$size")
	wb_mkfs_on "$dev" "$type" "$@"
}

wb_mkfs_on() # DEV xfs|ext4|btrfs [MKFS-OPTION...]
{
	local dev=$1 type=$2 mnt
	shift 2
	wb_has_fs "$type" || wb_skip_fs "$type"
	case $type in
	xfs) mkfs.xfs -q -f -d agcount="${WB_AGS:-8}" "$@" "$dev" ;;
	ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$@" "$dev" ;;
	btrfs) mkfs.btrfs -q -f "$@" "$dev" ;;
	*) wb_fail "wb_mkfs: $type" ;;
	esac >&2
	mnt=$WB_TMP/mnt-${dev##*/}
	mkdir -p "$mnt"
	wb_mount "$dev" "$mnt"
	echo "$mnt"
}

# The kernel of this machine knows it, and there is a mkfs.
wb_has_fs() # TYPE
{
	command -v "mkfs.$1" >/dev/null || return 1
	grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null
}

wb_skip_fs() # TYPE; not within $(): says why and ends the test
{
	wb_skip "no $1 on this machine (kernel or mkfs.$1)"
}

wb_mount() # DEV DIR [OPTION...]
{
	local dev=$1 dir=$2
	shift 2
	mount "$@" "$dev" "$dir"
	wb_defer wb_umount "$dir"
}

# Unmounts; the daemon may hold the file system for the length of one operation, so
# busy is tried again for a bounded time.
wb_umount() # DIR
{
	mountpoint -q "$1" || return 0
	wb_wait_for 10 umount "$1" || {
		umount -l "$1"
		return 1
	}
}

wb_dev() # MOUNTPOINT: its device
{
	findmnt -nro SOURCE "$1"
}

wb_remount_cold() # MOUNTPOINT: unmount, mount again, nothing cached
{
	local dev
	dev=$(wb_dev "$1")
	wb_umount "$1"
	echo 3 >/proc/sys/vm/drop_caches
	mount "$dev" "$1"
}

# Dirty and under write-back, in bytes, of one backing device (debugfs is not needed:
# cachestat of each file by tests/tools/cached).
wb_dirty_bytes() # MOUNTPOINT
{
	find "$1" -xdev -type f -print0 | "$WB_TOOLS/cached" -0 -s
}

# Nothing dirty and nothing being written.
wb_is_clean() # MOUNTPOINT
{
	[ "$(wb_dirty_bytes "$1")" -eq 0 ]
}

# ---- a device with bad sectors --------------------------------------------------
#
# No module is needed (device-mapper is not everywhere): the disk is a file on a tmpfs
# of limited size.  Where the file has holes and the tmpfs is full, writing a block
# fails, really; wb_bad_on fills it, wb_bad_off gives the room back.

# Prints the mount point; all of the disk is allocated but what wb_bad_file punches.
wb_mkfs_bad() # xfs|ext4|btrfs MIB
{
	local t=$WB_TMP/bad dev
	wb_has_fs "$1" || wb_skip_fs "$1"
	mkdir "$t"
	mount -t tmpfs -o size=$(($2 + 64))m wb-bad "$t"
	wb_defer wb_umount "$t"
	fallocate -l "$2M" "$t/disk"
	dev=$(wb_loop_on "$t/disk")
	# -K and nodiscard: mkfs must not punch holes of its own.
	case $1 in
	xfs) WB_AGS=4 wb_mkfs_on "$dev" xfs -K ;;
	ext4) wb_mkfs_on "$dev" ext4 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 ;;
	btrfs) wb_mkfs_on "$dev" btrfs -K ;;
	esac
	fallocate -l "$2M" "$t/disk"
}

# Makes FILE (preallocated, MIB long) and takes the ground from under its blocks.
wb_bad_file() # MOUNTPOINT NAME MIB
{
	local f=$1/$2 disk=$WB_TMP/bad/disk phys len
	fallocate -l "$3M" "$f"
	sync -f "$f"
	"$WB_TOOLS/extents" "$f" | while read -r phys len; do
		fallocate -p -o "$phys" -l "$len" "$disk"
	done
}

wb_bad_on()
{
	head -c 1T /dev/zero >"$WB_TMP/bad/ballast" 2>/dev/null || true
}

wb_bad_off()
{
	rm -f "$WB_TMP/bad/ballast"
}

# Takes the whole device down again, so that a test can make another one.
wb_bad_done() # MOUNTPOINT
{
	wb_bad_off
	wb_umount "$1"
	wb_loop_detach "$(losetup -nO NAME -j "$WB_TMP/bad/disk")"
	wb_wait_for 10 umount "$WB_TMP/bad"
	rmdir "$WB_TMP/bad"
}

# ---- the daemon ------------------------------------------------------------------

# Command before the daemon's own (see wb_deny).
WB_WRAP=()

# Starts the daemon as on an older kernel or in a container: see tests/tools/deny.c.
wb_deny() # SYSCALL[:CONDITION]=ERRNO...
{
	WB_WRAP=("$WB_TOOLS/deny" "$@" --)
}

# Writes $WB_TMP/wb.conf: stdin, after a section for each file system that is not this
# test's, so that the daemon keeps its hands off them.  Prints the path.
wb_conf()
{
	local n=0 m
	{
		while read -r m; do
			[[ $m == "$WB_TMP"/* ]] && continue
			n=$((n + 1))
			printf '[mount "host-%d"]\npath = %s\nmanage = no\n\n' $n "$m"
		done < <(findmnt -nlo TARGET --real | sort -u)
		cat
	} >"$WB_TMP/wb.conf"
	echo "$WB_TMP/wb.conf"
}

WB_PID=
# Starts the daemon with CONF ("" or left out: only keeps off foreign file systems) and
# waits until its socket answers.  WB_RUN (a variable) is its runtime folder.
wb_start() # [CONF [WBD-OPTION...]]
{
	local conf=${1:-}
	[ $# -eq 0 ] || shift
	[ -n "$conf" ] || conf=$(wb_conf </dev/null)
	mkdir -p "$WB_RUN"
	"${WB_WRAP[@]}" "$WBD" --config "$conf" --runtime-dir "$WB_RUN" \
		--state-dir "$WB_TMP/state" "$@" \
		>>"$WB_TMP/wbd.log" 2>&1 </dev/null &
	WB_PID=$!
	wb_defer wb_kill_daemon $WB_PID
	wb_wait_for 20 wb_answers_or_dead $WB_PID
	wb_answers || {
		wait $WB_PID || echo "FAILED: wbd ended with status $?" >&2
		return 1
	}
}

wb_answers()
{
	"$WB_TOOLS/vl" "$WB_RUN/io.writeback" org.varlink.service.GetInfo >/dev/null 2>&1
}

wb_answers_or_dead() # PID
{
	wb_answers || ! wb_alive "$1"
}

wb_alive() # PID: exists and is no zombie
{
	local s
	s=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) && [[ $s != Z* ]]
}

# SIGTERM to $WB_PID, and it must end well.
wb_stop()
{
	local status=0
	kill -TERM "$WB_PID"
	wb_wait_for 30 wb_dead "$WB_PID" || return 1
	wait "$WB_PID" || status=$?
	WB_PID=
	[ $status -eq 0 ] || {
		echo "FAILED: wbd ended with status $status" >&2
		return 1
	}
}

wb_dead() # PID
{
	! wb_alive "$1"
}

wb_kill_daemon() # PID: at clean-up, only if it still is ours
{
	wb_alive "$1" && grep -qz "^WB_TMP=$WB_TMP\$" "/proc/$1/environ" 2>/dev/null ||
		return 0
	kill -CONT "$1"
	kill -TERM "$1"
	wb_wait_for 10 wb_dead "$1" || kill -KILL "$1"
}

# wbctl, talking to this test's daemon.
wb_ctl() # ARG...
{
	"$WBCTL" --socket "$WB_RUN/io.writeback" "$@"
}

# One Varlink call; prints the reply's parameters as JSON (an error: status 1).
wb_call() # METHOD [PARAMETERS]
{
	"$WB_TOOLS/vl" "$WB_RUN/io.writeback" "$@"
}

# jq -e -r on standard input.
wb_json() # FILTER
{
	jq -e -r "$@"
}

# What `Status` says of one file system.
wb_status() # MOUNTPOINT FILTER
{
	wb_call io.writeback.Status |
		jq -r --arg m "$1" ".filesystems[] | select(.mount == \$m) | $2"
}

# What `Status` says of the engine.
wb_engine() # FILTER
{
	wb_call io.writeback.Status | jq -r ".engine | $1"
}

# A configuration with some settings: wb_set engine.source=trace flush.after=4M
wb_set() # SECTION.KEY=VALUE...
{
	local section=0 s
	for s in $(printf '%s\n' "$@" | sort); do
		if [ "${s%%.*}" != "$section" ]; then
			section=${s%%.*}
			echo "[$section]"
		fi
		s=${s#*.}
		echo "${s%%=*} = ${s#*=}"
	done | wb_conf
}

# The ways the engine can work here, one "SOURCE IO" a line.
wb_ways() # FSTYPE
{
	local s io
	for s in trace fanotify; do
		if [ $s = trace ]; then
			# btrfs and bcachefs cannot open a file by its inode number.
			[ "$1" = xfs ] || [ "$1" = ext4 ] || continue
			wb_has_trace || continue
		fi
		for io in uring threads; do
			if [ $io = uring ] && ! wb_has_uring; then
				continue
			fi
			echo "$s $io"
		done
	done
}

wb_has_trace()
{
	[ -e /sys/kernel/tracing/events/writeback/writeback_dirty_inode_enqueue ] ||
		[ -e /sys/kernel/debug/tracing/events/writeback/writeback_dirty_inode_enqueue ]
}

wb_has_uring()
{
	[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null || echo 0)" -ne 2 ]
}

# Starts the daemon to work in one way, and sees to it that it does on MOUNTPOINT.
wb_start_way() # SOURCE IO MOUNTPOINT [SECTION.KEY=VALUE...]
{
	local s=$1 io=$2 mnt=$3 got
	shift 3
	wb_start "$(wb_set engine.source="$s" engine.io="$io" engine.contexts=4 "$@")"
	wb_managed "$mnt" || {
		wb_call io.writeback.Status
		wb_fail "$mnt is not managed: $(wb_status "$mnt" .reason)"
	}
	got=$(wb_status "$mnt" .source_of_events)
	[ "$got" = "$s" ] || wb_fail "source is $got, not $s"
	got=$(wb_engine .io)
	[ "${got/io_uring/uring}" = "$io" ] || wb_fail "io is $got, not $io"
}

wb_managed() # MOUNTPOINT
{
	[ "$(wb_status "$1" .managed)" = true ]
}

wb_not_managed() # MOUNTPOINT: released, or gone altogether
{
	[ "$(wb_status "$1" .managed)" != true ]
}

# The daemon wrote at least BYTES on MOUNTPOINT.
wb_flushed() # MOUNTPOINT BYTES
{
	[ "$(wb_status "$1" .flushed_bytes)" -ge "$2" ]
}

# The number of descriptors of the daemon.
wb_fds()
{
	find "/proc/$WB_PID/fd" -mindepth 1 | wc -l
}

wb_fds_are() # N
{
	[ "$(wb_fds)" -eq "$1" ]
}

# Exactly one sentence in FILE says PATTERN; shows the file if not.
wb_says() # FILE PATTERN
{
	grep -qiE "$2" "$1" || {
		cat "$1"
		wb_fail "no sentence about: $2"
	}
}

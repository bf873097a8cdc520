# SPDX-License-Identifier: GPL-2.0-or-later
# What the loads in guests share, on top of what the tests there have.

# shellcheck source=tests/guest/t/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/guest/t/lib.sh"
# shellcheck disable=SC2034 # for those who source this
wbload=$BUILD/wbload
export LC_ALL=C

# Make the disk /dev/NAME of so many megabytes in the guest's memory; each request takes
# NANOSECONDS (0: it is complete when it is submitted).  BENCH_QUEUES and BENCH_DEPTH: how
# many queues of how many requests (one for each CPU, 64).  All of its memory is there afterwards:
# no run pays for it.  Sets DEV.
bench_disk() # NAME MEGABYTES NANOSECONDS
{
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	local null=/sys/kernel/config/nullb/$1
	mkdir "$null"
	echo "$2" >"$null/size"
	echo 1 >"$null/memory_backed"
	echo 4096 >"$null/blocksize"
	echo "${BENCH_QUEUES:-$(nproc)}" >"$null/submit_queues"
	echo "${BENCH_DEPTH:-64}" >"$null/hw_queue_depth"
	echo 0 >"$null/irqmode"
	if [ "$3" != 0 ]; then
		echo 2 >"$null/irqmode"
		echo "$3" >"$null/completion_nsec"
	fi
	echo 1 >"$null/power"
	DEV=/dev/$1
	dd if=/dev/zero of="$DEV" bs=1M count="$2" oflag=direct status=none
}

# Nothing is written back before it is asked for.  An hour between two looks and not 0, with which a
# flusher looks at once when something becomes dirty; one that is new has no share of the background
# limit yet, so it would write.
no_writeback_yet()
{
	echo 360000 | tee /proc/sys/vm/dirty_expire_centisecs >/proc/sys/vm/dirty_writeback_centisecs
	echo $((2 << 30)) >/proc/sys/vm/dirty_background_bytes
	echo $((3 << 30)) >/proc/sys/vm/dirty_bytes
}

# The seconds that dd takes, as it says: starting it waits for the host.
dd_seconds() # ARGUMENT...
{
	dd "$@" 2>&1 | sed -n 's/.* copied, \([0-9.e-]*\) s, .*/\1/p'
}

# One line of results.
line() # JQ-ARGUMENT... FILTER
{
	jq -nc "$@" >>"$WB_OUT/lines"
}

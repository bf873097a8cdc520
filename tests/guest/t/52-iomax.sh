#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A cgroup's io.max is what all its contexts have together.
#
# guest: fs=xfs full-fs=ext4 full=7.3-smp seconds=6 full-seconds=30 limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} seconds=${WB_SECONDS:-6} cgroups=8 rate=$((2 << 20)) size=$((256 << 10))
cg=/sys/fs/cgroup
# for showing that the test can fail: what is set may be more than what is checked
set_rate=${WB_TEST_RATE:-$rate}

make_mount "$fs"
dev=$(mountpoint -x "$disk")
echo 8 >"$bdi/writeback_contexts"
# more than can be written in the time, so that the limit is always what holds them up
files=$((rate * (seconds + 2) / size))
for ((c = 0; c < cgroups; c++)); do
	mkdir "$cg/c$c" "$mnt/c$c"
	# The device knows the cgroup from its first request.  For one it does not know yet Linux 7.3
	# allocates memory under q->blkcg_mutex as it must not, and sometimes lockdep tells.
	# shellcheck disable=SC2016 # the shell inside expands it
	sh -c 'echo $$ >"$1/cgroup.procs" && exec dd if=/dev/zero of="$2" bs=4k count=1 \
		oflag=direct status=none' - "$cg/c$c" "$mnt/c$c/first"
	echo "$dev wbps=$set_rate" >"$cg/c$c/io.max"
	echo $((64 << 20)) >"$cg/c$c/memory.max"
done

for ((c = 0; c < cgroups; c++)); do
	(
		until [ -e /tmp/go ]; do
			sleep 0.1
		done
		exec "$tools/fill" "$cg/c$c" "$mnt/c$c" "$files" $size "$c" sync >"/tmp/manifest$c"
	) &
	workers+=($!)
done

# The limit holds from the start on, but for what one slice of the throttle and one request may
# be more.  The clock is read after the counters, so that what is between is in their favour.
perl -e '
	use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);
	my ($cg, $dev, $cgroups, $rate, $seconds) = @ARGV;
	sub written {
		open(my $f, "<", "$cg/c$_[0]/io.stat") or die "io.stat: $!";
		for (<$f>) { return $1 if /^$dev .*wbytes=(\d+)/ }
		return 0;
	}
	my ($looks, $elapsed, $total) = (0, 0, 0);
	my $start = clock_gettime(CLOCK_MONOTONIC);
	open(my $go, ">", "/tmp/go") or die;
	while ($elapsed < $seconds) {
		usleep 100000;
		$total = 0;
		for my $c (0 .. $cgroups - 1) {
			my $bytes = written($c);
			$elapsed = clock_gettime(CLOCK_MONOTONIC) - $start;
			my $may = 1.1 * $rate * $elapsed + $rate / 2;
			if ($bytes > $may) {
				printf "FAILED: cgroup %d wrote %d bytes in %.2f s\n", $c, $bytes, $elapsed;
				exit 1;
			}
			$total += $bytes;
		}
		$looks++;
	}
	printf "%d cgroups wrote %d KiB/s of %d that they may, %d looks\n", $cgroups,
		$total / $elapsed / 1024, $rate * $cgroups / 1024, $looks;
	' $cg "$dev" $cgroups $rate "$seconds"
for ((c = 0; c < cgroups; c++)); do
	bytes=$(sed -n "s/^$dev .*wbytes=\([0-9]*\).*/\1/p" "$cg/c$c/io.stat")
	((bytes > 0)) || fail "nothing that cgroup $c wrote is accounted to it"
done
for ((c = 0; c < cgroups; c++)); do
	echo "$dev wbps=max" >"$cg/c$c/io.max"
done
for worker in "${workers[@]}"; do
	wait "$worker" || fail "a writer failed"
done

remount
for ((c = 0; c < cgroups; c++)); do
	"$tools/verify" "$mnt/c$c" <"/tmp/manifest$c" >/dev/null || fail "cgroup $c's files are not right"
	expect "kills in cgroup $c" "$(awk '$1 == "oom_kill" { print $2 }' "$cg/c$c/memory.events")" 0
	rmdir "$cg/c$c"
done
umount "$mnt"
check_fs "$fs"

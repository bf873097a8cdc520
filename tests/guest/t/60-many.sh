#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Many dirty inodes leave their contexts at once and nobody stalls: 60-many.sh FS [FILES]
#
# guest: fs=xfs limit=600

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fs=${1:-xfs} count=${2:-20000}

make_mount "$fs"
echo 16 >"$bdi/writeback_contexts"
# nothing is to be written back by itself
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
echo 90 >/proc/sys/vm/dirty_ratio
echo 80 >/proc/sys/vm/dirty_background_ratio
for ((d = 0; d < 64; d++)); do
	mkdir "$mnt/d$d"
done
perl -e '
	for (my $i = 0; $i < $ARGV[1]; $i++) {
		open(my $f, ">", "$ARGV[0]/d" . $i % 64 . "/f$i") or die "f$i: $!";
		print $f "x$i";
	}' "$mnt" "$count"

# One who writes all the time; the longest that one write took is what others notice.
mkdir "$mnt/probe"
perl -e '
	use Time::HiRes qw(time);
	my ($max, $n) = (0, 0);
	$SIG{TERM} = sub { print "$n writes, the longest took ", int(1000 * $max), " ms\n"; exit 0 };
	while (1) {
		my $start = time;
		open(my $f, ">", "$ARGV[0]/f" . $n++ % 100) or die;
		print $f "probe"; close $f;
		my $took = time() - $start;
		$max = $took if $took > $max;
	}' "$mnt/probe" >/tmp/probe &
probe=$!
before=$(cat "$bdi"/writeback_context/*/inodes | paste -sd+ | bc)
start=$(date +%s%N)
echo 1 >"$bdi/writeback_contexts"
took=$((($(date +%s%N) - start) / 1000000))
kill $probe
wait $probe
((before >= count)) || fail "only $before of $count inodes were attached"
after=$(cat "$bdi/writeback_context/0/inodes")
((after >= count)) || fail "only $after of $count inodes are attached"
echo "$fs: 16 contexts to 1 with $before inodes took $took ms; $(cat /tmp/probe)"
umount "$mnt"
check_fs "$fs"

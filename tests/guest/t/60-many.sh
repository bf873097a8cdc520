#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Many dirty inodes leave their contexts at once, nobody stalls, and a signal breaks nothing off:
# 60-many.sh FS [FILES]
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
dirty() {
	perl -e '
		for (my $i = 0; $i < $ARGV[1]; $i++) {
			open(my $f, ">", "$ARGV[0]/d" . $i % 64 . "/f$i") or die "f$i: $!";
			print $f "x$i";
		}' "$mnt" "$1"
}
inodes() { cat "$bdi"/writeback_context/*/inodes | paste -sd+ | bc; }
dirty "$count"

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
before=$(inodes)
start=$(date +%s%N)
echo 1 >"$bdi/writeback_contexts"
took=$((($(date +%s%N) - start) / 1000000))
kill $probe
wait $probe
((before >= count)) || fail "only $before of $count inodes were attached"
after=$(cat "$bdi/writeback_context/0/inodes")
((after >= count)) || fail "only $after of $count inodes are attached"

# A signal, 2 ms later: the write ends with EINTR, or goes on by itself if the program wants that
# (SA_RESTART).  Writing the same again waits for the rest.
leave() {
	local some=$((count / 4)) outside
	sync
	# counted at rest: an inode that moves from one context to another while they are read one by
	# one would be counted twice
	total=$(cat "$bdi/writeback_context/0/inodes")
	echo 16 >"$bdi/writeback_contexts"
	dirty $some
	outside=$((total - $(cat "$bdi/writeback_context/0/inodes")))
	((outside >= some / 2)) || fail "$outside of $some inodes went to other contexts"
	said=$(perl -e '
		use POSIX;
		use Time::HiRes qw(ualarm);
		my $rings = 0;
		my $flags = $ARGV[1] eq "restart" ? SA_RESTART : 0;
		sigaction(SIGALRM, POSIX::SigAction->new(sub { $rings++ }, POSIX::SigSet->new, $flags));
		open(my $f, ">", $ARGV[0]) or die;
		ualarm(2000);
		my $said = syswrite($f, "1") ? "done" : $!{EINTR} ? "interrupted" : "$!";
		select(undef, undef, undef, 0.01) unless $rings;
		print "$said after $rings signal\n";' "$bdi/writeback_contexts" "$1")
}
all_left() {
	after=$(cat "$bdi/writeback_context/0/inodes")
	((after >= total)) || fail "only $after of $total inodes are attached, $1"
}
leave no
expect "without SA_RESTART" "$said" "interrupted after 1 signal"
expect "contexts" "$(cat "$bdi/writeback_contexts")" 1
echo 1 >"$bdi/writeback_contexts"
all_left "though the same number was written again"
leave restart
expect "with SA_RESTART" "$said" "done after 1 signal"
all_left "though writing went on after a signal"
echo "$fs: 16 contexts to 1 with $before inodes took $took ms; $(cat /tmp/probe)"
umount "$mnt"
check_fs "$fs"

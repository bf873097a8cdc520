#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ramfs with each block size: every folio is a block, every byte is right, memory comes back.
#
# guest: only=*-x86 memory=1G limit=120

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
mnt=/tmp/mnt
mkdir $mnt
head -c 5000000 /dev/urandom >/tmp/data

# folios_of BYTES: how many blocks hold them, as counted_folios says it
folios_of() {
	echo "$order*$((($1 + size - 1) / size))"
}

# Lay the data out $1 bytes at a time and read it back.
written_by() {
	local f=$mnt/by-$1
	: >"$f"
	count_folios "$f"
	dd if=/tmp/data "of=$f" "bs=$1" status=none
	expect "folios of $size bytes, written $1 bytes at a time" "$(counted_folios)" \
		"$(folios_of 5000000)"
	cmp /tmp/data "$f"
}

order=0
for kib in 4 8 16 32 64 128 256 512 1024 2048; do
	size=$((kib << 10))
	mount -t ramfs -o "blocksize=${kib}k" ramfs $mnt
	: >$mnt/f
	expect "block size" "$(stat -c %o $mnt/f)" $size
	expect "option in /proc/mounts" \
		"$(sed -n "s#^ramfs $mnt .*blocksize=\([0-9]*\).*#\1#p" /proc/mounts)" "$([ $kib = 4 ] || echo $size)"
	for bytes in 4096 5000 65536 $size 2097152; do
		[ -e "$mnt/by-$bytes" ] || written_by "$bytes"
	done

	# A hole, a byte in it, and an end in the middle of a block.
	f=$mnt/sparse
	: >$f
	count_folios $f
	printf x | dd of=$f bs=1 seek=$((3 * size + 1)) status=none
	expect "folios of a byte in a hole" "$(counted_folios)" "$order*1"
	expect "sum of the hole" "$(sha256sum <$f)" \
		"$({ head -c $((3 * size + 1)) /dev/zero && printf x; } | sha256sum)"
	cp /tmp/data $f
	truncate -s 1234567 $f
	truncate -s 1300000 $f
	cmp -n 1234567 /tmp/data $f
	cmp -n $((1300000 - 1234567)) -i 1234567:0 $f /dev/zero

	umount $mnt
	order=$((order + 1))
done

# Without the option nothing is different.
mount -t ramfs ramfs $mnt
size=4096 order=0
written_by 65536
umount $mnt

# All of it is given back: twice as much as there is memory, in turns.
mount -t ramfs -o blocksize=2M ramfs $mnt
for ((i = 0; i < 20; i++)); do
	dd if=/dev/zero of=$mnt/f bs=2M count=50 status=none
	rm $mnt/f
done
umount $mnt

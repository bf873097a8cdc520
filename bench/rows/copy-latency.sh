#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long another process's 4 KiB write and fsync take while 2 GiB are copied.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../copy.sh"

copy_source
bench_ram_disk 4G

# Runs fio beside COMMAND and prints the 99th percentile of write + fsync in us.
beside() # cp|wb
{
	local pid out=$WB_TMP/fio.json
	bench_fresh
	fio --name=victim --directory="$MNT" --rw=write --bs=4k --size=512m --fsync=1 \
		--time_based --runtime=120 --ioengine=psync --output-format=json \
		--percentile_list=50:99 --output="$out" >/dev/null 2>&1 &
	pid=$!
	wb_wait_for 10 grows "$MNT/victim.0.0"
	"copy_$1" "$MNT/copy" || wb_fail "$1 did not copy"
	kill -INT $pid
	wait $pid || true
	# fio says first that it was interrupted.
	sed -n '/^{/,$p' "$out" |
		jq -er '.jobs[0] | [(.write.clat_ns.percentile."99.000000" // 0),
		.sync.lat_ns.percentile."99.000000", .sync.total_ios] |
		"\((.[0] + .[1]) / 1000) \(.[2])"'
}

grows() # FILE
{
	[ "$(stat -c %b "$1")" -gt 0 ]
}

value=999 note="" A=() B=()
for type in xfs ext4; do
	MNT=$(wb_mkfs_on "$DEV" $type)
	a=() b=() na=() nb=()
	beside cp >/dev/null # the RAM disk and the source get their memory
	for ((r = 1; r <= RUNS; r++)); do
		sides=(cp wb)
		((r % 2)) || sides=(wb cp)
		for side in "${sides[@]}"; do
			got=$(beside "$side")
			read -r p99 ios <<<"$got"
			wb_note "$type $side: p99 $p99 us, $ios fsyncs"
			if [ "$side" = cp ]; then
				a+=("$p99") na+=("$ios")
			else
				b+=("$p99") nb+=("$ios")
			fi
		done
	done
	v=$(calc %.2f 'a / b' "a=$(median "${a[@]}")" "b=$(median "${b[@]}")")
	value=$(calc %.2f 'v < w ? v : w' "v=$v" "w=$value")
	A+=("${a[@]}") B+=("${b[@]}")
	note+="$type: p99 $(spread_by 1000 %.2f "${a[@]}") ms with cp and sync -d,
$(spread_by 1000 %.2f "${b[@]}") ms with wb-cp, $v times lower ($(median "${na[@]}") and $(median "${nb[@]}") fsyncs). "
	wb_umount "$MNT"
done
result copy-latency "$value" "times lower p99" ">= 2.0" "$(is_met 'v >= 2' "v=$value")" \
	"4 KiB write + fsync by fio in a loop while $COPY_MIB MiB are copied from tmpfs to the same file
system on a RAM disk; the worse file system counts. $note"

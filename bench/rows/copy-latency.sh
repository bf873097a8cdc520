#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long another process's 4 KiB write and fsync take while 2 GiB are copied: on a RAM disk,
# where writing costs CPU time, and on a file of a real disk.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../copy.sh"

copy_source
cat "$SRC" >/dev/null

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

# Adds what is found to A, B and note; the worst ratio to value.
compare() # TYPE WHERE
{
	local a=() b=() na=() nb=() r side sides got p99 ios v
	MNT=$(wb_mkfs_on "$DEV" "$1")
	beside cp >/dev/null # the device and the source get their memory
	for ((r = 1; r <= RUNS; r++)); do
		sides=(cp wb)
		((r % 2)) || sides=(wb cp)
		for side in "${sides[@]}"; do
			got=$(beside "$side")
			read -r p99 ios <<<"$got"
			wb_note "$1 on $2, $side: p99 $p99 us, $ios fsyncs"
			if [ "$side" = cp ]; then
				a+=("$p99") na+=("$ios")
			else
				b+=("$p99") nb+=("$ios")
			fi
		done
	done
	wb_umount "$MNT"
	v=$(calc %.2f 'a / b' "a=$(median "${a[@]}")" "b=$(median "${b[@]}")")
	value=$(calc %.2f 'v < w ? v : w' "v=$v" "w=$value")
	A+=("${a[@]}") B+=("${b[@]}")
	note+="$1 on $2: p99 $(spread_by 1000 %.2f "${a[@]}") ms with cp and sync -d,
$(spread_by 1000 %.2f "${b[@]}") ms with wb-cp, $v times lower ($(median "${na[@]}") and $(median "${nb[@]}") fsyncs). "
}

value=999 note="" A=() B=()
for where in "a RAM disk" "a disk's file"; do
	case $where in
	*RAM*) bench_ram_disk 4G ;;
	*) bench_slow_disk 4G ;;
	esac
	for type in xfs ext4; do
		compare $type "$where"
	done
done
result copy-latency "$value" "times lower p99" ">= 2.0" "$(is_met 'v >= 2' "v=$value")" \
	"4 KiB write + fsync by fio in a loop while $COPY_MIB MiB are copied from tmpfs to the same file
system; the worst case counts. $note"

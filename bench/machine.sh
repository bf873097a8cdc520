#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What this machine is, as the "machine" of a file of results.
set -eu
export LC_ALL=C
disk="loop device over tmpfs"
[ ! -e /sys/block/zram0/comp_algorithm ] ||
	disk="zram, $(sed 's/.*\[\(.*\)\].*/\1/' /sys/block/zram0/comp_algorithm)"
virtual=$(systemd-detect-virt 2>/dev/null) || virtual=${virtual:-unknown}
# shellcheck disable=SC2016 # jq's names
jq -n --arg kernel "Linux $(uname -r)" --arg cpus "$(nproc)" \
	--arg model "$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)" \
	--arg memory "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)" \
	--arg system "$(. /etc/os-release && echo "$PRETTY_NAME")" \
	--arg virtual "$virtual" --arg disk "$disk" --arg hints "${HINTS:+a rule for every file}" \
	--arg quick "${QUICK:+yes: less data, some rows only}" \
	'{kernel: $kernel, CPUs: $cpus, model: $model, memory: $memory, system: $system,
	  "virtual machine": $virtual, "RAM disk": $disk, hints: $hints, quick: $quick}
	 | with_entries(select(.value != ""))'

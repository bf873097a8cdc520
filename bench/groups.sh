# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories in eight allocation groups of the file system at $MNT, on the device $DEV.
# Sourced by lib.sh and, in guests, by guest/drain.sh, which have a wb_fail.

# File systems put new directories into other groups than the last; the group is in the
# inode's number.
bench_dirs() # INODE-NUMBERS-PER-GROUP
{
	local i group dir
	local -A seen=()
	for ((i = 0; i < 200 && ${#seen[@]} < 8; i++)); do
		dir=$MNT/d$i
		mkdir "$dir"
		group=$((($(stat -c %i "$dir") - 1) / $1))
		if [ -n "${seen[$group]:-}" ]; then rmdir "$dir"; else seen[$group]=$dir; fi
	done
	[ ${#seen[@]} -eq 8 ] || wb_fail "found directories in ${#seen[@]} of 8 groups"
	# shellcheck disable=SC2034 # for those who source this
	DIRS=("${seen[@]}")
}

# The number of an XFS inode is group, block, place in the block, each a field of bits.
inodes_per_group_xfs()
{
	xfs_info "$MNT" | awk '
		{ for (i = 1; i <= NF; i++) if (split($i, kv, "=") == 2 && !(kv[1] in v))
			v[kv[1]] = kv[2] + 0 }
		END { for (n = 1; n < v["agsize"]; n *= 2) continue
		      print n * int(4096 / v["isize"]) }'
}

# Of a flex group, whose inode tables lie together.
inodes_per_group_ext4()
{
	dumpe2fs -h "$DEV" 2>/dev/null | awk -F': *' '
		/^Inodes per group/ { n = $2 } /^Flex block group size/ { f = $2 }
		END { print n * (f ? f : 1) }'
}

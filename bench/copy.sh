# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The two ways to copy a file and have it on the device.  Sourced after lib.sh.

# A file of COPY_MIB MiB on tmpfs (its reading costs little and is the same for both).
: "${COPY_MIB:=2048}"
copy_source()
{
	SRC=$WB_TMP/source
	mkdir "$SRC"
	"$WBLOAD" seq --files 1 --size "${COPY_MIB}M" "$SRC" >/dev/null
	SRC=$(find "$SRC" -type f)
}

copy_cp() # DEST
{
	cp "$SRC" "$1" && sync -d "$1"
}

copy_wb() # DEST
{
	"$BUILD/wb-cp" -q "$SRC" "$1"
}

# The largest number of dirty bytes (and bytes under write-back) of the files below $MNT
# while process PID lives.
copy_peak() # PID
{
	local peak=0 n
	while wb_alive "$1"; do
		# Files come and go meanwhile.
		n=$(wb_dirty_bytes "$MNT" 2>/dev/null) || n=0
		[ "${n:-0}" -le "$peak" ] || peak=$n
		sleep 0.02
	done
	echo "$peak"
}

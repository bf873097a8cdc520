# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel's source that stays between builds, and takes a changed series in by changing just the
# files that come out different.

# unpack ARCHIVE TREE: the files of the archive, unless they are there already
unpack() {
	local from
	from=$(basename "$1")-$(stat -c %s-%Y "$1")
	if [ "$(cat "$2/.wb/from" 2>/dev/null)" != "$from" ]; then
		rm -rf "$2" "$2.new"
		mkdir -p "$2.new/.wb/pristine"
		tar -C "$2.new" --strip-components=1 -xf "$1"
		echo "$from" >"$2.new/.wb/from"
		mv "$2.new" "$2"
	fi
}

# patched_files PATCH...: the names of all files that the patches change, add or remove
patched_files() {
	[ $# = 0 ] || sed -n 's#^[-+][-+][-+] [ab]/\([^	]*\).*#\1#p' "$@" | sort -u
}

# Keep the file $2 of tree $1 as it was in the archive, or note that it was not there.
keep_pristine() {
	local kept=$1/.wb/pristine/$2
	if [ ! -e "$kept" ] && [ ! -e "$kept.absent" ]; then
		mkdir -p "$(dirname "$kept")"
		if [ -e "$1/$2" ]; then
			cp -p "$1/$2" "$kept.new"
			mv "$kept.new" "$kept"
		else
			touch "$kept.absent"
		fi
	fi
}

# patch_tree TREE PATCH...: make the tree what the archive with these patches is.
# make goes by times: a file that is as it was keeps its own, any other gets a new one.
patch_tree() {
	local tree=$1 f p
	local next=$tree/.wb/next
	shift
	for f in $(patched_files "$@"); do
		keep_pristine "$tree" "$f"
	done
	rm -rf "$next"
	cp -a "$tree/.wb/pristine" "$next"
	find "$next" -name '*.absent' -delete
	for p in "$@"; do
		patch -d "$next" -p1 -s --fuzz=0 --no-backup-if-mismatch <"$p" || {
			echo "$p does not apply"
			return 1
		}
	done
	# every file that any series so far has touched
	(cd "$tree/.wb/pristine" && find . -type f | sed 's#\.absent$##') | while read -r f; do
		if [ ! -e "$next/$f" ]; then
			rm -f "$tree/$f"
		elif ! cmp -s "$next/$f" "$tree/$f"; then
			mkdir -p "$(dirname "$tree/$f")"
			cp "$next/$f" "$tree/$f.wb-new"
			mv "$tree/$f.wb-new" "$tree/$f"
		fi
	done
	rm -rf "$next"
}

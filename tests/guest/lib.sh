# SPDX-License-Identifier: GPL-2.0-or-later
# What build and run share: where things are and what a guest kernel's name means.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck disable=SC2034 # for those who source this
cache=${WB_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wb-guest}

die() {
	echo "guest: $*" >&2
	exit 1
}

# The names of all guest kernels.
kernel_names() {
	awk '/^[0-9]/ { print $1 }' "$here/kernels" | paste -sd' '
}

# Set version, arch, patched, kernel_cpus, slow and fragments from the table line of kernel $1.
look_up() {
	local line
	line=$(awk -v n="$1" '$1 == n' "$here/kernels")
	[ -n "$line" ] ||
		die "there is no kernel '$1', only: $(kernel_names)"
	# shellcheck disable=SC2034 # for those who source this
	read -r _ version arch patched kernel_cpus slow fragments <<-EOF
		$line
	EOF
}

# The name of the source archive of version $1, nothing if it is not there.
source_archive() {
	local f
	for f in "/usr/src/linux-source-$1.tar.xz" "$cache/source/$1="*.tar.xz; do
		[ ! -e "$f" ] || { echo "$f" && return; }
	done
}

# What package the archive $1 of version $2 came in.
source_version() {
	case $1 in
	*=*) basename "${1#*=}" .tar.xz ;;
	*) dpkg-query -W -f '${Version}\n' "linux-source-$2" ;;
	esac
}

# The patches of version $1 in their order, and those of experiments that have the name of a
# fragment of the kernel of look_up.
patches() {
	local f
	find "$top/kernel/linux-$1" -name '[0-9]*.patch' 2>/dev/null | sort
	for f in ${fragments:-}; do
		f=$top/kernel/experiments/$f-$1.patch
		[ ! -e "$f" ] || echo "$f"
	done
}

# kernel_directory NAME ARCHIVE: where in the cache the kernel is, or will be
kernel_directory() {
	look_up "$1"
	echo "$cache/kernels/$1-$(kernel_key "$2")"
}

# A hash of everything that the kernel of look_up is made from; $1 is its source archive.
kernel_key() {
	local f
	{
		echo "$version $arch $patched $fragments"
		source_version "$1" "$version"
		gcc --version | head -1
		[ "$patched" = no ] || patches "$version" | xargs -r cat
		for f in $fragments; do
			cat "$top/kernel/config/$f.config"
		done
		# how it is made
		cat "$here/build"
	} | sha256sum | cut -c1-16
}

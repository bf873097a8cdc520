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

# Set version, arch, patched and fragments from the table line of kernel $1.
look_up() {
	local line
	line=$(awk -v n="$1" '$1 == n' "$here/kernels")
	[ -n "$line" ] ||
		die "there is no kernel '$1', only: $(awk '/^[0-9]/ { printf "%s ", $1 }' "$here/kernels")"
	# shellcheck disable=SC2034 # for those who source this
	read -r _ version arch patched fragments <<-EOF
		$line
	EOF
}

# The name of the Debian source archive of version $1, which must be there.
source_archive() {
	local f=/usr/src/linux-source-$1.tar.xz
	[ -e "$f" ] || die "$f is missing: apt-get install linux-source-$1"
	echo "$f"
}

# The patches of version $1 in their order.
patches() {
	find "$top/kernel/linux-$1" -name '[0-9]*.patch' 2>/dev/null | sort
}

# A hash of everything that kernel $1 is made from.
kernel_key() {
	look_up "$1"
	local f
	{
		echo "$version $arch $patched $fragments"
		dpkg-query -W -f '${Version}\n' "linux-source-$version"
		gcc -dumpfullversion
		[ "$patched" = no ] || patches "$version" | xargs -r cat
		for f in $fragments; do
			cat "$top/kernel/config/$f.config"
		done
	} | sha256sum | cut -c1-16
}

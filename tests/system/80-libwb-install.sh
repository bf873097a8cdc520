#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A programmer's view of an installed libwb: the examples of the man pages compile in C and
# C++, link shared and static, and work; nothing but the API is exported, and the ABI is
# the one that was promised.
# timeout: 300
set -eu
. "$(dirname "$0")/../lib.sh"

dest=$WB_TMP/dest
cd "$WB_TOP"
make -s BUILD="${BUILD#"$WB_TOP/"}" install DESTDIR="$dest" PREFIX=/usr >"$WB_TMP/make.log" 2>&1 ||
	wb_fail "make install"
lib=$dest/usr/lib
export PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_PATH=$lib/pkgconfig
export LD_LIBRARY_PATH=$lib
sanitize=()
! nm -D "$lib/libwb.so" | grep -q __asan || sanitize=("-fsanitize=address,undefined")

# The program below EXAMPLE.
example() # PAGE
{
	awk '/^# EXAMPLE/ { on = 1 } on && /^```/ { if (code++) exit; next } code' "$1"
}

try() # PROGRAM: in a folder of its own on a disk's file system
{
	(cd "$mnt" && "$1") || wb_fail "${1##*/} ends with status $?"
}

mnt=$(wb_mkfs ext4 256M)
flags=(-Wall -Wextra -Werror)
read -ra cflags < <(pkg-config --cflags libwb)
read -ra libs < <(pkg-config --libs libwb)
read -ra static < <(pkg-config --libs --static libwb)
pages=(doc/*.3.scd)
[ ${#pages[@]} -ge 6 ] || wb_fail "only ${#pages[@]} pages"
for page in "${pages[@]}"; do
	name=$(basename "$page" .3.scd)
	wb_note "$name"
	src=$WB_TMP/$name.c
	example "$page" >"$src"
	[ -s "$src" ] || wb_fail "$page has no example"
	gcc -std=gnu11 "${flags[@]}" "${sanitize[@]}" "${cflags[@]}" -o "$WB_TMP/c" "$src" \
		"${libs[@]}"
	try "$WB_TMP/c"
	gcc -std=gnu11 "${sanitize[@]}" "${cflags[@]}" -o "$WB_TMP/s" "$src" \
		"${static[@]/#-lwb/-l:libwb.a}"
	! readelf -d "$WB_TMP/s" | grep -q 'libwb\.so' || wb_fail "$name: not static"
	LD_LIBRARY_PATH='' try "$WB_TMP/s"
	if command -v g++ >/dev/null; then
		g++ -x c++ -std=c++17 "${flags[@]}" -Wno-missing-field-initializers \
			"${sanitize[@]}" "${cflags[@]}" -o "$WB_TMP/cc" "$src" "${libs[@]}"
		try "$WB_TMP/cc"
	fi
done
# The header alone, as strictly as can be.
for std in c99 c11; do
	echo '#include <wb/wb.h>' |
		gcc -std=$std -pedantic-errors -Wall -Werror "${cflags[@]}" -x c -fsyntax-only -
done

wb_note "what is exported, and a page for each of it"
readelf -d "$lib/libwb.so" | grep -q 'SONAME.*\[libwb.so.1\]' || wb_fail "no soname"
nm -D --defined-only "$lib/libwb.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' |
	grep -v '^__' | sort >"$WB_TMP/exported"
sed -n 's/^\t\(wb_[a-z_]*\);$/\1/p' libwb/libwb.map | sort >"$WB_TMP/promised"
diff "$WB_TMP/promised" "$WB_TMP/exported" || wb_fail "exported is not what libwb.map says"
while read -r f; do
	grep -q "\b$f(" "$dest/usr/include/wb/wb.h" || wb_fail "$f is not in wb.h"
	[ -s "$dest/usr/share/man/man3/$f.3" ] || wb_fail "$f has no page"
done <"$WB_TMP/promised"
# In the archive every name that is not the API's begins with wbi_.
nm -g --defined-only "$lib/libwb.a" | awk 'NF == 3 && $2 ~ /[TDBRC]/ { print $3 }' |
	grep -vE '^(wbi?_|__)' && wb_fail "the archive has names that are not its own"

wb_note "the ABI"
if [ ${#sanitize[@]} -gt 0 ] || ! command -v abidiff >/dev/null; then
	wb_note "not compared: no abidiff, or built with sanitizers"
else
	abidiff --drop-private-types --headers-dir2 include/wb tests/abi/libwb.abi \
		"$lib/libwb.so.1.0.0" >"$WB_TMP/abi.log" || {
		cat "$WB_TMP/abi.log"
		wb_fail "the ABI is not that of tests/abi/libwb.abi (make abi-dump if it only grew)"
	}
fi

wb_note "nothing of it is left by make uninstall"
make -s BUILD="${BUILD#"$WB_TOP/"}" uninstall DESTDIR="$dest" PREFIX=/usr >/dev/null 2>&1
left=$(find "$dest" ! -type d | grep -v /etc/ || true)
[ -z "$left" ] || wb_fail "left: $left"

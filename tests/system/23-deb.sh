#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make deb: every file that make install has is in one of the packages, and they fit together.
# timeout: 300
set -eu
. "$(dirname "$0")/../lib.sh"

# Packages have no sanitizers, whatever is tested.
unset BUILD SANITIZE
command -v dh >/dev/null || wb_skip "there is no debhelper"
cd "$WB_TOP"
version=$(cat VERSION)
out=$WB_TMP/deb
packaging/deb "$out" >"$WB_TMP/log" 2>&1 || { cat "$WB_TMP/log"; wb_fail "the packages were not built"; }

wb_note "the version is that of VERSION, and the packages are those"
names=$(cd "$out" && echo *.deb)
arch=$(dpkg --print-architecture)
for p in wb libwb1 libwb-dev wb-tools; do
	[[ " $names " == *" ${p}_${version}_$arch.deb "* ]] || wb_fail "there is no $p of $version: $names"
	dpkg-deb -x "$out/${p}_${version}_$arch.deb" "$WB_TMP/root"
	dpkg-deb -x "$out/${p}_${version}_$arch.deb" "$WB_TMP/$p"
done
[ "$(find "$out" -name '*.deb' ! -name '*-dbgsym_*' | wc -l)" = 4 ] || wb_fail "other packages: $names"

wb_note "nothing that make install has is missing"
lib=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
units=$(pkg-config --variable=systemdsystemunitdir systemd)
make -s BUILD=build install DESTDIR="$WB_TMP/dest" PREFIX=/usr LIBDIR="$lib" UNITDIR="$units" >/dev/null
files() { (cd "$1" && find . ! -type d | sed 's/\.gz$//' | grep -v '/usr/share/doc/' | sort); }
diff <(files "$WB_TMP/dest") <(files "$WB_TMP/root") || wb_fail "make install and the packages differ"

wb_note "the programs run, and the unit names this daemon"
"$WB_TMP/root/usr/sbin/wbd" --version | grep -qF "$version"
"$WB_TMP/root/usr/bin/wbctl" version | grep -qF "$version"
grep -qx 'ExecStart=/usr/sbin/wbd' "$WB_TMP/root$units/wbd.service"

wb_note "a configuration is kept on removal, and a program finds the library"
dpkg-deb -e "$out/wb_${version}_$arch.deb" "$WB_TMP/control"
[ "$(sort "$WB_TMP/control/conffiles" | paste -sd' ')" = "/etc/wb/wb.conf /etc/wb/wb.conf.d/README" ]
dpkg-deb -e "$out/libwb1_${version}_$arch.deb" "$WB_TMP/libcontrol"
grep -q 'WB_1.0' "$WB_TMP/libcontrol/symbols"
printf '#include <wb/wb.h>\nint main(void) { return wb_open == 0; }\n' >"$WB_TMP/t.c"
cc -I"$WB_TMP/root/usr/include" -o "$WB_TMP/t" "$WB_TMP/t.c" -L"$WB_TMP/root$lib" -lwb
LD_LIBRARY_PATH=$WB_TMP/libwb1$lib "$WB_TMP/t"

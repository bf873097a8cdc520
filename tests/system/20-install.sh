#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make install puts everything where it belongs, make uninstall takes it away again.
# timeout: 300
set -eu
. "$(dirname "$0")/../lib.sh"

dest=$WB_TMP/dest
cd "$WB_TOP"

wb_make() # TARGET [VARIABLE...]
{
	make -s BUILD="${BUILD#"$WB_TOP/"}" "$@" >"$WB_TMP/make.log" 2>&1 ||
		{ cat "$WB_TMP/make.log"; wb_fail "make $1 failed"; }
}

wb_has() # MODE PATH
{
	[ "$(stat -c '%a' "$dest$2")" = "$1" ] || wb_fail "$2 is not there with mode $1"
}

wb_note "the defaults: below /usr/local, configuration in /etc"
wb_make install DESTDIR="$dest"
wb_has 755 /usr/local/sbin/wbd
wb_has 755 /usr/local/bin/wbctl
wb_has 644 /usr/local/lib/systemd/system/wbd.service
wb_has 644 /usr/local/lib/systemd/system/wbd.socket
wb_has 644 /usr/local/lib/sysusers.d/wb.conf
wb_has 644 /usr/local/share/bash-completion/completions/wbctl
wb_has 644 /usr/local/share/man/man5/wb.conf.5
wb_has 644 /etc/wb/wb.conf
wb_has 644 /etc/wb/wb.conf.d/README
cmp conf/wb.conf "$dest/etc/wb/wb.conf"
grep -qx 'ExecStart=/usr/local/sbin/wbd' "$dest/usr/local/lib/systemd/system/wbd.service"
"$dest/usr/local/sbin/wbd" --version

wb_note "an edited configuration stays, on install and on uninstall"
echo '# mine' >>"$dest/etc/wb/wb.conf"
wb_make install DESTDIR="$dest"
grep -qx '# mine' "$dest/etc/wb/wb.conf"
wb_make uninstall DESTDIR="$dest"
[ "$(cd "$dest" && find . ! -type d)" = ./etc/wb/wb.conf ] ||
	wb_fail "left: $(cd "$dest" && find . ! -type d)"

wb_note "elsewhere: the units name the path without DESTDIR; nothing is left"
rm -r "$dest"
vars=(DESTDIR="$dest" PREFIX=/usr UNITDIR=/lib/systemd/system SYSCONFDIR=/opt/etc)
wb_make install "${vars[@]}"
grep -qx 'ExecStart=/usr/sbin/wbd' "$dest/lib/systemd/system/wbd.service"
wb_has 644 /opt/etc/wb/wb.conf
wb_make uninstall "${vars[@]}"
[ -z "$(find "$dest" ! -type d)" ] || wb_fail "left: $(find "$dest" ! -type d)"
[ ! -e "$dest/opt/etc/wb" ] || wb_fail "the folder of the configuration is left"

wb_note "the group for changes can be made from the sysusers file"
if command -v systemd-sysusers >/dev/null; then
	mkdir -p "$WB_TMP/root/etc"
	: >"$WB_TMP/root/etc/passwd"
	: >"$WB_TMP/root/etc/group"
	systemd-sysusers --root="$WB_TMP/root" "$WB_TOP/conf/wb.sysusers"
	grep -q '^wb:' "$WB_TMP/root/etc/group"
fi

# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages.

# What building them needs beside DEPS_BUILD; lintian reads them at the end.
DEPS_DEB := debhelper dpkg-dev lintian systemd

## make deb         Debian packages of this tree in build/deb (lintian reads them)
deb:
	@$(MAKE) --no-print-directory -s deps DEPS='$(DEPS_BUILD) $(DEPS_DEB)'
	@packaging/deb build/deb

.PHONY: deb

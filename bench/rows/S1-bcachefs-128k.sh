#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Order hints on bcachefs, writes of 128 KiB.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../folio.sh"

kernel_has $FOLIO_KERNEL CONFIG_BCACHEFS_FS ||
	wb_skip "bcachefs is not in $FOLIO_KERNEL, the guest kernel that has large folios; the one that has bcachefs," \
		"6.12-uml-bcachefs, is User Mode Linux, which has none (no CONFIG_TRANSPARENT_HUGEPAGE), so every order is 0 there." \
		"7.3 has no bcachefs, and the series' folio_order_max is in /sys/fs/writeback, where bcachefs, without cgroup writeback, is not."
[ -e "${WB_BCACHEFS_IMAGE:-}" ] ||
	wb_skip "Debian has nothing that makes a bcachefs: name the image of an empty one, compressed with zstd, by WB_BCACHEFS_IMAGE."
folio_row S1-bcachefs-128k bcachefs 128 1.25

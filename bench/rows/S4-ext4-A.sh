#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Parallel writeback of 12 files on ext4, as it was published for XFS.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../parallel.sh"

parallel_row S4-ext4-A ext4 12 24 3.1 \
	"3.1 and 4.4 times (12 files of 1 GiB: 243 to 759 and 368 to 1634 MiB/s, two NVMe models, XFS)"

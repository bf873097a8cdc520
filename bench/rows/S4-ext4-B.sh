#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Parallel writeback of 6 files on ext4, as it was published for XFS.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../parallel.sh"

parallel_row S4-ext4-B ext4 6 80 2.3 \
	"2.3 and 3.1 times (6 files of 20 GiB: 305 to 706 and 315 to 990 MiB/s, two NVMe models, XFS)"

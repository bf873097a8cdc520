#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ramfs with blocks of 2 MiB, by the published ratio.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../ramfs.sh"

ramfs_row S5-ramfs-2M 3.3

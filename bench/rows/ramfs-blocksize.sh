#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ramfs with blocks of 2 MiB, by what the series has to reach here.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../ramfs.sh"

ramfs_row ramfs-blocksize 2.5

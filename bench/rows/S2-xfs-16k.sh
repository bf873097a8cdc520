#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Order hints on XFS, writes of 16 KiB.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../folio.sh"

folio_row S2-xfs-16k xfs 16 1.05

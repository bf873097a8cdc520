#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Order hints on XFS, writes of 64 KiB.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../folio.sh"

folio_row S2-xfs-64k xfs 64 0.99

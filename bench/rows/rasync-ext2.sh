#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Buffered asynchronous reads of ext2: enough for the series to declare it?
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../rasync.sh"

rasync_row rasync-ext2

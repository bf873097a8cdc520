#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Buffered asynchronous reads of ext2, beside what was published.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../guest.sh"
. "$(dirname "$0")/../rasync.sh"

rasync_row S3-ext2

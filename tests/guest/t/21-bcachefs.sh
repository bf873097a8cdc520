#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bcachefs, which knows no cgroups and so stays in context 0, bears contexts that come and go:
# 20-resize.sh and 37-fsx.sh on it.
#
# guest: only=*-bcachefs seconds=10 full-seconds=120 limit=1000

set -eu
dir=$(dirname "$0")
"$dir/20-resize.sh" bcachefs
"$dir/37-fsx.sh" bcachefs

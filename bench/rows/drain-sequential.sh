#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drain of 8 files, one per AG, that were written from front to back.
. "$(dirname "$0")/drain-random.sh"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The series' KUnit tests, which ran while the guest booted, all passed.
#
# guest: x86=yes limit=120

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

for suite in writeback-group-map writeback-contexts; do
	grep -aq "^ok [0-9]* $suite" <(dmesg | sed 's/^\[[^]]*\] *//') || fail "KUnit: $suite did not pass"
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules by control group where there is version 2 only: the system test, in the guest.
#
# guest: full=7.3-smp limit=300

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

top=$(cd "$(dirname "$0")/../../.." && pwd)
build=${BUILD:-$top/build}
[ -x "$build/tests/tools/vl" ] || skip "the programs have not been built"
[ -e /proc/net/unix ] || skip "the kernel has no Unix sockets"
command -v jq >/dev/null || skip "there is no jq"
exec bash "$top/tests/system/93-hint-cgroup.sh"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# io_uring switched off (kernel.io_uring_disabled = 2) or denied as in a container: the
# threads do the same work, and status and features say so.
set -eu
. "$(dirname "$0")/../lib.sh"

knob=/proc/sys/kernel/io_uring_disabled
restore()
{
	echo "$1" >$knob
}

# Everything works, by threads, and says why.
check() # WHAT
{
	local io why
	wb_note "$1"
	wb_start "$(wb_set engine.contexts=4 flush.after=64K flush.age=10ms flush.cool=0s)"
	wb_managed "$mnt" || wb_fail "$1: not managed: $(wb_status "$mnt" .reason)"
	io=$(wb_engine .io)
	why=$(wb_engine .io_why)
	[ "$io" = threads ] || wb_fail "$1: io is $io"
	[[ $why == *' '* ]] || wb_fail "$1: does not say why: $why"
	wb_call io.writeback.Features |
		wb_json '.features[] | select(.name == "io_uring") | .present == false' \
			>/dev/null || wb_fail "$1: features has io_uring"
	"$WB_TOOLS/dirty" write -m rand -f 4 "$mnt"
	wb_wait_for 20 wb_flushed "$mnt" 4194304
	wb_ctl sync "$mnt" >/dev/null || wb_fail "$1: wbctl sync"
	wb_stop
	wb_remount_cold "$mnt"
	"$WB_TOOLS/dirty" verify -m rand -f 4 "$mnt" || wb_fail "$1: data lost"
	rm -r "${mnt:?}"/d*
}

mnt=$(wb_mkfs xfs 1G)
for error in EPERM ENOSYS ENOMEM; do
	wb_deny io_uring_setup=$error
	check "io_uring_setup gives $error"
done
WB_WRAP=()
# The ring can be made, but not used.
wb_deny io_uring_enter=EPERM io_uring_register=EPERM
check "io_uring_enter gives EPERM"
WB_WRAP=()

[ -e $knob ] || {
	wb_note "no $knob (before Linux 6.6): only the denied calls were tested"
	exit 0
}
was=$(cat $knob)
wb_defer restore "$was"
echo 2 >$knob
check "kernel.io_uring_disabled = 2"
restore "$was"

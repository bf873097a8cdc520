#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion offers every command and option that the programs' help names.
set -eu
. "$(dirname "$0")/../lib.sh"

. "$WB_TOP/conf/wb.bash-completion"

# The words offered for the last one, sorted, one a line.
wb_offered() # FUNCTION WORD...
{
	local fn=$1
	shift
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	"$fn" 2>/dev/null
	printf '%s\n' "${COMPREPLY[@]}" | sort
}

wb_same() # WHAT WANT GOT
{
	[ "$2" = "$3" ] || wb_fail "$1: wanted $(tr '\n' ' ' <<<"$2"), got $(tr '\n' ' ' <<<"$3")"
}

wb_long_options()
{
	"$@" --help | grep -oE '(^|[ ,\[|])--[a-z-]+' | tr -d ' ,[|' | sort -u
}

commands=$("$WBCTL" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)
[ "$(wc -l <<<"$commands")" -ge 8 ] || wb_fail "wbctl --help names only: $commands"
wb_same commands "$commands" "$(wb_offered _wbctl wbctl '')"
wb_same "one command" monitor "$(wb_offered _wbctl wbctl mon)"
wb_same "wbctl's options" "$(wb_long_options "$WBCTL")" "$(wb_offered _wbctl wbctl --)"
wb_same "wbd's options" "$(wb_long_options "$WBD")" "$(wb_offered _wbd wbd --)"
wb_same "config's verbs" "$(printf 'check\nshow')" "$(wb_offered _wbctl wbctl config '')"

wb_note "mount points, also with a blank in the name"
mkdir "$WB_TMP/a b"
mount -t tmpfs none "$WB_TMP/a b"
wb_defer umount "$WB_TMP/a b"
wb_same "a mount point" "$WB_TMP/a\\ b" "$(wb_offered _wbctl wbctl sync "$WB_TMP/a")"

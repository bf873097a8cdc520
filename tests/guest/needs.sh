# SPDX-License-Identifier: GPL-2.0-or-later
# What a guest test says that it needs, in its `# guest: KEY=VALUE...` lines; tests/README.md
# explains the keys.

# needs SCRIPT: all its words, one a line
needs() {
	sed -n '1,30s/^# guest://p' "$1" | xargs -rn 1
}

# need SCRIPT KEY: the values of KEY, one a line
need() {
	needs "$1" | sed -n "s/^$2=//p"
}

# need1 SCRIPT KEY DEFAULT: the first value of KEY
need1() {
	local value
	value=$(need "$1" "$2" | head -n 1)
	echo "${value:-$3}"
}

# is_one_of NAME GLOB,...
is_one_of() {
	local pattern patterns
	IFS=, read -ra patterns <<<"$2"
	for pattern in ${patterns[@]+"${patterns[@]}"}; do
		# shellcheck disable=SC2053 # the right side is a pattern on purpose
		[[ $1 != $pattern ]] || return 0
	done
	return 1
}

# wanted_by SCRIPT NAME: the test is for the kernel NAME, which look_up has looked up; unless it
# says otherwise, a test is for kernels that have the series in use and are not for one file system,
# and for emulated ones only if it says x86=
wanted_by() {
	local default=-
	# shellcheck disable=SC2154 # look_up sets it
	case " $fragments " in
	*" bcachefs "*) ;;
	*" x86 "*" series "*) [ "$(need1 "$1" x86 no)" = no ] || default='*' ;;
	*" series "*) default='*' ;;
	esac
	if is_one_of "$2" "$(need1 "$1" full '')" && [ "${WB_FULL:-0}" != 1 ]; then
		return 1
	fi
	is_one_of "$2" "$(need1 "$1" only "$default")"
}

# A word that is not understood would change what is tested in silence.
check_needs() {
	local word
	for word in $(needs "$1"); do
		case $word in
		fs=* | fs@*=* | full-fs=* | disk=* | memory=* | seconds=* | seconds.*=* | full-seconds=*) ;;
		limit=* | only=* | cpus=* | arg=* | x86=* | full=* | host=yes) ;;
		*) die "$1 needs '$word', which means nothing" ;;
		esac
	done
}

# file_systems SCRIPT NAME: those that the test is run for in the kernel NAME, one a line
file_systems() {
	local word fs x86
	fs=$(need1 "$1" fs '')
	x86=$(need1 "$1" x86 yes)
	# shellcheck disable=SC2154 # look_up sets it
	if [ "$arch" = x86 ] && [ "$x86" != yes ]; then
		fs=$x86
	elif [ "${WB_FULL:-0}" = 1 ]; then
		fs+=,$(need1 "$1" full-fs '')
	else
		for word in $(needs "$1" | sed -n 's/^fs@//p'); do
			! is_one_of "$2" "${word%%=*}" || fs=${word#*=}
		done
	fi
	tr ',' '\n' <<<"$fs" | grep . || :
}

# seconds_of SCRIPT FS
seconds_of() {
	local n
	n=$(need1 "$1" seconds 0)
	[ -z "$2" ] || n=$(need1 "$1" "seconds.$2" "$n")
	[ "${WB_FULL:-0}" != 1 ] || n=$(need1 "$1" full-seconds "$n")
	echo "$n"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# The one list of packages (Debian 12 and 13), and what installs them.
#
# `make all` only looks (deps-have); `make deps`, which `make demo` and `make check`
# call, installs what is missing, as root.

DEPS_BUILD := gcc libc6-dev linux-libc-dev pkgconf libsystemd-dev liburing-dev libev-dev \
	libmount-dev libsmartcols-dev libjansson-dev libinih-dev libext2fs-dev xfslibs-dev \
	scdoc
# The demo and the benchmarks on the host: file systems to make, pictures.
DEPS_DEMO  := xfsprogs e2fsprogs btrfs-progs util-linux mount fdisk jq gnuplot-nox \
	strace valgrind
# The checks: second compiler, sanitizers and fuzzer (libclang-rt-dev), linters, and
# what the system tests run (setpriv, capsh, systemd-analyze).
DEPS_TEST  := libcmocka-dev clang clang-format clang-tidy libclang-rt-dev cppcheck \
	shellcheck mandoc lcov libcap2-bin procps systemd socat g++ abigail-tools libxml2-utils debhelper dpkg-dev

# The guest kernels: the source (another version's is downloaded by tests/guest/fetch), what
# builds it, what tests/guest/t runs.
DEPS_GUEST := linux-source-6.12 flex bison bc patch xz-utils perl f2fs-tools

DEPS := $(DEPS_BUILD) $(DEPS_DEMO) $(DEPS_TEST) $(DEPS_GUEST)

# What only make check-kernel-full and make bench need: the series' linters, an x86 kernel and its
# machine, and what reads there.
DEPS_FULL := fio git sparse python3 python3-ply libelf-dev libssl-dev qemu-system-x86

# What make check-report alone needs: a browser to look at the report with.
DEPS_BROWSER := chromium-headless-shell

# What must be there to compile, asked of the compiler itself so that it holds on any
# distribution; remembered in a stamp so that it costs nothing afterwards.
DEPS_HEADERS := ev.h xfs/xfs.h ext2fs/ext2fs.h liburing.h jansson.h ini.h \
	systemd/sd-daemon.h libmount.h libsmartcols.h
DEPS_STAMP := build/deps.stamp

deps-have:
	@test -e $(DEPS_STAMP) || { \
	  command -v $(firstword $(CC)) >/dev/null && \
	  pkg-config --exists $(PKGS) 2>/dev/null && command -v scdoc >/dev/null && \
	  printf '#include <%s>\n' stdio.h $(DEPS_HEADERS) | \
	    $(CC) -D_GNU_SOURCE $$(pkg-config --cflags $(PKGS)) -E - >/dev/null 2>&1 || { \
	      echo "Headers or tools to build with are missing: run make deps" >&2; exit 1; }; \
	  mkdir -p $(dir $(DEPS_STAMP)) && touch $(DEPS_STAMP); }

## make deps        install the packages that building, demo and checks need (as root)
deps:
	@missing=$$(for p in $(DEPS); do \
	    dpkg-query -W -f '$${Status}\n' $$p 2>/dev/null | grep -q ' installed$$' || \
	      echo $$p; done); \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	  echo "There is no apt-get here: install what corresponds to these Debian packages:" \
	    $$missing >&2; exit 1; fi; \
	if [ $$(id -u) -ne 0 ]; then \
	  echo "Packages are missing; as root run: apt-get update && apt-get install -y" \
	    "--no-install-recommends" $$missing >&2; exit 1; fi; \
	echo "Installing:" $$missing; export DEBIAN_FRONTEND=noninteractive; \
	apt-get install -qq -y --no-install-recommends $$missing >/dev/null 2>&1 || { \
	  apt-get update -qq && \
	  apt-get install -qq -y --no-install-recommends $$missing >/dev/null; }

.PHONY: deps-have deps

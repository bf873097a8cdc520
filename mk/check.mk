# SPDX-License-Identifier: GPL-2.0-or-later
# Tests, linters, fuzzing.  tests/run runs and counts; tests/README.md explains.

UNIT_SRC   := $(wildcard tests/unit/test_*.c)
UNIT_HELP  := $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
TOOL_SRC   := $(wildcard tests/tools/*.c)
FUZZ_SRC   := $(wildcard tests/fuzz/fuzz_*.c)
UNIT_BIN   := $(patsubst %.c,$(BUILD)/%,$(UNIT_SRC))
TOOL_BIN   := $(patsubst %.c,$(BUILD)/%,$(TOOL_SRC))
FUZZ_BIN   := $(patsubst %.c,$(BUILD)/%,$(FUZZ_SRC))
C_FILES     = $(shell git ls-files '*.[ch]' ':!kernel')
SH_FILES    = $(shell git ls-files '*.sh' .ci/run tests/run tests/lint-units tests/tidy-one \
	tests/guest/boot* tests/guest/build tests/guest/estimate tests/guest/fetch \
	tests/guest/init tests/guest/one tests/guest/plan tests/guest/run tests/guest/series)

FUZZ_SECONDS ?= 60
JOBS := -j$(shell nproc)

# The fuzzer's coverage must be in the libraries too.
ifeq ($(FUZZ),1)
CFLAGS += -fsanitize=fuzzer-no-link
endif
ifeq ($(COVERAGE),1)
OPT    := -O0 -g --coverage -U_FORTIFY_SOURCE
HARDEN :=
LDFLAGS += --coverage
endif

LIBS_UNIT = $(LIBS_WBD) $(shell pkg-config --libs smartcols) -lcmocka
ARCHIVES := $(BUILD)/libwbd.a $(BUILD)/libcommon.a

# Everything tests run beside the programs themselves.
test-bins: $(UNIT_BIN) $(TOOL_BIN)

# A unit program may take in parts of wbctl (all but its main()).
$(BUILD)/libwbctl.a: $(call obj,$(filter-out wbctl/main.c wbctl/wbctl.c,$(WBCTL_SRC)))

$(UNIT_BIN): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(UNIT_HELP)) \
		$(BUILD)/libwbctl.a $(ARCHIVES)
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_UNIT)

# One of them is made of the daemon's own parts.
LIBS_TOOL = $(shell pkg-config --libs jansson) -lpthread
$(BUILD)/tests/tools/fsys: $(ARCHIVES)
$(BUILD)/tests/tools/fsys: LIBS_TOOL = $(LIBS_WBD)

$(TOOL_BIN): $(BUILD)/%: $(BUILD)/%.o
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_TOOL)

# What the tests in guests run there.
GUEST_SRC  := $(wildcard tests/guest/tools/*.c)
GUEST_BIN  := $(patsubst %.c,$(BUILD)/%,$(GUEST_SRC))
guest-tools: $(GUEST_BIN)
$(BUILD)/tests/guest/tools/%.o: CPPFLAGS += -Iinclude
$(GUEST_BIN): $(BUILD)/%: $(BUILD)/%.o
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lpthread

fuzz-bins: $(FUZZ_BIN)
$(FUZZ_BIN): $(BUILD)/%: $(BUILD)/%.o $(ARCHIVES)
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS_WBD)

## make check-fast  unit tests, golden tests, format: less than a minute
check-fast:
	@$(MAKE) --no-print-directory -s deps
	@tests/run build:all build:test-bins unit golden make:lint-format

## make check       everything: both compilers, sanitizers, linters, fuzzing, system tests
check:
	@$(MAKE) --no-print-directory -s deps
	@tests/run build:all build:test-bins unit golden \
		make:lint-format make:lint-spdx make:lint-shell make:lint-man make:lint-units \
		make:lint-cppcheck make:lint-tidy \
		build:all,CC=clang build:test-bins,CC=clang \
		system \
		build:all,SANITIZE=1 build:test-bins,SANITIZE=1 \
		unit@san golden@san system@san \
		fuzz \
		build:guest-tools guest:$(GUESTS)

# The guest kernels. That of a version that is to be had nowhere is skipped, but not 6.12.
# A process starts 1.5 to 2 times slower in 7.3-smp; what is run there in make check is mostly what
# two CPUs can break (full= and fs@= in the tests).
comma  := ,
GUESTS := 6.12-uml,7.3-smp
GUESTS_FULL := $(GUESTS),7.3-smp-kasan,6.12-uml-off,7.3-smp-off,6.12-uml-bcachefs,6.12-x86
SERIES := 6.12,7.3

## make check-kernel  build the patched kernels and run the tests of tests/guest in them
check-kernel:
	@$(MAKE) --no-print-directory -s deps
	@tests/guest/estimate $(subst $(comma), ,$(GUESTS))
	@tests/run build:guest-tools guest:$(GUESTS)

## make check-kernel-full  the same at full length, in more kernels, and what maintainers check
check-kernel-full:
	@$(MAKE) --no-print-directory -s deps DEPS='$(DEPS) $(DEPS_FULL)'
	@WB_FULL=1 tests/guest/estimate $(subst $(comma), ,$(GUESTS_FULL))
	@WB_FULL=1 tests/run build:guest-tools guest:$(GUESTS_FULL) series:$(SERIES)

## make check-system  the system tests alone (TESTS='NN-name ...' picks some)
check-system:
	@tests/run build:all build:test-bins system

## make check-report  the benchmarks' report, in a browser too (installs chromium-headless-shell, 60 MB)
check-report:
	@$(MAKE) --no-print-directory -s deps DEPS='$(DEPS) $(DEPS_BROWSER)'
	@TESTS='72-report 73-report-browser' tests/run build:all build:test-bins system

## make fuzz        every fuzz target for FUZZ_SECONDS (60), two at a time
fuzz:
	@tests/run fuzz

## make lint        format, licence lines, cppcheck, clang-tidy, shellcheck, man pages, units
lint: lint-format lint-spdx lint-shell lint-man lint-units lint-cppcheck lint-tidy

# Another major version lays out some constructs differently; 14 is Debian 12's.
CLANG_FORMAT_MAJOR := 14
lint-format:
	@v=$$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/'); \
	if [ "$$v" != $(CLANG_FORMAT_MAJOR) ]; then \
	  echo "skip: clang-format $$v lays out otherwise than $(CLANG_FORMAT_MAJOR)"; \
	else clang-format --dry-run -Werror $(C_FILES); fi

## make format      apply .clang-format
format:
	clang-format -i $(C_FILES)

# Prose and data have no comments to put a licence line in; README.md says theirs, and
# kernel/README.md that of the patches, which quote the kernel's licence lines.
SPDX_EXEMPT := LICENSES VERSION NEWS *README *.md tests/golden tests/fuzz/corpus tests/report bench/results debian *.patch

# Every source file names its licence, and the text of each licence named is there.
lint-spdx:
	@git ls-files --error-unmatch Makefile >/dev/null || exit 1; bad=0; \
	for f in $$(git grep -LI -e 'SPDX-License-Identifier: ' -- . \
	    $(patsubst %,':(exclude)%',$(SPDX_EXEMPT))); do \
	  echo "$$f: there is no SPDX-License-Identifier line" >&2; bad=1; done; \
	for l in $$(git grep -hoI -e 'SPDX-License-Identifier: [A-Za-z0-9.+-]*' -- ':!*.patch' | \
	    sed 's/.* //' | sort -u); do \
	  test -s LICENSES/$$l.txt || { \
	    echo "LICENSES/$$l.txt: there is no text of this licence" >&2; bad=1; }; done; \
	exit $$bad

lint-shell:
	@shellcheck -x -P SCRIPTDIR -s bash $(SH_FILES)

lint-cppcheck: $(IDL_INC)
	@mkdir -p build/cppcheck
	@cppcheck --quiet $(JOBS) --cppcheck-build-dir=build/cppcheck --error-exitcode=1 \
	  --enable=warning,performance,portability --inline-suppr --std=c11 \
	  --suppressions-list=tests/cppcheck-suppressions -I. -I$(BUILD)/gen -D_GNU_SOURCE \
	  -DWB_VERSION='"0"' -D'json_array_foreach(a,i,v)=for(;;)' \
	  -D'json_object_foreach(o,k,v)=for(;;)' $(filter %.c,$(C_FILES))

# One file per run, as many at a time as there are processors.  The analyzer's steps to a
# finding are in build/tidy/.
lint-tidy: $(IDL_INC)
	@rm -rf build/tidy && mkdir -p build/tidy
	@printf '%s\n' $(filter %.c,$(C_FILES)) | xargs -P $$(nproc) -n 1 tests/tidy-one \
	  -std=gnu11 -I. -Iinclude -I$(BUILD)/gen -D_GNU_SOURCE $(PKG_CFLAGS)

# A man page must come out of scdoc, and be sound to mandoc.
lint-man: $(MAN)
	@test -n "$(MAN)" || { echo "skip: no man pages in doc/"; exit 0; }; \
	test -z "$(MAN)" || ! mandoc -T lint -W warning $(MAN) | \
	  grep -v 'skipping paragraph macro' # scdoc puts one after each heading

# units/ stand as they will be installed; the programs they name need not exist yet.
lint-units:
	@tests/lint-units units

## make coverage    build/coverage/index.html, from the unit and golden tests
coverage:
	@$(MAKE) --no-print-directory -s deps
	@tests/run build:all,BUILD=build-cov,COVERAGE=1 build:test-bins,BUILD=build-cov,COVERAGE=1 \
		unit@cov golden@cov
	@mkdir -p build/coverage
	@lcov -q -c -d build-cov -o build/coverage/all.info
	@lcov -q -r build/coverage/all.info '/usr/*' '*/tests/*' -o build/coverage/wb.info
	@genhtml -q -o build/coverage build/coverage/wb.info
	@echo "build/coverage/index.html"

.PHONY: test-bins fuzz-bins guest-tools check-fast check check-kernel check-kernel-full check-system check-report fuzz lint lint-format lint-spdx format \
	lint-shell lint-cppcheck lint-tidy lint-man lint-units coverage

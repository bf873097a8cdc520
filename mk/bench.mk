# SPDX-License-Identifier: GPL-2.0-or-later
# The demo and the benchmarks: the programs they run beside wbd and wbctl.

WBLOAD_SRC := $(wildcard bench/wbload*.c) bench/pattern.c
$(BUILD)/wbload: $(call obj,$(WBLOAD_SRC))
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ljansson -lpthread

$(BUILD)/itab_bench: $(call obj,bench/itab_bench.c bench/pattern.c) $(BUILD)/libwbd.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

$(BUILD)/lease_bench: $(call obj,bench/lease_bench.c bench/pattern.c) $(BUILD)/libwbd.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

$(BUILD)/fsync_probe: $(call obj,bench/fsync_probe.c)
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

# The rows count dirty bytes by a program of the tests, and use others in guests.
bench-bins: $(BUILD)/wbload $(BUILD)/itab_bench $(BUILD)/lease_bench $(BUILD)/fsync_probe \
		$(BUILD)/tests/tools/cached \
		guest-tools
# What tests/system/7* run.
test-bins: $(BUILD)/wbload $(BUILD)/fsync_probe

## make demo        shows what it does, on file systems of its own (as root, a minute)
demo:
	@$(MAKE) --no-print-directory -s deps
	@$(MAKE) --no-print-directory -s all $(BUILD)/wbload
	@BUILD=$(abspath $(BUILD)) bench/demo.sh

## make bench       measures what is promised (as root; ROWS="idle drain-random" RUNS=5 HINTS=1 QUICK=1)
bench:
	@$(MAKE) --no-print-directory -s deps DEPS='$(DEPS) $(DEPS_FULL)'
	@$(MAKE) --no-print-directory -s all bench-bins
	@BUILD=$(abspath $(BUILD)) ROWS="$(ROWS)" bench/run.sh

# Rows are measured into a folder of their own, so that a report has nothing of an earlier one but the
# rows that ROWS leaves out.  FROM: nothing is measured, and nothing but gnuplot and jq is needed.
## make bench-report  build/report/index.html, of every row (QUICK=1: minutes; FROM="results.json ...": of those)
bench-report:
ifeq ($(FROM),)
	@$(MAKE) --no-print-directory -s deps DEPS='$(DEPS) $(DEPS_FULL)'
	@$(MAKE) --no-print-directory -s all bench-bins
	@BUILD=$(abspath $(BUILD)) ROWS="$(ROWS)" bench/report/measure.sh $(abspath $(BUILD))/report
else
	@bench/report/page.sh $(BUILD)/report $(FROM)
	@echo "$(BUILD)/report/index.html"
endif

# Make itself exits with 2 where something got worse; bench/report/compare.sh with 1.
## make bench-compare OLD=old.json  what got better or worse beyond noise (NEW=build/report/report.json)
NEW ?= $(BUILD)/report/report.json
bench-compare:
	@test -n "$(OLD)" || { echo "Say what to compare with: make bench-compare OLD=bench/results/FILE.json [NEW=FILE.json]" >&2; exit 2; }
	@bench/report/compare.sh "$(OLD)" "$(NEW)"

.PHONY: bench-bins demo bench bench-report bench-compare

# SPDX-License-Identifier: GPL-2.0-or-later
# Objects and programs.  Every .c below a component's folder belongs to it.

COMMON_SRC := $(wildcard common/*.c)
DAEMON_SRC := $(filter-out daemon/main.c,$(wildcard daemon/*.c))
WBCTL_SRC  := $(wildcard wbctl/*.c)

# build/wbctl is the program, so its objects need a folder of another name.
obj = $(patsubst $(BUILD)/wbctl/%,$(BUILD)/wbctl.o/%,$(patsubst %.c,$(BUILD)/%.o,$(1)))

define COMPILE
	$(Q)mkdir -p $(@D)
	$(if $(Q),@echo "  CC    $<")
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
endef
$(BUILD)/wbctl.o/%.o: wbctl/%.c | deps-have
	$(COMPILE)
$(BUILD)/%.o: %.c | deps-have
	$(COMPILE)

# Interface descriptions go into the binary as C string literals.
IDL_INC := $(patsubst daemon/%.varlink,$(BUILD)/gen/%.inc,$(wildcard daemon/*.varlink))
$(BUILD)/gen/%.inc: daemon/%.varlink
	$(Q)mkdir -p $(@D)
	$(Q)sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' <$< >$@
IDL_USERS := $(BUILD)/daemon/api_service.o $(BUILD)/tests/unit/test_api_compat.o
$(IDL_USERS): $(IDL_INC)
$(IDL_USERS): CPPFLAGS += -I$(BUILD)/gen

$(BUILD)/libcommon.a: $(call obj,$(COMMON_SRC))
$(BUILD)/libwbd.a: $(call obj,$(DAEMON_SRC))
$(BUILD)/%.a:
	$(Q)rm -f $@
	$(if $(Q),@echo "  AR    $@")
	$(Q)$(AR) rcs $@ $^

$(BUILD)/wbd: $(BUILD)/daemon/main.o $(BUILD)/libwbd.a $(BUILD)/libcommon.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_WBD)

# wbctl shares the daemon's pure parts: configuration, geometry, feature probes; and how libwb
# sets XFS's extent size hint.
WBCTL_DAEMON := daemon/conf%.c daemon/geom.c daemon/geom_fd.c daemon/feats.c \
		daemon/tracefs.c daemon/fan.c daemon/cachestat.c \
		daemon/knob.c daemon/knob_journal.c daemon/knob_restore.c daemon/knob_vm.c \
		daemon/fsys_sysfs.c daemon/state_file.c daemon/kern.c daemon/gmap.c
$(BUILD)/wbctl: $(call obj,$(WBCTL_SRC)) $(call obj,$(filter $(WBCTL_DAEMON),$(DAEMON_SRC))) \
		$(BUILD)/libcommon.a $(BUILD)/libwb.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_WBCTL)

MAN_SRC := $(wildcard doc/*.scd)
MAN     := $(patsubst doc/%.scd,$(BUILD)/man/%,$(MAN_SRC))
man: $(MAN)
$(BUILD)/man/%: doc/%.scd
	$(Q)mkdir -p $(@D)
	$(if $(Q),@echo "  MAN   $@")
	$(Q)scdoc <$< >$@

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: man

# SPDX-License-Identifier: LGPL-2.1-or-later
# libwb, shared and static, and the programs that are examples of its use.

LIBWB_SO   := libwb.so.1
LIBWB_REAL := $(LIBWB_SO).0.0
LIBWB_OBJ  := $(call obj,$(wildcard libwb/*.c))
LIBS_WB     = $(shell pkg-config --libs liburing) -lpthread

$(LIBWB_OBJ): CFLAGS += -fPIC -fvisibility=hidden
$(BUILD)/libwb.a: $(LIBWB_OBJ)
$(BUILD)/$(LIBWB_REAL): $(LIBWB_OBJ) libwb/libwb.map
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(filter-out -pie,$(LDFLAGS)) -shared -Wl,-soname,$(LIBWB_SO) \
	  -Wl,--version-script=libwb/libwb.map -o $@ $(LIBWB_OBJ) $(LIBS_WB)
	$(Q)ln -sf $(LIBWB_REAL) $(BUILD)/$(LIBWB_SO)
	$(Q)ln -sf $(LIBWB_SO) $(BUILD)/libwb.so

$(BUILD)/libwb.pc: libwb/libwb.pc.in VERSION FORCE
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	  -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

# The examples are installed users of the library: they include <wb/wb.h> and link the
# static library, so that they run from the build folder.
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/%,$(wildcard examples/wb-*.c))
$(BUILD)/examples/%.o: CPPFLAGS += -Iinclude
$(EXAMPLES): $(BUILD)/%: $(BUILD)/examples/%.o $(BUILD)/libwb.a $(BUILD)/libcommon.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_WB)

libwb: $(BUILD)/libwb.a $(BUILD)/$(LIBWB_REAL) $(EXAMPLES)

# Pages under the names of the other functions that they describe.
MAN3_LINKS := wb_close:wb_open wb_set_keep:wb_open wb_hint_file_size:wb_hint_write_size \
	wb_hint_clear:wb_hint_write_size wb_stream_write:wb_stream_open \
	wb_stream_skip:wb_stream_open wb_stream_flush:wb_stream_open \
	wb_stream_close:wb_stream_open

## make install-libwb  the library alone: header, shared and static, libwb.pc, wb-cp
install-libwb: libwb $(BUILD)/libwb.pc
	$(INSTALL) -D -m 644 include/wb/wb.h $(DESTDIR)$(INCLUDEDIR)/wb/wb.h
	$(INSTALL) -D -m 644 $(BUILD)/$(LIBWB_REAL) $(DESTDIR)$(LIBDIR)/$(LIBWB_REAL)
	ln -sf $(LIBWB_REAL) $(DESTDIR)$(LIBDIR)/$(LIBWB_SO)
	ln -sf $(LIBWB_SO) $(DESTDIR)$(LIBDIR)/libwb.so
	$(INSTALL) -D -m 644 $(BUILD)/libwb.a $(DESTDIR)$(LIBDIR)/libwb.a
	$(INSTALL) -D -m 644 $(BUILD)/libwb.pc $(DESTDIR)$(LIBDIR)/pkgconfig/libwb.pc
	$(INSTALL) -D -m 755 $(BUILD)/wb-cp $(DESTDIR)$(BINDIR)/wb-cp
	mkdir -p $(DESTDIR)$(MANDIR)/man3
	for l in $(MAN3_LINKS); do \
	  echo ".so man3/$${l#*:}.3" >$(DESTDIR)$(MANDIR)/man3/$${l%:*}.3 || exit 1; done

uninstall-libwb:
	rm -f $(DESTDIR)$(INCLUDEDIR)/wb/wb.h $(DESTDIR)$(BINDIR)/wb-cp
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(LIBWB_REAL) $(LIBWB_SO) libwb.so libwb.a \
	  pkgconfig/libwb.pc)
	for l in $(MAN3_LINKS); do rm -f $(DESTDIR)$(MANDIR)/man3/$${l%:*}.3; done
	-rmdir $(DESTDIR)$(INCLUDEDIR)/wb 2>/dev/null

# Tests that need more than the daemon's archives.
$(filter $(BUILD)/tests/unit/test_libwb_%,$(UNIT_BIN)): $(BUILD)/libwb.a
$(filter $(BUILD)/tests/fuzz/fuzz_wb_%,$(FUZZ_BIN)): $(BUILD)/libwb.a
LIBWB_TOOLS := $(filter $(BUILD)/tests/tools/libwb_%,$(TOOL_BIN))
$(LIBWB_TOOLS): $(BUILD)/libwb.a
$(LIBWB_TOOLS): LIBS_TOOL = $(LIBS_WB)
LIBWB_BENCH := $(BUILD)/libwb_cost $(BUILD)/libwb_append
$(LIBWB_BENCH): $(BUILD)/%: $(BUILD)/bench/%.o $(BUILD)/libwb.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS_WB)
bench-bins: $(LIBWB_BENCH)

## make abi-dump    write tests/abi/libwb.abi anew, when the library's ABI grew
abi-dump: $(BUILD)/$(LIBWB_REAL)
	$(Q)mkdir -p tests/abi
	$(Q)abidw --no-corpus-path --no-comp-dir-path --drop-private-types \
	  --headers-dir include/wb $< | \
	  sed '1s|$$|\n<!-- SPDX-License-Identifier: LGPL-2.1-or-later -->|' >tests/abi/libwb.abi

.PHONY: libwb abi-dump install-libwb uninstall-libwb

# SPDX-License-Identifier: GPL-2.0-or-later
# Installing, removing, and what is generated from the table of the configuration.
# Nothing here starts, stops or enables anything.

INSTALL ?= install

GEN := $(BUILD)/conf/gen
$(GEN): $(BUILD)/conf/gen.o $(call obj,$(filter daemon/conf%.c,$(DAEMON_SRC))) \
		$(BUILD)/libcommon.a
	$(if $(Q),@echo "  LD    $@")
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs inih)

# The reference part of wb.conf(5) is the table's.
$(BUILD)/man/wb.conf.5: doc/wb.conf.5.scd $(GEN)
	$(Q)mkdir -p $(@D)
	$(if $(Q),@echo "  MAN   $@")
	$(Q)$(GEN) man >$@.table
	$(Q)sed -e '/^@TABLE@$$/{r $@.table' -e 'd}' $< | scdoc >$@
	$(Q)rm -f $@.table

## make conf-sample  write conf/wb.conf anew after a change of the table
conf-sample: $(GEN)
	$(Q)$(GEN) sample >conf/wb.conf

# Units name the daemon by the path it will have, without DESTDIR.
$(BUILD)/units/%: units/% FORCE
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|/usr/local/sbin/wbd|$(SBINDIR)/wbd|' $< >$@
UNITS := $(BUILD)/units/wbd.service $(BUILD)/units/wbd.socket

CONFDIR := $(DESTDIR)$(SYSCONFDIR)/wb

## make install     into PREFIX (/usr/local); DESTDIR, SYSCONFDIR, UNITDIR... as usual
install: all $(UNITS)
	$(INSTALL) -D -m 755 $(BUILD)/wbd $(DESTDIR)$(SBINDIR)/wbd
	$(INSTALL) -D -m 755 $(BUILD)/wbctl $(DESTDIR)$(BINDIR)/wbctl
	for u in $(UNITS); do $(INSTALL) -D -m 644 -t $(DESTDIR)$(UNITDIR) $$u || exit 1; done
	for m in $(MAN); do \
	  $(INSTALL) -D -m 644 -t $(DESTDIR)$(MANDIR)/man$${m##*.} $$m || exit 1; done
	$(INSTALL) -D -m 644 conf/wb.sysusers $(DESTDIR)$(SYSUSERSDIR)/wb.conf
	$(INSTALL) -D -m 644 conf/wb.bash-completion $(DESTDIR)$(COMPDIR)/wbctl
	ln -sf wbctl $(DESTDIR)$(COMPDIR)/wbd
	$(INSTALL) -D -m 644 conf/wb.conf.d/README $(CONFDIR)/wb.conf.d/README
	test -e $(CONFDIR)/wb.conf || $(INSTALL) -m 644 conf/wb.conf $(CONFDIR)/wb.conf

	$(MAKE) --no-print-directory install-libwb

## make uninstall   what install made; a wb.conf that was edited stays
uninstall: uninstall-libwb
	rm -f $(DESTDIR)$(SBINDIR)/wbd $(DESTDIR)$(BINDIR)/wbctl
	rm -f $(addprefix $(DESTDIR)$(UNITDIR)/,$(notdir $(UNITS)))
	for m in $(notdir $(MAN)); do rm -f $(DESTDIR)$(MANDIR)/man$${m##*.}/$$m; done
	rm -f $(DESTDIR)$(SYSUSERSDIR)/wb.conf
	rm -f $(DESTDIR)$(COMPDIR)/wbctl $(DESTDIR)$(COMPDIR)/wbd
	rm -f $(CONFDIR)/wb.conf.d/README
	! cmp -s conf/wb.conf $(CONFDIR)/wb.conf || rm -f $(CONFDIR)/wb.conf
	rmdir $(CONFDIR)/wb.conf.d $(CONFDIR) 2>/dev/null || :

FORCE:
.PHONY: install uninstall conf-sample FORCE

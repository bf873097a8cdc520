# SPDX-License-Identifier: GPL-2.0-or-later
# wb: parallel writeback.  `make help` lists what there is.

PREFIX    ?= /usr/local
BINDIR    ?= $(PREFIX)/bin
SBINDIR   ?= $(PREFIX)/sbin
LIBDIR    ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR    ?= $(PREFIX)/share/man
SYSCONFDIR ?= /etc
UNITDIR   ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
COMPDIR   ?= $(PREFIX)/share/bash-completion/completions
DESTDIR   ?=
VERSION   := $(shell cat VERSION)

BUILD     ?= build$(if $(filter 1,$(SANITIZE)),-san)$(if $(filter clang,$(CC)),-clang)
CC        ?= cc
Q         := $(if $(filter 1,$(V)),,@)

include mk/flags.mk
include mk/deps.mk

.DEFAULT_GOAL := all
all: $(BUILD)/wbd $(BUILD)/wbctl libwb man

include mk/build.mk
include mk/install.mk
include mk/check.mk
include mk/bench.mk
include mk/libwb.mk
include mk/deb.mk

clean:
	$(Q)rm -rf build build-*

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

.PHONY: all clean help
.DELETE_ON_ERROR:

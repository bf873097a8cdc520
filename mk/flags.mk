# SPDX-License-Identifier: GPL-2.0-or-later
# Compiler and linker flags: warnings, hardening, sanitizers.

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla -Werror \
	-Wmissing-prototypes -Wformat=2 -Wundef -Wpointer-arith
OPT  ?= -O2 -g
ifeq ($(SANITIZE),1)
HARDEN  := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDHARD  := -fsanitize=address,undefined
else
HARDEN  := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection \
	   -fcf-protection -fPIE
LDHARD  := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed
endif

PKGS := libsystemd liburing mount smartcols jansson inih ext2fs
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))

CPPFLAGS += -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DWB_VERSION='"$(VERSION)"' -MMD -MP
CFLAGS   += -std=gnu11 $(OPT) $(WARN) $(HARDEN) $(PKG_CFLAGS)
LDFLAGS  += $(LDHARD)

# libev has no pkg-config file in Debian.
LIBS_WBD   = $(shell pkg-config --libs libsystemd liburing mount jansson inih ext2fs) -lev -lpthread -lm
LIBS_WBCTL = $(shell pkg-config --libs smartcols mount jansson inih ext2fs)

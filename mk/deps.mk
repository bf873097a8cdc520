# SPDX-License-Identifier: GPL-2.0-or-later
# The one list of packages, and what installs them when something is missing.

deps-have:
.PHONY: deps-have deps

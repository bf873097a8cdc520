/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of kernel settings that wbd keeps, for verify and rollback. */
#ifndef WBCTL_KNOBS_H
#define WBCTL_KNOBS_H

#include "daemon/knob.h"
#include "wbctl/wbctl.h"

/* From the folder of the daemon's socket; @ret_dir (free() it) is that folder.
 * WBCTL_OK, or the exit code having said why. */
int knobs_load(const struct opts *o, struct knob_journal *ret, char **ret_dir);

#endif

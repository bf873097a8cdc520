/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libev, through one door: its macros do not survive strict aliasing warnings. */
#ifndef WB_EV_H
#define WB_EV_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-aliasing"
#pragma GCC diagnostic ignored "-Wundef"
#include <ev.h>
#pragma GCC diagnostic pop

#endif

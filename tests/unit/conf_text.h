/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A configuration from a text, for the tests of what goes by one. */
#ifndef WB_TEST_CONF_TEXT_H
#define WB_TEST_CONF_TEXT_H

#include "daemon/conf.h"

/* Fails the test if the text has an error; warnings do not count. */
struct conf *conf_of_text(const char *text);

#endif

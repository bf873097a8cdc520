/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes, durations and counts as users write them.  Strict on purpose: a value
 * that could be read in two ways is refused with a sentence that quotes it.
 *
 *   size   whole number, then nothing (bytes), K, M, G or T (powers of 1024)
 *   time   whole number, then ms, s, min or h; only 0 may stand alone
 *   count  whole number
 *
 * No sign, no blank between number and unit, no fraction ("1.5G" is 1536M), no
 * lower case for sizes ("16m" might be milli or mega).  Every result is at most
 * INT64_MAX, so UINT64_MAX can stand for "off".
 */
#ifndef WB_UNITS_H
#define WB_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"

#define UNITS_ERR_LEN 192 /* holds every sentence of the parsers */
#define UNITS_LEN     32  /* holds every formatted value */

/*
 * 0, or -EINVAL (not a number, bad unit) or -ERANGE (too large to represent);
 * then @err says why, quoting @text (its first 40 bytes, control characters
 * escaped), and @ret is untouched.
 */
MUST_CHECK int units_parse_size(const char *text, uint64_t *ret, char err[UNITS_ERR_LEN]);
MUST_CHECK int units_parse_time(const char *text, uint64_t *ret_ms,
				char err[UNITS_ERR_LEN]);
MUST_CHECK int units_parse_count(const char *text, uint64_t *ret,
				 char err[UNITS_ERR_LEN]);

/* The shortest exact text that parses to the same value: "16M", "4097", "1500ms",
 * "off" for UINT64_MAX.  Return @buf. */
char *units_format_size(uint64_t bytes, char buf[UNITS_LEN]);
char *units_format_time(uint64_t ms, char buf[UNITS_LEN]);

/* For people: at most four digits and a unit, rounded to nearest: "1.5G", "812K",
 * "0B".  Returns @buf. */
char *units_human_size(uint64_t bytes, char buf[UNITS_LEN]);

#endif

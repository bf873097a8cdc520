// SPDX-License-Identifier: GPL-2.0-or-later
/* A tracepoint's format file as hostile bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/tracefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct trace_field *f)
{
	if (f->size < 1 || f->size > 8 || f->off >= 4096)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct trace_format f = {0};

	memcpy(text, data, size);
	text[size] = '\0';
	if (tracefs_parse(text, &f) == 0) {
		if (!f.id)
			abort();
		check(&f.dev);
		check(&f.ino);
		check(&f.mode);
	}
	free(text);
	return 0;
}

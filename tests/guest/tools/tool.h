/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools of the guest tests share. */
#ifndef WB_GUEST_TOOL_H
#define WB_GUEST_TOOL_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUM_START 14695981039346656037u

/* Say what went wrong and why, and end. */
__attribute__((noreturn, format(printf, 1, 2))) static inline void
fail(const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (%s)\n", strerror(error));
	exit(1);
}

/* FNV-1a, to be started with SUM_START and continued with what it returned. */
static inline uint64_t sum(uint64_t h, const unsigned char *data, size_t size)
{
	while (size--)
		h = (h ^ *data++) * 1099511628211u;
	return h;
}

/* Bytes that depend on the seed and on the place, so that nothing can be mistaken. */
static inline void fill(unsigned char *data, size_t size, unsigned int *seed)
{
	unsigned int word = (unsigned int)rand_r(seed);

	for (size_t i = 0; i < size; i++)
		data[i] = (unsigned char)(word >> (i % 4 * 8)) ^ (unsigned char)(i >> 2);
}

/* One line of a manifest, which verify checks. */
static inline void print_manifest(const char *path, const unsigned char *data,
				  size_t size)
{
	printf("%s %zu %llu\n", path, size,
	       (unsigned long long)sum(SUM_START, data, size));
}

#endif

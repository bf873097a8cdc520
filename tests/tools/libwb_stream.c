/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a pattern through a stream: libwb_stream [OPTION...] FILE BYTES
 *   -c CHUNK  -w BYTES (per write)  -f FLAGS  -k (keep the file's data, do not truncate)
 * Prints "ok" or the name of the first error; and then what close said.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "include/wb/wb.h"

static const char *name(int r)
{
	return r == 0 ? "ok" : strerrorname_np(-r);
}

static int write_pattern(struct wb_stream *s, unsigned char *buf,
			 unsigned long long bytes, size_t len)
{
	int r = 0;

	for (unsigned long long at = 0; at < bytes && r == 0; at += len) {
		size_t n = bytes - at < len ? (size_t)(bytes - at) : len;

		for (size_t i = 0; i < n; i++)
			buf[i] = (unsigned char)((at + i) * 31 + ((at + i) >> 12));
		r = wb_stream_write(s, buf, n);
	}
	return r;
}

int main(int argc, char **argv)
{
	struct wb_stream_options o = {.size = sizeof(o)};
	unsigned long long bytes;
	size_t len = 100000;
	struct wb_stream *s;
	unsigned char *buf;
	int c, fd, r, trunc = O_TRUNC;

	while ((c = getopt(argc, argv, "c:w:f:k")) != -1)
		switch (c) {
		case 'c':
			o.chunk = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			len = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			o.flags = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'k':
			trunc = 0;
			break;
		default:
			return 2;
		}
	if (argc - optind != 2 || !len)
		return 2;
	bytes = strtoull(argv[optind + 1], NULL, 0);
	o.file_size = o.flags & WB_STREAM_PREALLOCATE ? bytes : 0;
	fd = open(argv[optind], O_WRONLY | O_CREAT | O_CLOEXEC | trunc, 0644);
	buf = malloc(len);
	if (fd < 0 || !buf) {
		perror(argv[optind]);
		return 2;
	}
	r = wb_stream_open(NULL, fd, &o, &s);
	if (r < 0) {
		printf("open %s\n", name(r));
	} else {
		r = write_pattern(s, buf, bytes, len);
		printf("write %s\n", name(r));
		r = wb_stream_close(s);
		printf("close %s\n", name(r));
	}
	free(buf);
	close(fd);
	return r < 0;
}

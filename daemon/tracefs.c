/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding and parsing the format files of our tracepoints. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "common/cleanup.h"
#include "common/read.h"
#include "daemon/tracefs.h"

#define DIRTY_INODE "events/writeback/writeback_dirty_inode_enqueue/format"
#define PAUSE       "events/writeback/balance_dirty_pages/format"

/* glibc 2.36 has these, older ones do not; the numbers are the same everywhere. */
static int detached_tracefs(void)
{
	CLEANUP(cleanup_closep)
	int fs = (int)syscall(SYS_fsopen, "tracefs", 1 /* CLOEXEC */);
	int fd;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0) < 0)
		return -errno;
	fd = (int)syscall(SYS_fsmount, fs, 1 /* CLOEXEC */, 0);
	return fd < 0 ? -errno : fd;
}

static int open_below(const char *dir, const char *file)
{
	CLEANUP(cleanup_closep) int d = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (d < 0)
		return -errno;
	fd = openat(d, file, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_format(const char *file)
{
	CLEANUP(cleanup_closep) int dir = -1;
	int fd;

	fd = open_below("/sys/kernel/tracing", file);
	if (fd >= 0 || fd == -EACCES)
		return fd;
	fd = open_below("/sys/kernel/debug/tracing", file);
	if (fd >= 0)
		return fd;
	dir = detached_tracefs();
	if (dir < 0)
		return dir;
	fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;"; @name with "[32]" for an array. */
static bool field_upto(const char *text, const char *name, unsigned max,
		       struct trace_field *ret)
{
	const char *line = text;
	char decl[64], last[64];

	while ((line = strstr(line, "field:"))) {
		unsigned off, size;
		char *space;

		if (sscanf(line, "field:%63[^;];%*1[\t ]offset:%u;%*1[\t ]size:%u;", decl,
			   &off, &size) == 3) {
			space = strrchr(decl, ' ');
			(void)snprintf(last, sizeof(last), "%s",
				       space ? space + 1 : decl);
			if (!strcmp(last, name) && off < 4096 && size >= 1 &&
			    size <= max) {
				*ret = (struct trace_field){(uint16_t)off,
							    (uint16_t)size};
				return true;
			}
		}
		line += 6;
	}
	return false;
}

static bool field(const char *text, const char *name, struct trace_field *ret)
{
	return field_upto(text, name, 8, ret);
}

int tracefs_parse(const char *text, struct trace_format *ret)
{
	const char *id = strstr(text, "\nID: ");
	struct trace_format f = {0};

	if (!id)
		return -EOPNOTSUPP;
	f.id = strtoull(id + 5, NULL, 10);
	if (!f.id || !field(text, "dev", &f.dev) || !field(text, "ino", &f.ino) ||
	    !field(text, "mode", &f.mode) || f.dev.size != 4)
		return -EOPNOTSUPP;
	if (!field(text, "common_pid", &f.pid) || f.pid.size != 4)
		f.pid.size = 0;
	*ret = f;
	return 0;
}

int tracefs_parse_pause(const char *text, struct trace_pause_format *ret)
{
	const char *id = strstr(text, "\nID: ");
	struct trace_pause_format f = {0};

	if (!id)
		return -EOPNOTSUPP;
	f.id = strtoull(id + 5, NULL, 10);
	if (!f.id || !field_upto(text, "bdi[32]", 32, &f.bdi) || f.bdi.size != 32 ||
	    !field(text, "pause", &f.pause) || f.pause.size != sizeof(long))
		return -EOPNOTSUPP;
	*ret = f;
	return 0;
}

static int read_format(const char *file, char *text, size_t len)
{
	CLEANUP(cleanup_closep) int fd = open_format(file);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read_to_end(fd, text, len);
	return n < 0 ? (int)n : 0;
}

int tracefs_dirty_inode(struct trace_format *ret)
{
	char text[8192];
	int r = read_format(DIRTY_INODE, text, sizeof(text));

	return r < 0 ? r : tracefs_parse(text, ret);
}

int tracefs_pause(struct trace_pause_format *ret)
{
	char text[8192];
	int r = read_format(PAUSE, text, sizeof(text));

	return r < 0 ? r : tracefs_parse_pause(text, ret);
}

int tracefs_open_event(const struct trace_format *f, int cpu, unsigned watermark)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = f->id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.disabled = 1,
		.watermark = watermark != 0,
	};
	long fd;

	if (watermark)
		attr.wakeup_watermark = watermark;
	else
		attr.wakeup_events = 1;
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

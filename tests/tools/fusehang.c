/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A FUSE file system with one file, "f", on which nothing that process PID closes is
 * ever done being closed: fusehang DIR PID mounts it and prints "ready".  It is without
 * libfuse.  When it is killed, what hangs comes to its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_ID 2

static void reply(int fuse, const struct fuse_in_header *in, int error, const void *data,
		  size_t len)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + len),
		.error = error,
		.unique = in->unique,
	};
	struct iovec v[2] = {{&out, sizeof(out)}, {(void *)(uintptr_t)data, len}};

	/* A request that was given up meanwhile is none of ours any more. */
	if (writev(fuse, v, 2) < 0 && errno != ENOENT)
		perror("fusehang: reply");
}

static struct fuse_attr attr_of(uint64_t id)
{
	return (struct fuse_attr){
		.ino = id,
		.mode = id == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0666,
		.nlink = 1,
		.blksize = 4096,
	};
}

static void reply_init(int fuse, const struct fuse_in_header *in)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = 4096,
	};

	reply(fuse, in, 0, &out, sizeof(out));
}

static void reply_lookup(int fuse, const struct fuse_in_header *in, const char *name)
{
	const struct fuse_entry_out out = {
		.nodeid = FILE_ID,
		.entry_valid = 3600,
		.attr_valid = 3600,
		.attr = attr_of(FILE_ID),
	};

	if (strcmp(name, "f") == 0)
		reply(fuse, in, 0, &out, sizeof(out));
	else
		reply(fuse, in, -ENOENT, NULL, 0);
}

static void reply_attr(int fuse, const struct fuse_in_header *in)
{
	const struct fuse_attr_out out = {
		.attr_valid = 3600,
		.attr = attr_of(in->nodeid),
	};

	reply(fuse, in, 0, &out, sizeof(out));
}

/* The request names a thread. */
static bool is_of(const char *pid, uint32_t thread)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/task/%u", pid, thread);
	return access(path, F_OK) == 0;
}

static void serve(int fuse, const struct fuse_in_header *in, const char *pid)
{
	const struct fuse_open_out opened = {.fh = 1};

	switch (in->opcode) {
	case FUSE_INIT:
		reply_init(fuse, in);
		break;
	case FUSE_LOOKUP:
		reply_lookup(fuse, in, (const char *)(in + 1));
		break;
	case FUSE_GETATTR:
		reply_attr(fuse, in);
		break;
	case FUSE_OPEN:
		reply(fuse, in, 0, &opened, sizeof(opened));
		break;
	case FUSE_FLUSH:
		if (is_of(pid, in->pid)) {
			puts("hangs");
			fflush(stdout);
		} else {
			reply(fuse, in, 0, NULL, 0);
		}
		break;
	case FUSE_RELEASE:
		reply(fuse, in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break; /* they want no answer */
	default:
		reply(fuse, in, -ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static _Alignas(8) char buf[FUSE_MIN_READ_BUFFER + 4096];
	int fuse = argc == 3 ? open("/dev/fuse", O_RDWR | O_CLOEXEC) : -1;
	char options[128];
	ssize_t n;

	if (argc != 3) {
		fputs("usage: fusehang DIR PID\n", stderr);
		return 2;
	}
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	if (fuse < 0 ||
	    mount("wb-hang", argv[1], "fuse", MS_NOSUID | MS_NODEV, options)) {
		perror("fusehang: mount");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while ((n = read(fuse, buf, sizeof(buf))) >= 0 || errno == EINTR ||
	       errno == ENOENT)
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve(fuse, (const struct fuse_in_header *)buf, argv[2]);
	return errno == ENODEV ? 0 : 1; /* unmounted */
}

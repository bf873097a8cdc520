/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command under a seccomp filter that makes chosen system calls fail, so that
 * it meets an older kernel or a container for real:
 *
 *   deny cachestat=ENOSYS io_uring_setup=EPERM -- wbd ...
 *   deny 'fanotify_mark:arg1&0x200=EINVAL' -- wbd ...	(no evictable marks)
 *
 * A condition looks at the low 32 bits of one argument, counted from 0.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"

#ifndef SYS_cachestat
#define SYS_cachestat 451 /* new calls have one number everywhere */
#endif

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE_ARCH AUDIT_ARCH_RISCV64
#else
#error "deny: name this architecture's AUDIT_ARCH_ constant"
#endif

#define MAX_RULES 32
#define PER_RULE  5

static const struct name {
	const char *name;
	int nr;
} calls[] = {
	{"cachestat", SYS_cachestat},
	{"fanotify_init", SYS_fanotify_init},
	{"fanotify_mark", SYS_fanotify_mark},
	{"fsync", SYS_fsync},
	{"io_uring_enter", SYS_io_uring_enter},
	{"io_uring_register", SYS_io_uring_register},
	{"io_uring_setup", SYS_io_uring_setup},
	{"ioctl", SYS_ioctl},
	{"name_to_handle_at", SYS_name_to_handle_at},
	{"open_by_handle_at", SYS_open_by_handle_at},
	{"perf_event_open", SYS_perf_event_open},
	{"sched_setaffinity", SYS_sched_setaffinity},
	{"statx", SYS_statx},
	{"sync_file_range", SYS_sync_file_range},
	{"syncfs", SYS_syncfs},
};

static const struct name errors[] = {
	{"EACCES", EACCES}, {"EBADF", EBADF},         {"EINVAL", EINVAL},
	{"EIO", EIO},       {"EMFILE", EMFILE},       {"ENOMEM", ENOMEM},
	{"ENOSPC", ENOSPC}, {"ENOSYS", ENOSYS},       {"EOPNOTSUPP", EOPNOTSUPP},
	{"EPERM", EPERM},   {"EOVERFLOW", EOVERFLOW},
};

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "deny: %s: %s\n", what, why);
	exit(126);
}

static int find(const struct name *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return v[i].nr;
	die(name, "unknown name");
}

/* Appends the instructions of one rule, "CALL[:argN&MASK]=ERRNO"; returns how many. */
static unsigned add_rule(struct sock_filter *f, char *rule)
{
	char *err = strchr(rule, '='), *cond = strchr(rule, ':'), *end;
	unsigned n = 0, arg = 0;
	unsigned long mask = 0;
	int nr, e;

	if (!err)
		die(rule, "not CALL[:argN&MASK]=ERRNO");
	*err++ = '\0';
	if (cond) {
		*cond++ = '\0';
		if (strncmp(cond, "arg", 3) || cond[3] < '0' || cond[3] > '5' ||
		    cond[4] != '&')
			die(cond, "not argN&MASK");
		arg = (unsigned)(cond[3] - '0');
		mask = strtoul(cond + 5, &end, 0);
		if (end == cond + 5 || *end || mask > UINT32_MAX)
			die(cond, "bad mask");
	}
	nr = find(calls, ARRAY_SIZE(calls), rule);
	e = find(errors, ARRAY_SIZE(errors), err);

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, nr));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0,
					      cond ? 3 : 1);
	if (cond) {
		f[n++] = (struct sock_filter)BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS,
			(uint32_t)(offsetof(struct seccomp_data, args) + 8 * arg));
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
						      (uint32_t)mask, 0, 1);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					      SECCOMP_RET_ERRNO | (uint32_t)e);
	return n;
}

int main(int argc, char **argv)
{
	static struct sock_filter f[MAX_RULES * PER_RULE + 4];
	struct sock_fprog prog = {.filter = f};
	unsigned n = 0;
	int i;

	/* Calls of a foreign architecture have other numbers: let them through. */
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, arch));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1,
					      0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (i > MAX_RULES)
			die(argv[i], "too many rules");
		n += add_rule(f + n, argv[i]);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prog.len = (unsigned short)n;
	if (i + 1 >= argc)
		die("usage", "deny CALL[:argN&MASK]=ERRNO... -- COMMAND...");

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0))
		die("seccomp", strerror(errno));
	execvp(argv[i + 1], argv + i + 1);
	die(argv[i + 1], strerror(errno));
}

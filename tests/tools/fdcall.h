/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools share that call the daemon with descriptors. */
#ifndef WB_TEST_FDCALL_H
#define WB_TEST_FDCALL_H

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define FDS 253 /* the most that one message can have */

/* -1 and errno. */
static inline int fdcall_dial(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(sa.sun_path))
		return -1;
	strcpy(sa.sun_path, path);
	return connect(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 ? -1 : fd;
}

/* As sendmsg(): @len bytes with @n descriptors. */
static inline ssize_t fdcall_send(int sock, const char *text, size_t len, const int *fds,
				  size_t n, int flags)
{
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(FDS * sizeof(int))];
	} u = {0};
	struct iovec v = {(void *)(uintptr_t)text, len};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	if (n) {
		m.msg_control = &u;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		u.h.cmsg_len = CMSG_LEN(n * sizeof(int));
		u.h.cmsg_level = SOL_SOCKET;
		u.h.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&u.h), fds, n * sizeof(int));
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL | flags);
}

#endif

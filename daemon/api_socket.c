// SPDX-License-Identifier: GPL-2.0-or-later
/* The API's socket in the file system: made, replaced when stale, removed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "daemon/api_int.h"
#include "daemon/log.h"

struct api_socket {
	char *path;
	dev_t dev;
	ino_t ino;
};

static bool somebody_listens(const struct sockaddr_un *sa)
{
	CLEANUP(cleanup_closep)
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return false;
	return connect(fd, (const struct sockaddr *)sa, sizeof(*sa)) == 0 ||
	       errno == EAGAIN;
}

/* What is at the path: nothing, a socket nobody listens at (removed), or trouble. */
static int clear_path(const struct sockaddr_un *sa)
{
	struct stat st;

	if (lstat(sa->sun_path, &st) < 0) {
		if (errno == ENOENT)
			return 0;
		log_err("Cannot look at %s: %s; the API needs this path for its socket.",
			sa->sun_path, strerror(errno));
		return -errno;
	}
	if (!S_ISSOCK(st.st_mode)) {
		log_err("%s is not a socket and is not replaced: remove it, or choose "
			"another path with --socket.",
			sa->sun_path);
		return -EEXIST;
	}
	if (somebody_listens(sa)) {
		log_err("Another program listens at %s: stop it, or choose another path "
			"with --socket.",
			sa->sun_path);
		return -EADDRINUSE;
	}
	if (unlink(sa->sun_path) < 0 && errno != ENOENT) {
		log_err("Cannot remove the stale socket %s: %s.", sa->sun_path,
			strerror(errno));
		return -errno;
	}
	return 0;
}

/* The directory above @path, one level, as --runtime-dir names it. */
static int make_parent(const char *path)
{
	CLEANUP(cleanup_freep) char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (!dir)
		return -ENOMEM;
	if (!slash || slash == dir)
		return 0;
	*slash = '\0';
	if (mkdir(dir, 0755) == 0 || errno == EEXIST)
		return 0;
	log_err("Cannot make the directory %s for the API's socket: %s; make it, or "
		"choose "
		"another one with --runtime-dir.",
		dir, strerror(errno));
	return -errno;
}

static int bind_listen(int fd, const struct sockaddr_un *sa, struct stat *ret_st)
{
	if (bind(fd, (const struct sockaddr *)sa, sizeof(*sa)) < 0)
		return -errno;
	/* Everybody may read; who may change is decided per call. */
	if (chmod(sa->sun_path, 0666) < 0 || lstat(sa->sun_path, ret_st) < 0 ||
	    listen(fd, SOMAXCONN) < 0) {
		int r = -errno;

		(void)unlink(sa->sun_path);
		return r;
	}
	return 0;
}

int api_socket_bind(const char *path, struct api_socket **ret, int *ret_fd)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	CLEANUP(cleanup_closep) int fd = -1;
	struct api_socket *s;
	struct stat st = {0};
	int r;

	if (strlen(path) >= sizeof(sa.sun_path)) {
		log_err("The socket's path %s is longer than the %zu bytes the kernel "
			"allows: choose another one with --socket.",
			path, sizeof(sa.sun_path) - 1);
		return -ENAMETOOLONG;
	}
	strcpy(sa.sun_path, path);
	r = make_parent(path);
	if (r < 0)
		return r;
	r = clear_path(&sa);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r = fd < 0 ? -errno : bind_listen(fd, &sa, &st);
	if (r < 0) {
		log_err("Cannot listen at %s: %s.", path, strerror(-r));
		return r;
	}
	s = calloc(1, sizeof(*s));
	if (!s || !(s->path = strdup(path))) {
		free(s);
		(void)unlink(path);
		return -ENOMEM;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	*ret = s;
	*ret_fd = take_fd(&fd);
	return 0;
}

struct api_socket *api_socket_free(struct api_socket *s)
{
	struct stat st;

	if (!s)
		return NULL;
	if (lstat(s->path, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino)
		(void)unlink(s->path);
	free(s->path);
	free(s);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client's bytes through the real server of io.writeback, in pieces of hostile sizes,
 * some with a descriptor.  The engine is one that knows two file systems, on one of which
 * the descriptors' files are.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/unit/fake_engine.h"
#include "daemon/api_hint.h"
#include "daemon/api_int.h"
#include "daemon/vl_conn.h"
#include "tests/tools/fdcall.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct world {
	struct wbd w;
	struct api api;
};

/* A file that nobody else sees, in the directory we run in. */
static int new_file(void)
{
	return open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static void manage_its_fs(void)
{
	CLEANUP(cleanup_closep) int fd = new_file();
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		abort(); /* run it where O_TMPFILE works */
	fake.table->v[0]->dev = st.st_dev;
}

static struct world *world_get(void)
{
	static struct world *w;
	int listener;

	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	w->w.loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	if (!w->w.loop || conf_default(&w->w.conf) < 0)
		abort();
	fake_setup(&w->w);
	manage_its_fs();
	w->api.w = &w->w;
	if (api_hints_new(&w->api, &w->api.hints) < 0)
		abort();
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (vl_server_new(w->w.loop, listener, API_INTERFACE, &api_server_ops, &w->api,
			  &w->api.server) < 0)
		abort();
	/* Not listening: connections are put in by hand. */
	ev_io_stop(w->w.loop, &w->api.server->accept);
	return w;
}

/* Takes what the server says, as a client does; sometimes it does not. */
static void swallow(int fd)
{
	char buf[65536];

	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
}

/* A piece that starts with a blank and a brace brings a file, one with a tab
 * and a brace a socket. */
static ssize_t send_piece(int fd, const uint8_t *data, size_t n)
{
	CLEANUP(cleanup_closep) int brought = -1;

	if (n > 1 && !memcmp(data, " {", 2))
		brought = new_file();
	else if (n > 1 && !memcmp(data, "\t{", 2))
		brought = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fdcall_send(fd, (const char *)data, n, &brought, brought >= 0,
			   MSG_DONTWAIT);
}

static void talk(struct world *w, int fd, const uint8_t *data, size_t size)
{
	while (size) {
		/* The first byte of each piece says how long it is. */
		size_t n = (size_t)*data % 61 + 1;

		if (n > size)
			n = size;
		if (send_piece(fd, data, n) < 0)
			break;
		ev_run(w->w.loop, EVRUN_NOWAIT);
		if (n & 1)
			swallow(fd);
		data += n;
		size -= n;
	}
	/* What is deferred by now is told things. */
	for (int i = 0; i < 2 && fake.drain && fake.drain->progress; i++) {
		struct drain_progress p = {.bytes_done = 1, .finished = i == 1};

		fake.drain->progress(&p, fake.drain->arg);
	}
	if (fake.event) {
		struct engine_event ev = {.kind = ENGINE_FLUSH, .ino = 1};

		fake.event(&ev, fake.event_arg);
	}
	ev_run(w->w.loop, EVRUN_NOWAIT);
	/* Threads look at the files. */
	while (w->api.hints->waiting)
		ev_run(w->w.loop, EVRUN_ONCE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = world_get();
	unsigned started = fake.drains_started - fake.drains_freed;
	/* Nobody in particular, so that Reload is refused. */
	const struct ucred nobody = {.uid = 65534, .gid = 65534};
	int p[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) < 0)
		abort();
	(void)fcntl(p[0], F_SETFL, O_NONBLOCK);
	if (vl_conn_new(w->api.server, p[0], &nobody) < 0)
		abort();
	talk(w, p[1], data, size);
	close(p[1]);
	ev_run(w->w.loop, EVRUN_NOWAIT);
	while (w->api.server->conns)
		vl_conn_free(w->api.server->conns);
	/* Nothing outlives its connection. */
	if (w->api.drains || w->api.monitors || fake.event ||
	    fake.drains_started - fake.drains_freed != started)
		abort();
	return 0;
}

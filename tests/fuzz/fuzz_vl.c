// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client's bytes through the real server and the real dispatch of io.writeback,
 * in pieces of hostile sizes.  The engine is one that knows two file systems.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/unit/fake_engine.h"
#include "daemon/api_int.h"
#include "daemon/vl_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned connections(void *arg)
{
	(void)arg;
	return 4;
}

static void on_call(struct vl_call *call, void *arg)
{
	api_dispatch(arg, call);
}

static const struct vl_server_ops ops = {
	.connections = connections,
	.call = on_call,
};

struct world {
	struct wbd w;
	struct api api;
};

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
	w->api.w = &w->w;
	if (api_hints_new(&w->api, &w->api.hints) < 0)
		abort();
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (vl_server_new(w->w.loop, listener, API_INTERFACE, &ops, &w->api,
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

static void talk(struct world *w, int fd, const uint8_t *data, size_t size)
{
	while (size) {
		/* The first byte of each piece says how long it is. */
		size_t n = (size_t)*data % 61 + 1;

		if (n > size)
			n = size;
		if (send(fd, data, n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
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

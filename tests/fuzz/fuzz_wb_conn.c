// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A daemon's bytes through libwb's connection and handle: replies that were asked for,
 * others, none, in pieces, and then the end.  Every call ends at once and as it may.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libwb/int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wb *handle(void)
{
	static struct wb *wb;

	if (wb)
		return wb;
	/* Nobody listens there: a connection that is lost does not come again. */
	setenv("WB_SOCKET", "/nowhere/io.writeback", 1);
	if (wb_open(&wb) < 0)
		abort();
	return wb;
}

static int connect_by_hand(struct wb *wb)
{
	struct stat st;
	int p[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) < 0 ||
	    fstat(p[0], &st) < 0)
		abort();
	wbi_conn_init(&wb->conn);
	wb->conn.fd = p[0];
	wb->conn.dev = st.st_dev;
	wb->conn.ino = st.st_ino;
	wb->unanswered = 0;
	wb->doubt = false;
	return p[1];
}

static void call(struct wb *wb, enum wbi_answer answer)
{
	struct wbi_reply reply;
	int r = wbi_call(wb, "{\"method\":\"t\"}", -1, answer, &reply);

	if (r == 0 && answer == ANSWER_NOW && wb->conn.owed)
		abort();
	if (r != 0 && r != -ENOTCONN && r != -ETIMEDOUT)
		abort();
	/* After a loss nothing of it is left. */
	if (r == -ENOTCONN && (wb->conn.fd >= 0 || wb->conn.have || wb->conn.owed))
		abort();
	if (wb->conn.have > sizeof(wb->conn.in))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wb *wb = handle();
	int peer = connect_by_hand(wb);
	unsigned before = size ? data[0] % 4 : 0;
	size_t half = size > 1 ? data[1] * (size - 2) / 255 : 0;

	if (size > 1) {
		data += 2;
		size -= 2;
	} else {
		size = 0;
	}
	for (unsigned i = 0; i < before; i++)
		call(wb, i & 1 ? ANSWER_NONE : ANSWER_LATER);
	(void)send(peer, data, half, MSG_DONTWAIT | MSG_NOSIGNAL);
	call(wb, ANSWER_LATER);
	(void)send(peer, data + half, size - half, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(peer, SHUT_WR);
	if (wb->conn.fd >= 0)
		call(wb, ANSWER_NOW);
	close(peer);
	if (wb->conn.fd >= 0)
		call(wb, ANSWER_NOW);
	wbi_conn_close(&wb->conn, true);
	return 0;
}

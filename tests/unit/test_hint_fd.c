// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descriptors from clients: in the protocol (one per message, only where a method
 * takes it, none leaked), and what is found of one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/vl_harness.h"
#include "daemon/hint_fd.h"
#include "daemon/hint_file.h"
#include "daemon/vl_conn.h"

struct fixture {
	struct ev_loop *loop;
	struct sockaddr_un sa;
	socklen_t len;
	struct vl_server *server;
	struct client c;
	struct vl_call *held;
	unsigned dropped, calls, rooms;
	int got;
	bool full;
	uint64_t closed;
};

static unsigned connections(void *arg)
{
	(void)arg;
	return 10;
}

static bool takes_fd(const char *method, void *arg)
{
	(void)arg;
	return method[strlen(method) - 1] == 'd';
}

static void drop_fd(uid_t uid, int fd, void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(uid, getuid());
	f->dropped++;
	close(fd);
}

static bool room_fd(uid_t uid, void *arg)
{
	(void)uid;
	return !((struct fixture *)arg)->full;
}

static void on_closed(uint64_t id, void *arg)
{
	((struct fixture *)arg)->closed = id;
}

static void on_gone(void *arg)
{
	((struct fixture *)arg)->held = NULL;
}

/* t.d takes the descriptor and tells its inode, t.held waits with it, t.leave does
 * nothing with it. */
static void on_call(struct vl_call *call, void *arg)
{
	struct fixture *f = arg;
	struct stat st = {0};
	int fd;

	f->calls++;
	if (!strcmp(vl_call_method(call), "t.held")) {
		f->held = call;
		vl_call_defer(call, on_gone, f);
		return;
	}
	if (!strcmp(vl_call_method(call), "t.leaved")) {
		vl_call_reply(call, json_object());
		return;
	}
	fd = vl_call_take_fd(call);
	f->got = fd;
	if (fd >= 0)
		assert_int_equal(fstat(fd, &st), 0);
	if (fd >= 0)
		close(fd);
	vl_call_reply(call, json_pack("{sI}", "ino", (json_int_t)st.st_ino));
}

static void on_room(void *arg)
{
	((struct fixture *)arg)->rooms++;
}

static const struct vl_server_ops ops = {
	.connections = connections,
	.call = on_call,
	.takes_fd = takes_fd,
	.drop_fd = drop_fd,
	.room_fd = room_fd,
	.closed = on_closed,
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd = harness_listen(&f->sa, &f->len);

	f->loop = ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	assert_int_equal(vl_server_new(f->loop, fd, "t", &ops, f, &f->server), 0);
	f->c = dial(&f->sa, f->len);
	/* Accepted now, and not when a number that is looked for has become free. */
	ev_run(f->loop, EVRUN_NOWAIT);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	vl_server_free(f->server);
	if (f->c.fd >= 0)
		hang_up(&f->c);
	ev_loop_destroy(f->loop);
	free(f);
	return 0;
}

static unsigned open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void send_fds(struct client *c, const void *data, size_t len, const int *fds,
		     unsigned n)
{
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(253 * sizeof(int))];
	} u = {0};
	struct iovec v = {(void *)(uintptr_t)data, len};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u};

	m.msg_controllen = CMSG_SPACE(n * sizeof(int));
	u.h.cmsg_len = CMSG_LEN(n * sizeof(int));
	u.h.cmsg_level = SOL_SOCKET;
	u.h.cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(&u.h), fds, n * sizeof(int));
	assert_int_equal(sendmsg(c->fd, &m, MSG_NOSIGNAL), (ssize_t)len);
}

static void say_fd(struct client *c, const char *text, int fd)
{
	send_fds(c, text, strlen(text) + 1, &fd, 1);
}

static uint64_t hear_ino(struct fixture *f)
{
	json_t *j = hear(f->loop, &f->c);
	json_t *p = json_object_get(j, "parameters");
	uint64_t ino = (uint64_t)json_integer_value(json_object_get(p, "ino"));

	json_decref(j);
	return ino;
}

static uint64_t ino_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

static void comes_with_its_call(void **state)
{
	struct fixture *f = *state;
	int p[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	say_fd(&f->c, "{\"method\":\"t.d\"}", p[0]);
	assert_int_equal(hear_ino(f), ino_of(p[0]));
	assert_true(say(f->loop, &f->c, "{\"method\":\"t.d\"}"));
	assert_int_equal(hear_ino(f), 0);
	assert_int_equal(f->got, -1);
	assert_int_equal(f->dropped, 0);
	close(p[0]);
	close(p[1]);
}

/* Behind a call that waits: each keeps its own. */
static void pipelined(void **state)
{
	struct fixture *f = *state;
	int fd[20];
	char name[32];

	say_fd(&f->c, "{\"method\":\"t.held\"}", 0);
	while (!f->held)
		turn(f->loop);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "/tmp/wb-fd.XXXXXX");
		fd[i] = mkostemp(name, O_CLOEXEC);
		unlink(name);
		say_fd(&f->c, "{\"method\":\"t.d\"}", fd[i]);
		for (unsigned k = 0; k < 3; k++)
			turn(f->loop);
	}
	vl_call_reply(f->held, json_object());
	assert_int_equal(hear_ino(f), 0);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(hear_ino(f), ino_of(fd[i]));
		close(fd[i]);
	}
	assert_int_equal(f->dropped, 1); /* the held one's */
}

static void in_two_parts(void **state)
{
	struct fixture *f = *state;
	static const char text[] = "{\"method\":\"t.d\"}";
	int fd = 0;

	send_fds(&f->c, text, 5, &fd, 1);
	for (unsigned k = 0; k < 5; k++)
		turn(f->loop);
	assert_true(say_bytes(f->loop, &f->c, text + 5, sizeof(text) - 5));
	assert_int_equal(hear_ino(f), ino_of(0));
}

static void where_none_is_taken(void **state)
{
	struct fixture *f = *state;

	say_fd(&f->c, "{\"method\":\"t.none\"}", 0);
	expect_error(f->loop, &f->c, "t.BadDescriptor");
	assert_int_equal(f->dropped, 1);
	assert_int_equal(f->calls, 0);
	/* The connection goes on. */
	assert_true(say(f->loop, &f->c, "{\"method\":\"t.d\"}"));
	assert_int_equal(hear_ino(f), 0);
}

static void more_than_one(void **state)
{
	struct fixture *f = *state;
	static const char text[] = "{\"method\":\"t.d\"}";
	int fds[253] = {0};

	send_fds(&f->c, text, sizeof(text), fds, 2);
	expect_error(f->loop, &f->c, "t.BadDescriptor");
	assert_int_equal(f->dropped, 2);
	send_fds(&f->c, text, sizeof(text), fds, 253);
	expect_error(f->loop, &f->c, "t.BadDescriptor");
	assert_int_equal(f->dropped, 255);
	/* One with each half of a message. */
	send_fds(&f->c, text, 5, fds, 1);
	for (unsigned k = 0; k < 5; k++)
		turn(f->loop);
	send_fds(&f->c, text + 5, sizeof(text) - 5, fds, 1);
	expect_error(f->loop, &f->c, "t.BadDescriptor");
	assert_int_equal(f->dropped, 257);
	assert_int_equal(f->calls, 0);
}

static void none_is_leaked(void **state)
{
	struct fixture *f = *state;
	unsigned before;

	/* The loop and the connection have what they need. */
	assert_true(say(f->loop, &f->c, "{\"method\":\"t.d\"}"));
	assert_int_equal(hear_ino(f), 0);
	before = open_fds();
	say_fd(&f->c, "{\"method\":\"t.leaved\"}", 0); /* the handler leaves it */
	json_decref(hear(f->loop, &f->c));
	assert_int_equal(f->dropped, 1);
	say_fd(&f->c, "not json", 0);
	expect_error(f->loop, &f->c, "t.ProtocolError");
	expect_closed(f->loop, &f->c);
	assert_int_equal(f->dropped, 2);
	hang_up(&f->c);
	assert_int_equal(open_fds(), before - 2); /* the two ends of the connection */
	/* Hung up in the middle, with one waiting and one unread. */
	f->c = dial(&f->sa, f->len);
	say_fd(&f->c, "{\"method\":\"t.held\"}", 0);
	while (!f->held)
		turn(f->loop);
	say_fd(&f->c, "{\"meth", 0);
	hang_up(&f->c);
	while (f->held)
		turn(f->loop);
	turn(f->loop);
	assert_int_equal(open_fds(), before - 2);
	assert_int_equal(f->closed, 2);
}

/* Where there is no room nothing is read, and nothing is lost. */
static void no_room(void **state)
{
	struct fixture *f = *state;

	f->full = true;
	say_fd(&f->c, "{\"method\":\"t.d\"}", 0);
	for (unsigned k = 0; k < 5; k++)
		turn(f->loop);
	assert_int_equal(f->calls, 0);
	vl_server_resume(f->server); /* but there still is none */
	for (unsigned k = 0; k < 5; k++)
		turn(f->loop);
	assert_int_equal(f->calls, 0);
	f->full = false;
	vl_server_resume(f->server);
	assert_int_equal(hear_ino(f), ino_of(0));
	assert_int_equal(f->dropped, 0);
}

/* Nobody is let in where not even root has room. */
static void no_room_to_accept(void **state)
{
	struct fixture *f = *state;
	struct client c;

	f->full = true;
	c = dial(&f->sa, f->len);
	for (unsigned k = 0; k < 5; k++)
		turn(f->loop);
	assert_int_equal(vl_server_connections(f->server), 1);
	f->full = false;
	vl_server_resume(f->server);
	for (unsigned k = 0; k < 5; k++)
		turn(f->loop);
	assert_int_equal(vl_server_connections(f->server), 2);
	hang_up(&c);
}

/* ---- what is found ------------------------------------------------------------ */

struct answer {
	struct hint_look l;
	bool done;
	struct answer *self;
};

static void on_looked(struct hint_look *l)
{
	((struct answer *)l)->done = true;
}

static int look(struct fixture *f, struct hint_fds *h, int fd, struct hint_file *ret)
{
	struct answer a = {.l.done = on_looked};
	double end = test_now() + PUMP_S;

	assert_true(fd >= 0);
	assert_int_equal(hint_fds_look(h, fd, &a.l), 0);
	while (!a.done && test_now() < end)
		ev_run(f->loop, EVRUN_ONCE);
	assert_true(a.done);
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* it is closed */
	*ret = a.l.file;
	return a.l.error;
}

static void looks(void **state)
{
	struct fixture *f = *state;
	char name[] = "/tmp/wb-fd.XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC), p[2];
	struct hint_managed managed = {0};
	struct hint_file file;
	struct hint_fds *h;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	managed.dev = st.st_dev;
	assert_int_equal(hint_fds_new(f->loop, on_room, f, &h), 0);
	/* Nothing is managed yet. */
	assert_int_equal(look(f, h, fd, &file), -EXDEV);
	assert_int_equal(hint_fds_set_managed(h, &managed, 1), 0);
	assert_int_equal(look(f, h, open(name, O_WRONLY), &file), 0);
	assert_int_equal(file.dev, st.st_dev);
	assert_int_equal(file.ino, st.st_ino);
	assert_true(file.writable);
	assert_int_equal(look(f, h, open(name, O_RDONLY), &file), 0);
	assert_false(file.writable);
	assert_int_equal(look(f, h, open(name, O_PATH), &file), -EBADF);
	assert_int_equal(look(f, h, open("/tmp", O_RDONLY), &file), -EISDIR);
	assert_int_equal(look(f, h, open("/proc/self/status", O_RDONLY), &file), -EXDEV);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(look(f, h, p[1], &file), -EXDEV);
	close(p[0]);
	unlink(name);
	/* Closing comes to its end too. */
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	hint_fds_close(h, 1000, fd);
	while (fcntl(fd, F_GETFD) >= 0)
		usleep(1000);
	assert_true(hint_fds_room(h, 1000));
	hint_fds_free(h);
}

static int glance(struct hint_fds *h, int fd, struct hint_file *ret)
{
	int r;

	assert_true(fd >= 0);
	r = hint_fds_glance(h, 1000, fd, ret);
	if (r < 0)
		close(fd);
	return r;
}

/* The loop itself takes only what cannot make it wait. */
static void at_a_glance(void **state)
{
	struct fixture *f = *state;
	char name[] = "/tmp/wb-fd.XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC), p[2];
	struct hint_managed managed = {.quick = false};
	struct hint_file file;
	struct hint_fds *h;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	managed.dev = st.st_dev;
	assert_int_equal(hint_fds_new(f->loop, on_room, f, &h), 0);
	assert_int_equal(hint_fds_set_managed(h, &managed, 1), 0);
	/* The mounts are not known yet; then they are, but this one may wait. */
	assert_int_equal(glance(h, open(name, O_WRONLY), &file), -EAGAIN);
	assert_int_equal(look(f, h, fd, &file), 0);
	assert_int_equal(glance(h, open(name, O_WRONLY), &file), -EAGAIN);
	managed.quick = true;
	assert_int_equal(hint_fds_set_managed(h, &managed, 1), 0);
	assert_int_equal(look(f, h, open(name, O_WRONLY), &file), 0);
	for (unsigned i = 0; i < 3 * HINT_FD_BATCH + 1; i++) {
		fd = open(name, O_WRONLY);
		assert_int_equal(glance(h, fd, &file), 0);
		assert_int_equal(file.dev, st.st_dev);
		assert_int_equal(file.ino, st.st_ino);
		assert_true(file.writable);
	}
	/* The last is closed too, by and by. */
	while (fcntl(fd, F_GETFD) >= 0) {
		ev_run(f->loop, EVRUN_NOWAIT);
		usleep(1000);
	}
	assert_int_equal(glance(h, open(name, O_RDONLY), &file), 0);
	assert_false(file.writable);
	assert_int_equal(glance(h, open(name, O_PATH), &file), -EAGAIN);
	assert_int_equal(glance(h, open("/tmp", O_RDONLY), &file), -EAGAIN);
	assert_int_equal(glance(h, open("/proc/self/status", O_RDONLY), &file), -EAGAIN);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	assert_int_equal(glance(h, p[1], &file), -EAGAIN);
	close(p[0]);
	unlink(name);
	hint_fds_free(h);
}

/* Looks are refused in time, and can be left behind. */
static void many_looks(void **state)
{
	struct fixture *f = *state;
	struct hint_look *l[HINT_FD_WAITING];
	struct hint_fds *h;
	unsigned taken = 0;

	assert_int_equal(hint_fds_new(f->loop, on_room, f, &h), 0);
	for (unsigned i = 0; i < HINT_FD_WAITING; i++) {
		l[i] = calloc(1, sizeof(*l[i]));
		l[i]->uid = 1000;
		l[i]->done = on_looked;
		if (hint_fds_look(h, open("/dev/null", O_RDONLY), l[i]) == 0)
			taken++;
		else
			free(l[i]);
	}
	assert_true(taken > 0);
	/* Freed at any time; what is left is nobody's. */
	hint_fds_free(h);
}

/* ---- descriptors whose close() hangs --------------------------------------------- */

/* Closing @ret_end waits until the other end, which is returned, is closed: the
 * connection lingers for data that nobody reads. */
static int lingering(int *ret_end)
{
	const struct linger on = {.l_onoff = 1, .l_linger = 600};
	struct sockaddr_in sa = {.sin_family = AF_INET};
	static char data[65536];
	socklen_t len = sizeof(sa);
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), other;

	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(l, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (struct sockaddr *)&sa, &len), 0);
	*ret_end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(*ret_end, (struct sockaddr *)&sa, sizeof(sa)), 0);
	other = accept4(l, NULL, NULL, SOCK_CLOEXEC);
	assert_true(other >= 0);
	close(l);
	assert_int_equal(setsockopt(*ret_end, SOL_SOCKET, SO_LINGER, &on, sizeof(on)), 0);
	while (send(*ret_end, data, sizeof(data), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
	return other;
}

/* @n to be closed of @uid, of which the first two hang; the other ends into @ends. */
static void flood(struct hint_fds *h, uid_t uid, unsigned n, int ends[2])
{
	for (unsigned i = 0; i < n; i++) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (i < 2) {
			close(fd);
			ends[i] = lingering(&fd);
		}
		assert_true(fd >= 0);
		hint_fds_close(h, uid, fd);
	}
}

static void wait_room(struct fixture *f, struct hint_fds *h, uid_t uid)
{
	double end = test_now() + PUMP_S;

	while (!hint_fds_room(h, uid) && test_now() < end)
		turn(f->loop);
	assert_true(hint_fds_room(h, uid));
}

/* Can he still be served?  /dev/null is on nothing that is managed. */
static void serves(struct fixture *f, struct hint_fds *h, uid_t uid)
{
	struct answer a = {.l = {.done = on_looked, .uid = uid}};
	double end = test_now() + PUMP_S;

	assert_int_equal(hint_fds_look(h, open("/dev/null", O_RDONLY), &a.l), 0);
	while (!a.done && test_now() < end)
		turn(f->loop);
	assert_true(a.done);
	assert_int_equal(a.l.error, -EXDEV);
}

static void one_user_hangs(void **state)
{
	struct fixture *f = *state;
	double end = test_now() + PUMP_S;
	struct hint_fds *h;
	int ends[2];

	assert_int_equal(hint_fds_new(f->loop, on_room, f, &h), 0);
	flood(h, 1000, HINT_FD_CLOSING_UID - 1, ends);
	assert_true(hint_fds_room(h, 1000));
	hint_fds_close(h, 1000, open("/dev/null", O_RDONLY));
	assert_false(hint_fds_room(h, 1000));
	/* That is his affair. */
	assert_true(hint_fds_room(h, 1001));
	serves(f, h, 1001);
	assert_true(hint_fds_room(h, 0));
	serves(f, h, 0);
	assert_false(hint_fds_room(h, 1000));
	f->rooms = 0;
	close(ends[0]);
	close(ends[1]);
	while (!f->rooms && test_now() < end)
		turn(f->loop);
	assert_true(f->rooms > 0); /* it was told, he need not ask */
	wait_room(f, h, 1000);
	hint_fds_free(h);
}

static void all_users_hang(void **state)
{
	struct fixture *f = *state;
	const unsigned share = HINT_FD_CLOSING / 8 * 7;
	const unsigned users = share / HINT_FD_CLOSING_UID;
	int ends[HINT_FD_CLOSING / HINT_FD_CLOSING_UID][2], root[2];
	struct rlimit l, old;
	struct hint_fds *h;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	l = (struct rlimit){old.rlim_max, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &l), 0);
	assert_int_equal(hint_fds_new(f->loop, on_room, f, &h), 0);
	for (unsigned i = 0; i < users; i++)
		flood(h, 1000 + i, HINT_FD_CLOSING_UID, ends[i]);
	assert_false(hint_fds_room(h, 999)); /* who has sent nothing */
	assert_true(hint_fds_room(h, 0));
	serves(f, h, 0); /* a thread is left for root */
	flood(h, 0, HINT_FD_CLOSING - share, root);
	assert_false(hint_fds_room(h, 0));
	close(root[0]);
	close(root[1]);
	wait_room(f, h, 0);
	assert_false(hint_fds_room(h, 999));
	for (unsigned i = 0; i < users; i++) {
		close(ends[i][0]);
		close(ends[i][1]);
	}
	wait_room(f, h, 999);
	for (unsigned i = 0; i < users; i++)
		wait_room(f, h, 1000 + i);
	hint_fds_free(h);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(comes_with_its_call),
		T(pipelined),
		T(in_two_parts),
		T(where_none_is_taken),
		T(more_than_one),
		T(none_is_leaked),
		T(no_room),
		T(no_room_to_accept),
		T(looks),
		T(at_a_glance),
		T(many_looks),
		T(one_user_hangs),
		T(all_users_hang),
	};

	return cmocka_run_group_tests_name("hint_fd", tests, NULL, NULL);
}

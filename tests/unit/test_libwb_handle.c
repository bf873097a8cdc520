// SPDX-License-Identifier: GPL-2.0-or-later
/* libwb's handle against a server that does everything a server should not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libwb/int.h"
#include "tests/unit/libwb_server.h"

#define REPLY                                                                          \
	"{\"parameters\":{\"effects\":[{\"name\":\"flush-stride\",\"in_force\":true,"  \
	"\"why\":\"\"}],\"engine\":\"user\",\"context\":1,\"group\":5,\"write_size\":" \
	"65536,\"file_size\":0}}"
#define PAGE ((unsigned long)sysconf(_SC_PAGESIZE))

struct fixture {
	struct server server;
	struct wb *wb;
	char path[64];
	int fd;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	server_start(&f->server);
	server_reply(&f->server, REPLY);
	strcpy(f->path, "wb-libwb-file.XXXXXX");
	f->fd = mkostemp(f->path, O_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(wb_open(&f->wb), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_null(wb_close(f->wb));
	server_remove(&f->server);
	close(f->fd);
	unlink(f->path);
	free(f);
	return 0;
}

/* A daemon that is absent is looked for again when the back-off is over. */
static void soon(struct wb *wb)
{
	atomic_store(&wb->retry_at_ms, 0);
}

static struct wb_info query(struct fixture *f)
{
	struct wb_info info = {.size = sizeof(info)};

	assert_int_equal(wb_query(f->wb, f->fd, &info), 0);
	return info;
}

/* The last hint as the server got it, waited for or not. */
static const char *told(struct fixture *f)
{
	(void)query(f);
	return f->server.hint;
}

#define HINT(params, rest) \
	"{\"method\":\"io.writeback.Hint\",\"parameters\":{" params "}" rest "}"

static void a_hint_is_told_with_its_descriptor(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char want[160];

	fstat(f->fd, &st);
	errno = ENOTTY;
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 65536), 0);
	/* It was waited for. */
	assert_string_equal(f->server.last, HINT("\"write_size\":65536", ""));
	assert_int_equal(f->server.descriptors, 1);
	assert_true(f->server.ino == st.st_ino);
	assert_int_equal(wb_set_keep(f->wb, 1), 0);
	assert_int_equal(wb_hint_file_size(f->wb, f->fd, 3), 0);
	assert_string_equal(told(f),
			    HINT("\"write_size\":65536,\"file_size\":3,\"keep\":true",
				 ",\"oneway\":true"));
	assert_int_equal(wb_hint_file_size(f->wb, f->fd, UINT64_MAX), 0);
	snprintf(want, sizeof(want),
		 HINT("\"write_size\":65536,\"file_size\":%lld,\"keep\":true",
		      ",\"oneway\":true"),
		 (long long)INT64_MAX);
	assert_string_equal(told(f), want);
	assert_int_equal(wb_hint_clear(f->wb, f->fd), 0);
	assert_string_equal(told(f),
			    "{\"method\":\"io.writeback.HintClear\",\"oneway\":true}");
	/* What was taken back does not come again. */
	assert_int_equal(wb_hint_file_size(f->wb, f->fd, 5), 0);
	assert_null(strstr(told(f), "write_size"));
	assert_int_equal(f->server.connections, 1);
	assert_int_equal(errno, ENOTTY);
}

static void sizes_are_made_whole_pages(void **state)
{
	static const uint64_t odd[] = {1, 3, 4095, 1ULL << 40, SIZE_MAX, UINT64_MAX};
	struct fixture *f = *state;
	char want[160];

	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 0), -EINVAL);
	assert_int_equal(wb_hint_file_size(f->wb, f->fd, 0), -EINVAL);
	assert_int_equal(f->server.messages, 0);
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		assert_int_equal(wb_hint_write_size(f->wb, f->fd, odd[i]), 0);
		snprintf(want, sizeof(want), HINT("\"write_size\":%lu", "%s"),
			 odd[i] < PAGE ? PAGE : (unsigned long)WB_WRITE_SIZE_MAX,
			 i ? ",\"oneway\":true" : "");
		assert_string_equal(told(f), want);
	}
}

static void units_of_allocation(void **state)
{
	const uint64_t kib = 1024, mib = 1024 * kib;

	(void)state;
	assert_int_equal(wbi_xfs_unit(64 * kib, 0, 4096), 64 * kib);
	assert_int_equal(wbi_xfs_unit(WB_WRITE_SIZE_MAX, 0, 4096), mib);
	assert_int_equal(wbi_xfs_unit(8 * mib, 64 * mib, 4096), 64 * mib);
	assert_int_equal(wbi_xfs_unit(0, INT64_MAX, 4096), 64 * mib);
	assert_int_equal(wbi_xfs_unit(0, 100000, 4096), 102400);
	assert_int_equal(wbi_xfs_unit(4096, 0, 4096), 0);
	assert_int_equal(wbi_xfs_unit(mib, 1, 4096), 0);
	assert_int_equal(wbi_xfs_unit(4096, 0, 64 * kib), 0);
}

static int hint_of(struct wb *wb, int fd)
{
	struct wb_info info = {.size = sizeof(info)};
	int r = wb_hint_write_size(wb, fd, 4096);

	assert_int_equal(wb_hint_file_size(wb, fd, 4096), r);
	assert_int_equal(wb_hint_clear(wb, fd), r);
	assert_int_equal(wb_query(wb, fd, &info), r);
	if (fd >= 0)
		close(fd);
	return r;
}

static void unfit_descriptors_are_refused_at_once(void **state)
{
	struct fixture *f = *state;
	int p[2], closed;

	assert_int_equal(hint_of(f->wb, -1), -EBADF);
	assert_int_equal(hint_of(f->wb, open(f->path, O_RDONLY)), -EBADF);
	assert_int_equal(hint_of(f->wb, open(f->path, O_PATH)), -EBADF);
	assert_int_equal(hint_of(f->wb, open(".", O_RDONLY | O_DIRECTORY)), -EBADF);
	assert_int_equal(hint_of(f->wb, open("/dev/null", O_RDWR)), -EOPNOTSUPP);
	assert_int_equal(hint_of(f->wb, memfd_create("t", 0)), -EOPNOTSUPP);
	assert_int_equal(pipe(p), 0);
	assert_int_equal(hint_of(f->wb, p[1]), -EOPNOTSUPP);
	close(p[0]);
	closed = dup(f->fd);
	close(closed);
	assert_int_equal(wb_hint_write_size(f->wb, closed, 4096), -EBADF);
	assert_int_equal(f->server.messages, 0);
	assert_int_equal(wb_hint_write_size(NULL, f->fd, 4096), -EINVAL);
	assert_int_equal(wb_query(f->wb, f->fd, NULL), -EINVAL);
}

static void the_daemons_refusals_have_numbers(void **state)
{
	struct fixture *f = *state;

	server_reply(&f->server, "{\"error\":\"io.writeback.NotManaged\",\"parameters\":"
				 "{\"mount\":\"/\",\"reason\":\"it is excluded\"}}");
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), -ENODEV);
	server_reply(&f->server,
		     "{\"error\":\"io.writeback.LimitReached\",\"parameters\":"
		     "{\"limit\":10}}");
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), -EDQUOT);
	server_reply(&f->server,
		     "{\"error\":\"io.writeback.BadDescriptor\",\"parameters\":"
		     "{\"reason\":\"no\"}}");
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), -EBADF);
	server_reply(&f->server, "{\"error\":\"org.varlink.service.MethodNotFound\"}");
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	assert_int_equal(f->server.connections, 1);
}

static void query_tells_what_is_in_force(void **state)
{
	struct fixture *f = *state;
	struct wb_info i = query(f);
	bool order = false;

	assert_int_equal(i.daemon, 1);
	assert_string_equal(i.engine, "user");
	assert_int_equal(i.context, 1);
	assert_int_equal(i.group, 5);
	assert_int_equal(i.write_size, 65536);
	assert_string_equal(i.effects[0].name, "flush-stride");
	assert_int_equal(i.effects[0].in_force, 1);
	for (unsigned e = 0; e < i.n_effects; e++)
		if (!strcmp(i.effects[e].name, "folio-order")) {
			order = true;
			assert_true(i.effects[e].in_force || i.effects[e].why[0]);
		}
	assert_true(order);

	server_reply(&f->server, "{\"error\":\"io.writeback.NotManaged\",\"parameters\":"
				 "{\"mount\":\"/\",\"reason\":\"it is excluded\"}}");
	i = query(f);
	assert_int_equal(i.daemon, 1);
	assert_string_equal(i.engine, "none");
	assert_string_equal(i.why, "it is excluded");
}

/* A program that was made for an older or a newer library. */
static void query_keeps_to_the_callers_size(void **state)
{
	struct fixture *f = *state;
	struct {
		struct wb_info info;
		char beyond[64];
	} big;
	struct wb_info small;

	memset(&small, 0x5a, sizeof(small));
	small.size = offsetof(struct wb_info, effects) + sizeof(struct wb_effect);
	assert_int_equal(wb_query(f->wb, f->fd, &small), 0);
	assert_string_equal(small.effects[0].name, "flush-stride");
	assert_int_equal(((char *)&small.effects[1])[0], 0x5a);
	memset(&big, 0x5a, sizeof(big));
	big.info.size = sizeof(big);
	assert_int_equal(wb_query(f->wb, f->fd, &big.info), 0);
	assert_int_equal(big.info.size, sizeof(struct wb_info));
	assert_int_equal(big.beyond[0], 0x5a);
	small.size = 8;
	assert_int_equal(wb_query(f->wb, f->fd, &small), -EINVAL);
}

static void without_a_daemon_nothing_fails(void **state)
{
	struct fixture *f = *state;
	struct wb_info i;

	server_kill(&f->server);
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	assert_true(atomic_load(&f->wb->retry_at_ms) > 0);
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	assert_int_equal(wb_hint_file_size(f->wb, f->fd, 4096), 0);
	assert_int_equal(wb_hint_clear(f->wb, f->fd), 0);
	i = query(f);
	assert_int_equal(i.daemon, 0);
	assert_string_equal(i.engine, "none");
	assert_int_equal(i.context, -1);
	assert_true(strlen(i.why) > 0);
}

static void the_daemon_comes_back(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	server_kill(&f->server);
	server_again(&f->server);
	/* The connection was lost; the next call makes another at once. */
	assert_int_equal(query(f).daemon, 1);
	assert_int_equal(f->server.connections, 2);
	server_kill(&f->server);
	assert_int_equal(query(f).daemon, 0);
	server_again(&f->server);
	assert_int_equal(query(f).daemon, 0); /* not yet time */
	soon(f->wb);
	assert_int_equal(query(f).daemon, 1);
}

/* It says more than is known here, and in another order. */
static void a_newer_daemon_comes_back(void **state)
{
	struct fixture *f = *state;
	struct wb_info i;

	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	server_kill(&f->server);
	server_reply(
		&f->server,
		"{\"new\":{\"a\":[1,null]},\"parameters\":{\"effects\":[{\"since\":3,"
		"\"in_force\":true,\"name\":\"new-effect\",\"why\":null}],"
		"\"lanes\":[1,2],\"group\":7,\"context\":2,\"engine\":\"quantum\"}}");
	server_again(&f->server);
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	i = query(f);
	assert_int_equal(i.daemon, 1);
	assert_int_equal(i.context, 2);
	assert_int_equal(i.group, 7);
	assert_string_equal(i.engine, "quantum");
	assert_string_equal(i.effects[0].name, "new-effect");
	assert_int_equal(i.effects[0].in_force, 1);
	/* It refuses for a reason that has no number here. */
	server_reply(&f->server, "{\"error\":\"io.writeback.NewError\"}");
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), -EPROTO);
	server_reply(&f->server, REPLY);
	assert_int_equal(query(f).context, 1);
}

static void backing_off_has_an_end(void **state)
{
	struct fixture *f = *state;
	int64_t wait = 0;

	server_kill(&f->server);
	for (int n = 0; n < 40; n++) {
		soon(f->wb);
		assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
		assert_true(f->wb->backoff_ms >= wait);
		wait = f->wb->backoff_ms;
	}
	assert_int_equal(wait, 10000);
}

static void a_file_in_the_sockets_place(void **state)
{
	struct fixture *f = *state;

	server_kill(&f->server);
	unlink(f->server.path);
	close(open(f->server.path, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	assert_int_equal(query(f).daemon, 0);
}

static void a_server_that_hangs_up(void **state)
{
	struct fixture *f = *state;

	f->server.mood = SERVER_HANGS_UP;
	assert_int_equal(query(f).daemon, 0);
	soon(f->wb);
	f->server.mood = SERVER_HANGS_UP_HALFWAY;
	assert_int_equal(query(f).daemon, 0);
	soon(f->wb);
	f->server.mood = SERVER_ANSWERS;
	assert_int_equal(query(f).daemon, 1);
}

static void a_server_that_is_silent(void **state)
{
	struct fixture *f = *state;
	struct wb_info i;

	f->server.mood = SERVER_SILENT;
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), -ETIMEDOUT);
	/* From now on nothing more is sent until it has answered. */
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), -ETIMEDOUT);
	i = query(f);
	assert_int_equal(i.daemon, 0);
	assert_int_equal(f->server.messages, 1);
}

static void a_server_that_talks_nonsense(void **state)
{
	static char flood[64 << 10];
	static const char unasked[] = REPLY "\0" REPLY "\0" REPLY;
	struct fixture *f = *state;

	server_reply(&f->server, "HTTP/1.1 400 Bad Request");
	assert_int_equal(query(f).daemon, 0);
	soon(f->wb);
	server_reply(&f->server, "");
	assert_int_equal(query(f).daemon, 0);
	soon(f->wb);
	memset(flood, ' ', sizeof(flood));
	server_reply_bytes(&f->server, flood, sizeof(flood));
	assert_int_equal(query(f).daemon, 0);
	soon(f->wb);
	/* More answers than questions: they must not answer the next one. */
	server_reply_bytes(&f->server, unasked, sizeof(unasked));
	(void)query(f);
	soon(f->wb);
	server_reply(&f->server, "{\"parameters\":{\"context\":9}}");
	assert_int_equal(query(f).context, 9);
}

/* On a file with data a hint is only sent; query waits for all that was before. */
static void hints_that_are_not_waited_for(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write(f->fd, "x", 1), 1);
	f->server.mood = SERVER_SILENT;
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	f->server.mood = SERVER_ANSWERS;
	wb_close(f->wb);
	assert_int_equal(wb_open(&f->wb), 0);
	for (int n = 0; n < 1000; n++)
		assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	assert_int_equal(query(f).daemon, 1);
	assert_int_equal(f->wb->conn.owed, 0);
	assert_true(f->server.messages >= 1001);
	assert_int_equal(f->server.connections, 2);
}

/* The daemon's word counts for other new files of that file system, for a while. */
static void many_new_files(void **state)
{
	struct fixture *f = *state;
	unsigned before;

	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	before = f->server.messages;
	f->server.mood = SERVER_SILENT;
	for (int n = 0; n < 8; n++)
		assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	f->server.mood = SERVER_ANSWERS;
	/* Some time later it is asked again. */
	for (size_t i = 0; i < WBI_TRUST; i++)
		f->wb->trust[i].until_ms = f->wb->trust[i].until_ms ? 1 : 0;
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	assert_int_equal(f->server.messages, before + 9);
	assert_null(strstr(f->server.hint, "oneway"));
}

/* A refusal that nobody waited for is told by the next hint but some. */
static void refused_later(void **state)
{
	struct fixture *f = *state;
	int r = 0;

	assert_int_equal(write(f->fd, "x", 1), 1);
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	server_reply(&f->server, "{\"error\":\"io.writeback.LimitReached\"}");
	for (int n = 0; n < 10000 && r == 0; n++)
		r = wb_hint_write_size(f->wb, f->fd, 4096);
	assert_int_equal(r, -EDQUOT);
	server_reply(&f->server, REPLY);
	assert_int_equal(query(f).daemon, 1);
	assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
}

/* A daemon that stands still is noticed before its socket is full. */
static void hints_nobody_reads(void **state)
{
	struct fixture *f = *state;
	int r = 0, n = 0;

	assert_int_equal(write(f->fd, "x", 1), 1);
	f->server.mood = SERVER_SILENT;
	while (r == 0 && n++ < 1000)
		r = wb_hint_write_size(f->wb, f->fd, 4096);
	assert_int_equal(r, -ETIMEDOUT);
	assert_true(n < 100);
	/* And then costs no more time. */
	for (n = 0; n < 100; n++)
		assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), -ETIMEDOUT);
}

/* One who is turned away does not come back with each hint. */
static void turned_away(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write(f->fd, "x", 1), 1);
	f->server.mood = SERVER_HANGS_UP;
	for (int n = 0; n < 200 && !f->wb->backoff_ms; n++)
		assert_int_equal(wb_hint_write_size(f->wb, f->fd, 4096), 0);
	assert_true(f->wb->backoff_ms > 0);
	assert_true(f->server.connections < 10);
}

/* What daemons do at their start: close everything.  The number may be another's then. */
static void its_descriptor_was_closed_and_is_anothers(void **state)
{
	struct fixture *f = *state;
	int other, s[2];

	assert_int_equal(query(f).daemon, 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s), 0);
	other = f->wb->conn.fd;
	assert_int_equal(dup2(s[0], other), other);
	assert_int_equal(query(f).daemon, 1);
	assert_int_not_equal(f->wb->conn.fd, other);
	assert_true(fcntl(other, F_GETFD) >= 0); /* not closed by us */
	assert_int_equal(read(s[1], &(char){0}, 1), -1);
	assert_int_equal(errno, EAGAIN);
	close(other);
	close(s[0]);
	close(s[1]);
}

static int in_child(struct fixture *f)
{
	struct wb_info i = {.size = sizeof(i)};

	if (wb_query(f->wb, f->fd, &i) < 0 || !i.daemon)
		return 1;
	return wb_hint_write_size(f->wb, f->fd, 4096) < 0 ? 2 : 0;
}

static void fork_with_an_open_handle(void **state)
{
	struct fixture *f = *state;
	int status = -1;
	pid_t pid;

	assert_int_equal(query(f).daemon, 1);
	/* As if another thread held the lock at that moment. */
	pthread_mutex_lock(&f->wb->lock);
	pid = fork();
	if (pid == 0) {
		alarm(20);
		_exit(in_child(f));
	}
	pthread_mutex_unlock(&f->wb->lock);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* Each has a connection; the parent's was not touched. */
	assert_int_equal(f->server.connections, 2);
	assert_int_equal(query(f).daemon, 1);
	assert_int_equal(f->server.connections, 2);
}

static void fork_where_pages_cannot_be_wiped(void **state)
{
	struct fixture *f = *state;
	int status = -1;
	pid_t pid;

	f->wb->wipes = false;
	atomic_store(f->wb->owner, (int)getpid());
	assert_int_equal(madvise(f->wb->owner, PAGE, MADV_KEEPONFORK), 0);
	assert_int_equal(query(f).daemon, 1);
	pid = fork();
	if (pid == 0) {
		alarm(20);
		_exit(in_child(f));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(f->server.connections, 2);
}

/* wb_close() ends the leases, even if a child has the socket too. */
static void close_hangs_up_for_children_too(void **state)
{
	struct fixture *f = *state;
	int copy;
	char c;

	assert_int_equal(query(f).daemon, 1);
	copy = dup(f->wb->conn.fd);
	f->wb = wb_close(f->wb);
	assert_int_equal(recv(copy, &c, 1, 0), 0);
	close(copy);
}

static void *hammer(void *arg)
{
	struct fixture *f = arg;
	intptr_t bad = 0;

	for (int n = 0; n < 300; n++) {
		struct wb_info i = {.size = sizeof(i)};

		bad += wb_hint_write_size(f->wb, f->fd, 4096) != 0;
		bad += wb_query(f->wb, f->fd, &i) != 0 || i.context != 1;
	}
	return (void *)bad;
}

static void two_threads_on_one_handle(void **state)
{
	struct fixture *f = *state;
	pthread_t t[4];
	void *bad;

	for (int n = 0; n < 4; n++)
		assert_int_equal(pthread_create(&t[n], NULL, hammer, f), 0);
	for (int n = 0; n < 4; n++) {
		assert_int_equal(pthread_join(t[n], &bad), 0);
		assert_null(bad);
	}
	assert_int_equal(f->server.connections, 1);
	assert_int_equal(f->server.messages, 2400);
}

static int count(const struct wb_progress *p, void *arg)
{
	struct wb_progress *last = arg;

	assert_int_equal(p->size, sizeof(*p));
	if (p->daemon)
		*last = *p;
	return 0;
}

static int stop(const struct wb_progress *p, void *arg)
{
	(void)p;
	(void)arg;
	return 1;
}

static void sync_tells_its_progress(void **state)
{
	static const char steps[] =
		"{\"parameters\":{\"bytes_done\":1,\"bytes_all\":9},\"continues\":true}\0"
		"{\"parameters\":{\"bytes_done\":9,\"bytes_all\":9,\"finished\":true}}";
	struct fixture *f = *state;
	struct wb_progress p = {0};

	server_reply_bytes(&f->server, steps, sizeof(steps));
	assert_int_equal(wb_sync(f->wb, f->fd, 0, count, &p), 0);
	assert_int_equal(p.bytes_done, 9);
	assert_non_null(strstr(f->server.last, "\"more\":true"));
	assert_int_equal(wb_sync(f->wb, f->fd, 0, stop, NULL), -ECANCELED);
	server_reply(&f->server, "{\"error\":\"io.writeback.NotManaged\"}");
	assert_int_equal(wb_sync(f->wb, f->fd, 0, NULL, NULL), 0);
	server_kill(&f->server);
	assert_int_equal(wb_sync(f->wb, f->fd, 0, NULL, NULL), 0);
	assert_int_equal(wb_sync(f->wb, f->fd, 1, NULL, NULL), -EINVAL);
	assert_int_equal(wb_sync(f->wb, -1, 0, NULL, NULL), -EBADF);
	assert_int_equal(wb_sync(NULL, f->fd, 0, NULL, NULL), -EINVAL);
}

static void opening(void **state)
{
	struct wb *wb = (void *)1;
	char longer[200];

	(void)state;
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	setenv("WB_SOCKET", longer, 1);
	assert_int_equal(wb_open(&wb), -ENAMETOOLONG);
	assert_ptr_equal(wb, (void *)1);
	unsetenv("WB_SOCKET");
	assert_int_equal(wb_open(&wb), 0);
	assert_string_equal(wb->path, "/run/wb/io.writeback");
	wb_close(wb);
	assert_int_equal(wb_open(NULL), -EINVAL);
	assert_null(wb_close(NULL));
}

#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_hint_is_told_with_its_descriptor),
		T(sizes_are_made_whole_pages),
		cmocka_unit_test(units_of_allocation),
		T(unfit_descriptors_are_refused_at_once),
		T(the_daemons_refusals_have_numbers),
		T(query_tells_what_is_in_force),
		T(query_keeps_to_the_callers_size),
		T(without_a_daemon_nothing_fails),
		T(the_daemon_comes_back),
		T(a_newer_daemon_comes_back),
		T(backing_off_has_an_end),
		T(a_file_in_the_sockets_place),
		T(a_server_that_hangs_up),
		T(a_server_that_is_silent),
		T(a_server_that_talks_nonsense),
		T(hints_that_are_not_waited_for),
		T(many_new_files),
		T(refused_later),
		T(hints_nobody_reads),
		T(turned_away),
		T(its_descriptor_was_closed_and_is_anothers),
		T(fork_with_an_open_handle),
		T(fork_where_pages_cannot_be_wiped),
		T(close_hangs_up_for_children_too),
		T(two_threads_on_one_handle),
		T(sync_tells_its_progress),
		cmocka_unit_test(opening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

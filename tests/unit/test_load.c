// SPDX-License-Identifier: GPL-2.0-or-later
/* What a device does, from recorded and broken files; pauses of writers, from records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "daemon/load.h"
#include "daemon/throttle.h"
#include "tests/unit/fake_root.h"

static void stat_of(const struct fake_root *r, const char *disk, unsigned ios,
		    unsigned sectors, unsigned busy, unsigned queued)
{
	char path[80];

	snprintf(path, sizeof(path), "sys/class/block/%s/stat", disk);
	fake_file(r, path, "   11 12 13 14 %u 16 %u 18 19 %u %u 22 23 24 25\n", ios,
		  sectors, busy, queued);
}

static void disks(void **state)
{
	struct fake_root *r = *state;
	struct bdev one = {.name = "sda"}, two = {.name = "sda", .members = "sda sdb"};
	struct bdev none = {.name = ""}, bad = {.name = ".."};
	struct load_disks d = {0};

	stat_of(r, "sda", 5, 80, 700, 900);
	stat_of(r, "sdb", 7, 20, 300, 100);
	assert_int_equal(load_read_disks(r->path, &one, &d), 0);
	assert_int_equal(d.written, 80 * 512);
	assert_int_equal(d.ios, 5);
	assert_int_equal(d.busy_ms, 700);
	assert_int_equal(d.queue_ms, 900);
	/* Several: what they wrote together, and the busiest. */
	assert_int_equal(load_read_disks(r->path, &two, &d), 0);
	assert_int_equal(d.written, 100 * 512);
	assert_int_equal(d.ios, 12);
	assert_int_equal(d.busy_ms, 700);
	assert_int_equal(d.queue_ms, 1000);
	assert_int_equal(load_read_disks(r->path, &none, &d), -ENOENT);
	assert_int_equal(load_read_disks(r->path, &bad, &d), -ENOENT);
	strcpy(two.members, "sda sdc");
	assert_int_equal(load_read_disks(r->path, &two, &d), -ENOENT);
	fake_file(r, "sys/class/block/sdc/stat", "1 2 3\n");
	assert_int_equal(load_read_disks(r->path, &two, &d), -EBADMSG);
	assert_int_equal(d.ios, 12); /* untouched */
}

static void depth(void **state)
{
	struct fake_root *r = *state;
	struct bdev b = {.name = "sda"};

	assert_true(load_depth_max(r->path, &b) == KNEE_UNKNOWN);
	fake_file(r, "sys/class/block/sda/queue/nr_requests", "64\n");
	assert_int_equal(load_depth_max(r->path, &b), 64);
	/* NVMe: each queue takes as many. */
	fake_file(r, "sys/class/block/sda/mq/0/cpu_list", "0\n");
	fake_file(r, "sys/class/block/sda/mq/1/cpu_list", "1\n");
	assert_int_equal(load_depth_max(r->path, &b), 128);
	/* SCSI: the disk takes fewer. */
	fake_file(r, "sys/class/block/sda/device/queue_depth", "31\n");
	assert_int_equal(load_depth_max(r->path, &b), 31);
	strcpy(b.members, "sda sdb");
	assert_true(load_depth_max(r->path, &b) == KNEE_UNKNOWN);
}

static void dirty(void **state)
{
	struct fake_root *r = *state;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct load_dirty m = {0}, d;

	assert_int_equal(load_read_machine(r->path, &m), -ENOENT);
	fake_file(r, "proc/vmstat", "nr_dirty 7\nnr_writeback 2\n");
	assert_int_equal(load_read_machine(r->path, &m), -ENODATA);
	fake_file(r, "proc/vmstat",
		  "nr_dirtied 99\nxnr_dirty 98\nnr_dirty 7\nnr_writeback_temp 97\n"
		  "nr_writeback 2\nnr_dirty_background_threshold 100\n");
	assert_int_equal(load_read_machine(r->path, &m), 0);
	assert_int_equal(m.bytes, 9 * page);
	assert_int_equal(m.mark, 100 * page);
	assert_false(m.own);
	/* Nothing tells of the device: the machine's. */
	load_read_dirty(r->path, "8:0", false, &m, &d);
	assert_memory_equal(&d, &m, sizeof(d));
	load_read_dirty(r->path, "../8:0", true, &m, &d);
	assert_memory_equal(&d, &m, sizeof(d));
	fake_file(r, "sys/kernel/debug/bdi/8:0/stats",
		  "BdiWriteback:               1 kB\nBdiReclaimable:     12 kB\n"
		  "BdiDirtyThresh:         100 kB\n");
	load_read_dirty(r->path, "8:0", false, &m, &d);
	assert_true(d.own);
	assert_int_equal(d.bytes, 13 * 1024);
	assert_int_equal(d.mark, 50 * 1024); /* its share */
	fake_file(r, "sys/kernel/debug/bdi/8:0/stats",
		  "BdiWriteback: 1 kB\nBdiReclaimable: 12 kB\nBdiDirtyThresh: 0 kB\n");
	load_read_dirty(r->path, "8:0", false, &m, &d);
	assert_int_equal(d.mark, m.mark);
	/* The kernel's contexts know best. */
	fake_file(r, "sys/class/bdi/8:0/writeback_contexts", "2\n");
	for (unsigned n = 0; n < 2; n++) {
		static const char *const files[] = {"inodes", "dirty_kb", "writeback_kb",
						    "written_kb", "bandwidth_kbps"};
		char path[80];

		for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
			snprintf(path, sizeof(path),
				 "sys/class/bdi/8:0/writeback_context/%u/%s", n,
				 files[i]);
			fake_file(r, path, "10\n");
		}
	}
	load_read_dirty(r->path, "8:0", true, &m, &d);
	assert_true(d.own);
	assert_int_equal(d.bytes, 40 * 1024);
}

static void two_readings(void **state)
{
	const struct load_disks was = {1000, 10, 100, 500}, is = {5096, 14, 600, 4500};
	struct load_disks back = is;
	struct load_dirty d = {.bytes = 77, .mark = 99};
	struct knee_obs o = {0};

	(void)state;
	assert_true(load_observe(&was, &is, 1000, &d, KNEE_UNKNOWN, 64, &o));
	assert_int_equal(o.ms, 1000);
	assert_int_equal(o.written, 4096);
	assert_int_equal(o.ios, 4);
	assert_int_equal(o.busy, 500);
	assert_int_equal(o.depth, 4000);
	assert_int_equal(o.depth_max, 64);
	assert_int_equal(o.dirty, 77);
	assert_int_equal(o.mark, 99);
	assert_true(o.pause_us == KNEE_UNKNOWN);
	assert_false(o.unusable);
	/* Counted late. */
	assert_true(load_observe(&was, &is, 300, &d, 5, KNEE_UNKNOWN, &o));
	assert_int_equal(o.busy, 1000);
	assert_int_equal(o.pause_us, 5);
	assert_false(load_observe(&was, &is, 0, &d, 0, 64, &o));
	back.written = 999;
	assert_false(load_observe(&was, &back, 1000, &d, 0, 64, &o));
	back = is;
	back.busy_ms = 99;
	assert_false(load_observe(&was, &back, 1000, &d, 0, 64, &o));
}

/* ---- pauses ----------------------------------------------------------------------- */

/* Of Linux 6.18. */
static const char format[] =
	"name: balance_dirty_pages\nID: 985\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char bdi[32];\toffset:8;\tsize:32;\tsigned:0;\n"
	"\tfield:unsigned long wb_dirty;\toffset:72;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int dirtied_pause;\toffset:100;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long paused;\toffset:104;\tsize:8;\tsigned:0;\n"
	"\tfield:long pause;\toffset:112;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long period;\toffset:120;\tsize:8;\tsigned:0;\n";

static void formats(void **state)
{
	static const char *const bad[] = {
		"",
		"\nID: 0\n\tfield:char bdi[32];\toffset:8;\tsize:32;\n"
		"\tfield:long pause;\toffset:40;\tsize:8;\n",
		"\nID: 9\n\tfield:char bdi[16];\toffset:8;\tsize:16;\n"
		"\tfield:long pause;\toffset:40;\tsize:8;\n",
		"\nID: 9\n\tfield:char bdi[32];\toffset:8;\tsize:64;\n"
		"\tfield:long pause;\toffset:40;\tsize:8;\n",
		"\nID: 9\n\tfield:char bdi[32];\toffset:8;\tsize:32;\n"
		"\tfield:int pause;\toffset:40;\tsize:4;\n",
		"\nID: 9\n\tfield:char bdi[32];\toffset:8;\tsize:32;\n"
		"\tfield:long pause;\toffset:9999;\tsize:8;\n",
		"\nID: 9\n\tfield:char bdi[32];\toffset:8;\tsize:32;\n",
	};
	struct trace_pause_format f;

	(void)state;
	assert_int_equal(tracefs_parse_pause(format, &f), 0);
	assert_int_equal(f.id, 985);
	assert_int_equal(f.bdi.off, 8);
	assert_int_equal(f.pause.off, 112);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tracefs_parse_pause(bad[i], &f), -EOPNOTSUPP);
}

static void records(void **state)
{
	const size_t head = sizeof(struct perf_event_header) + sizeof(uint32_t);
	struct trace_pause_format f;
	uint8_t rec[12 + 136] = {0};
	uint32_t len = sizeof(rec) - 12;
	char bdi[THROTTLE_NAME] = "";
	long ms = 20;

	(void)state;
	assert_int_equal(head, 12);
	assert_int_equal(tracefs_parse_pause(format, &f), 0);
	memcpy(rec + 8, &len, sizeof(len));
	memcpy(rec + head + f.bdi.off, "254:0", 6);
	memcpy(rec + head + f.pause.off, &ms, sizeof(ms));
	assert_int_equal(throttle_parse(&f, rec, sizeof(rec), bdi), 20000);
	assert_string_equal(bdi, "254:0");
	/* A name that does not end is cut. */
	memset(rec + head + f.bdi.off, 'x', 32);
	assert_int_equal(throttle_parse(&f, rec, sizeof(rec), bdi), 20000);
	assert_int_equal(strlen(bdi), 31);
	/* Shorter than it says, or than its fields. */
	for (size_t n = 0; n < sizeof(rec); n++)
		assert_int_equal(throttle_parse(&f, rec, n, bdi), 0);
	len = 119;
	memcpy(rec + 8, &len, sizeof(len));
	assert_int_equal(throttle_parse(&f, rec, sizeof(rec), bdi), 0);
	len = 136;
	memcpy(rec + 8, &len, sizeof(len));
	ms = -5;
	memcpy(rec + head + f.pause.off, &ms, sizeof(ms));
	assert_int_equal(throttle_parse(&f, rec, sizeof(rec), bdi), 0);
	ms = 1L << 40;
	memcpy(rec + head + f.pause.off, &ms, sizeof(ms));
	assert_int_equal(throttle_parse(&f, rec, sizeof(rec), bdi), 0);
}

static void filters(void **state)
{
	static char many[300][THROTTLE_NAME];
	char two[2][THROTTLE_NAME] = {"254:0", "btrfs-1"}, text[4000];

	(void)state;
	throttle_filter(two, 2, text, sizeof(text));
	assert_string_equal(text,
			    "pause > 0 && (bdi == \"254:0\" || bdi == \"btrfs-1\")");
	strcpy(two[1], "a\"b");
	throttle_filter(two, 2, text, sizeof(text));
	assert_string_equal(text, "pause > 0");
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		snprintf(many[i], THROTTLE_NAME, "254:%zu", i);
	throttle_filter(many, ARRAY_SIZE(many), text, sizeof(text));
	assert_string_equal(text, "pause > 0");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fake_root_setup, fake_root_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(disks),
		TEST(depth),
		TEST(dirty),
		cmocka_unit_test(two_readings),
		cmocka_unit_test(formats),
		cmocka_unit_test(records),
		cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What the search for the knee remembers: names of devices, and the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "daemon/knee_state.h"
#include "daemon/state_file.h"
#include "tests/unit/fake_root.h"

/* ---- names --------------------------------------------------------------------- */

static void is_called(const struct fake_root *r, const char *disk, const char *want)
{
	char id[KNEE_ID_LEN];

	assert_int_equal(knee_identify(r->path, disk, id), 0);
	assert_string_equal(id, want);
}

static void devices_have_lasting_names(void **state)
{
	struct fake_root *r = *state;

	fake_file(r, "sys/block/nvme0n1/wwid", "eui.0025388b91b0a1c2\n");
	fake_file(r, "sys/block/nvme0n1/size", "2000409264\n");
	is_called(r, "nvme0n1", "wwid:eui.0025388b91b0a1c2 size:2^40");
	fake_file(r, "sys/block/sda/device/wwid", "t10.ATA     Disk  5000\n");
	is_called(r, "sda", "wwid:t10.ATA Disk 5000 size:2^9");
	fake_file(r, "sys/block/dm-0/dm/uuid", "LVM-abc\n");
	fake_file(r, "sys/block/dm-0/size", "2048\n");
	is_called(r, "dm-0", "dm:LVM-abc size:2^20");
	fake_file(r, "sys/block/dm-0/size", "2049\n");
	is_called(r, "dm-0", "dm:LVM-abc size:2^21");
	fake_file(r, "sys/block/loop1/loop/backing_file", "/srv/a \x01\xff.img\n");
	is_called(r, "loop1", "file:/srv/a .img size:2^9");
	fake_file(r, "sys/block/vda/serial", "S1\n");
	is_called(r, "vda", "serial:S1 size:2^9");
	fake_file(r, "sys/block/mmcblk0/device/serial", "0x1234\n");
	is_called(r, "mmcblk0", "model: serial:0x1234 size:2^9");
	fake_file(r, "sys/block/mmcblk0/device/model", " Card  \n");
	is_called(r, "mmcblk0", "model:Card serial:0x1234 size:2^9");
}

static void some_have_none(void **state)
{
	static const char *const bad[] = {"zram0", "", ".", "..", "../block/sda", "a/b"};
	struct fake_root *r = *state;
	char id[KNEE_ID_LEN];

	fake_file(r, "sys/block/zram0/size", "2048\n");
	fake_file(r, "sys/block/zram0/wwid", "  \n");
	fake_file(r, "sys/block/zram0/serial", "(null)\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(knee_identify(r->path, bad[i], id), -ENOENT);
}

static void long_names_stay_apart(void **state)
{
	struct fake_root *r = *state;
	char a[KNEE_ID_LEN], b[KNEE_ID_LEN], path[1500];

	memset(path, 'x', sizeof(path));
	fake_file(r, "sys/block/loop1/loop/backing_file", "/%.300s/1.img\n", path);
	assert_int_equal(knee_identify(r->path, "loop1", a), 0);
	fake_file(r, "sys/block/loop1/loop/backing_file", "/%.300s/2.img\n", path);
	assert_int_equal(knee_identify(r->path, "loop1", b), 0);
	assert_string_not_equal(a, b);
	fake_file(r, "sys/block/loop1/loop/backing_file", "/%.1400s/2.img\n", path);
	assert_int_equal(knee_identify(r->path, "loop1", b), -ENOENT);
}

/* ---- the file ------------------------------------------------------------------ */

static struct knee_memory memory(unsigned i, unsigned contexts)
{
	struct knee_memory m = {.contexts = contexts, .rate = 1000000 + i, .found = 7};

	snprintf(m.id, sizeof(m.id), "wwid:%u \"\\\xff", i);
	strcpy(m.engine, "user");
	return m;
}

static void what_is_saved_is_loaded(void **state)
{
	struct fake_root *r = *state;
	struct knee_store s, t;
	struct knee_memory m = memory(1, 4);
	const struct knee_memory *got;
	char why[KNEE_WHY_LEN];

	assert_int_equal(knee_store_load(r->path, &s, why), 0);
	assert_int_equal(s.n, 0);
	strcpy(m.id, "wwid:1 \"\\");
	assert_int_equal(knee_store_put(&s, &m), 0);
	assert_int_equal(knee_store_put(&s, &m), 1);
	m.contexts = 5;
	assert_int_equal(knee_store_put(&s, &m), 0);
	strcpy(m.engine, "kernel");
	m.contexts = 9;
	assert_int_equal(knee_store_put(&s, &m), 0);
	assert_int_equal(knee_store_save(r->path, &s), 0);
	assert_int_equal(knee_store_load(r->path, &t, why), 0);
	assert_int_equal(t.n, 2);
	got = knee_store_get(&t, "user", m.id);
	assert_non_null(got);
	assert_int_equal(got->contexts, 5);
	assert_int_equal(got->rate, m.rate);
	assert_int_equal(got->found, 7);
	assert_int_equal(knee_store_get(&t, "kernel", m.id)->contexts, 9);
	assert_null(knee_store_get(&t, "user", "wwid:2"));
	knee_store_clear(&s);
	knee_store_clear(&t);
}

static void the_oldest_use_goes(void **state)
{
	struct fake_root *r = *state;
	struct knee_store s = {0}, t;
	char why[KNEE_WHY_LEN];

	for (unsigned i = 0; i < KNEE_STORE_MAX; i++) {
		struct knee_memory m = memory(i, 1 + i % 8);

		assert_int_equal(knee_store_put(&s, &m), 0);
	}
	for (unsigned i = 0; i < 10; i++) { /* used just now */
		struct knee_memory m = memory(i, 1);

		assert_non_null(knee_store_get(&s, "user", m.id));
	}
	for (unsigned i = 1000; i < 1020; i++) {
		struct knee_memory m = memory(i, 2);

		assert_int_equal(knee_store_put(&s, &m), 0);
	}
	assert_int_equal(s.n, KNEE_STORE_MAX);
	assert_int_equal(knee_store_save(r->path, &s), 0);
	assert_int_equal(knee_store_load(r->path, &t, why), 0);
	assert_int_equal(t.n, KNEE_STORE_MAX);
	for (unsigned i = 0; i < 40; i++) {
		struct knee_memory m = memory(i, 1);

		if (i < 10 || i >= 30)
			assert_non_null(knee_store_get(&s, "user", m.id));
		else
			assert_null(knee_store_get(&s, "user", m.id));
	}
	knee_store_clear(&s);
	knee_store_clear(&t);
}

/* Refused whole, with a reason; kept aside when a new one is written. */
static void refused(struct fake_root *r, const char *text)
{
	struct knee_store s;
	struct knee_memory m = memory(1, 4);
	char why[KNEE_WHY_LEN], path[4200];
	struct stat st;
	char *aside;
	size_t len;

	fake_file(r, "knee.json", "%s", text);
	assert_int_equal(knee_store_load(r->path, &s, why), -EBADMSG);
	assert_int_equal(s.n, 0);
	assert_true(strlen(why) > 5);
	assert_int_equal(knee_store_put(&s, &m), 0);
	assert_int_equal(knee_store_save(r->path, &s), 0);
	knee_store_clear(&s);
	assert_int_equal(
		state_file_read(r->path, "knee.json.refused", 1 << 20, &aside, &len), 0);
	assert_string_equal(aside, text);
	free(aside);
	assert_int_equal(knee_store_load(r->path, &s, why), 0);
	assert_int_equal(s.n, 1);
	knee_store_clear(&s);
	snprintf(path, sizeof(path), "%s/knee.json.new", r->path);
	assert_int_equal(stat(path, &st), -1);
}

#define ENTRY(id, n)                                      \
	"{\"device\": \"" id "\", \"engine\": \"user\", " \
	"\"contexts\": " n ", \"rate\": 5, \"found\": 1}"
#define FILE_OF(v, list) "{\"version\": " v ", \"devices\": " list "}"

static void bad_files_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"nonsense",
		"{}",
		"{\"devices\": []}",
		FILE_OF("2", "[]"),
		FILE_OF("0", "[]"),
		FILE_OF("-1", "[]"),
		FILE_OF("\"1\"", "[]"),
		FILE_OF("1.0", "[]"),
		FILE_OF("1", "{}"),
		FILE_OF("1", "null"),
		FILE_OF("1", "[1]"),
		FILE_OF("1", "[{}]"),
		FILE_OF("1", "[" ENTRY("a", "0") "]"),
		FILE_OF("1", "[" ENTRY("a", "65") "]"),
		FILE_OF("1", "[" ENTRY("a", "-1") "]"),
		FILE_OF("1", "[" ENTRY("a", "1.5") "]"),
		FILE_OF("1", "[" ENTRY("a", "99999999999999999999") "]"),
		FILE_OF("1", "[" ENTRY("a", "\"4\"") "]"),
		FILE_OF("1", "[" ENTRY("", "4") "]"),
		FILE_OF("1", "[" ENTRY("a\\u0000b", "4") "]"),
		FILE_OF("1", "[" ENTRY("a", "4") ", " ENTRY("b", "null") "]"),
		FILE_OF("1", "[" ENTRY("a", "4") "]") " {}",
		"{\"version\": 1, \"version\": 1, \"devices\": []}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused(*state, bad[i]);
}

static void large_files_are_refused(void **state)
{
	char *text = malloc(400000), *p = text;

	assert_non_null(text);
	/* One entry too many. */
	p += sprintf(p, "{\"version\": 1, \"devices\": [");
	for (unsigned i = 0; i <= KNEE_STORE_MAX; i++)
		p += sprintf(p, ENTRY("d%u", "4") "%s", i, i < KNEE_STORE_MAX ? "," : "");
	strcpy(p, "]}");
	refused(*state, text);
	/* Too many bytes. */
	memset(text, ' ', 300000);
	strcpy(text + 300000, FILE_OF("1", "[]"));
	refused(*state, text);
	/* A name that is too long. */
	memset(text, 'x', 1000);
	p = text + 1000;
	sprintf(p, FILE_OF("1", "[" ENTRY("%.300s", "4") "]"), text);
	refused(*state, p);
	/* Nested too deep. */
	memset(text, '[', 100000);
	text[100000] = '\0';
	refused(*state, text);
	free(text);
}

static void places_are_checked(void **state)
{
	struct fake_root *r = *state;
	struct knee_store s;
	char why[KNEE_WHY_LEN];

	/* A link, a folder, a folder that is not there. */
	fake_file(r, "elsewhere", FILE_OF("1", "[]"));
	fake_link(r, "knee.json", "elsewhere");
	assert_int_equal(knee_store_load(r->path, &s, why), -EBADMSG);
	fake_file(r, "dir/knee.json/file", "x");
	{
		char dir[4200];

		snprintf(dir, sizeof(dir), "%s/dir", r->path);
		assert_int_equal(knee_store_load(dir, &s, why), -EBADMSG);
		snprintf(dir, sizeof(dir), "%s/none", r->path);
		assert_int_equal(knee_store_load(dir, &s, why), 0);
		assert_int_equal(knee_store_save(dir, &s), -ENOENT);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fake_root_setup, fake_root_teardown)
	const struct CMUnitTest tests[] = {
		TEST(devices_have_lasting_names), TEST(some_have_none),
		TEST(long_names_stay_apart),      TEST(what_is_saved_is_loaded),
		TEST(the_oldest_use_goes),        TEST(bad_files_are_refused),
		TEST(large_files_are_refused),    TEST(places_are_checked),
	};

	return cmocka_run_group_tests_name("knee_state", tests, NULL, NULL);
}

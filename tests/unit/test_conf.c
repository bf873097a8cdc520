// SPDX-License-Identifier: GPL-2.0-or-later
/* Configuration from memory: values, findings, rows, and every kind of bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "daemon/conf_table.h"

/* What a load gave: its result, all findings in one text, the configuration. */
struct loaded {
	int r;
	struct conf *c;
	char text[1 << 15];
	unsigned n_error, n_warning;
};

static void keep_findings(struct loaded *l, const struct conf_diags *d)
{
	size_t used = 0;

	for (size_t i = 0; i < d->n; i++) {
		used += (size_t)snprintf(l->text + used, sizeof(l->text) - used,
					 "%s: %s\n", d->v[i].error ? "error" : "warning",
					 d->v[i].text);
		assert_true(used < sizeof(l->text));
		if (d->v[i].error)
			l->n_error++;
		else
			l->n_warning++;
	}
}

static struct loaded *load_bytes(const char *bytes, size_t len)
{
	struct loaded *l = calloc(1, sizeof(*l));
	struct conf_diags d = {0};
	FILE *f = fmemopen((void *)bytes, len, "r");

	assert_non_null(l);
	assert_non_null(f);
	l->r = conf_load_stream(f, "t.conf", &l->c, &d);
	fclose(f);
	keep_findings(l, &d);
	conf_diags_clear(&d);
	return l;
}

static struct loaded *load(const char *text)
{
	return load_bytes(text, strlen(text));
}

static void unload(struct loaded *l)
{
	conf_free(l->c);
	free(l);
}

/* @text is refused with exactly the one finding @want. */
static void refused(const char *text, const char *want)
{
	struct loaded *l = load(text);

	assert_string_equal(l->text, want);
	assert_int_equal(l->r, -EINVAL);
	assert_null(l->c);
	unload(l);
}

/* @text is used, with exactly the findings @want. */
static struct loaded *accepted(const char *text, const char *want)
{
	struct loaded *l = load(text);

	assert_string_equal(l->text, want);
	assert_int_equal(l->r, 0);
	assert_non_null(l->c);
	return l;
}

/* ---- Values ---------------------------------------------------------------- */

static void test_defaults(void **state)
{
	struct conf *c;

	(void)state;
	assert_int_equal(conf_default(&c), 0);
	assert_int_equal(c->engine, CONF_ENGINE_AUTO);
	assert_int_equal(c->contexts, 0);
	assert_int_equal(c->in_flight, 2);
	assert_int_equal(c->source, CONF_SOURCE_AUTO);
	assert_int_equal(c->io, CONF_IO_AUTO);
	assert_false(c->cpu_affinity);
	assert_int_equal(c->max_inodes, 1000000);
	assert_int_equal(c->flush.after, 16 << 20);
	assert_int_equal(c->flush.age_ms, 5000);
	assert_int_equal(c->flush.cool_ms, 2000);
	assert_int_equal(c->flush.stride, 4 << 20);
	assert_string_equal(c->api_group, "wb");
	assert_int_equal(c->api_connections, 64);
	assert_int_equal(c->n_device + c->n_mount + c->n_exclude, 0);
	conf_free(c);
}

static void test_values(void **state)
{
	struct loaded *l = accepted("[engine]\nmode=user\ncontexts = 64\nin_flight = 16\n"
				    "source = trace\nio = threads\ncpu_affinity = yes\n"
				    "max_inodes = 16777216\n"
				    "[flush]\nafter = off\nage = off\ncool = 0s\n"
				    "stride = 64K\n[api]\ngroup = disk\n"
				    "connections = 1000\n",
				    "");
	const struct conf *c = l->c;

	(void)state;
	assert_int_equal(c->engine, CONF_ENGINE_USER);
	assert_int_equal(c->contexts, 64);
	assert_int_equal(c->in_flight, 16);
	assert_int_equal(c->source, CONF_SOURCE_TRACE);
	assert_int_equal(c->io, CONF_IO_THREADS);
	assert_true(c->cpu_affinity);
	assert_int_equal(c->max_inodes, 16 << 20);
	assert_true(c->flush.after == CONF_OFF);
	assert_true(c->flush.age_ms == CONF_OFF);
	assert_int_equal(c->flush.cool_ms, 0);
	assert_int_equal(c->flush.stride, 64 << 10);
	assert_string_equal(c->api_group, "disk");
	assert_int_equal(c->api_connections, 1000);
	unload(l);
}

static void test_sections(void **state)
{
	struct loaded *l =
		accepted("[mount \"a b\"]\npath = /srv/a b/\nmanage = no\n"
			 "flush_age = 1min\n"
			 "[mount \"c\"]\npath = /\n"
			 "[device \"d\"]\nmatch = 259:0\nmanage = yes\ncontexts = 4\n"
			 "[exclude \"e\"]\npath = /snap/*\ntype = squashfs\n"
			 "[flush]\nafter = 1G\n",
			 "");
	const struct conf *c = l->c;

	(void)state;
	assert_int_equal(c->n_mount, 2);
	assert_string_equal(c->mount[0].label, "a b");
	assert_string_equal(c->mount[0].path, "/srv/a b");
	assert_string_equal(c->mount[0].where, "t.conf:1");
	assert_int_equal(c->mount[0].manage, CONF_MANAGE_NO);
	assert_int_equal(c->mount[0].flush.age_ms, 60000);
	/* From [flush], although that comes later in the file. */
	assert_int_equal(c->mount[0].flush.after, 1 << 30);
	assert_int_equal(c->mount[0].flush.cool_ms, 2000);
	assert_int_equal(c->mount[0].flush.stride, 4 << 20);
	assert_string_equal(c->mount[1].path, "/");
	assert_int_equal(c->mount[1].flush.age_ms, 5000);
	assert_int_equal(c->n_device, 1);
	assert_string_equal(c->device[0].match, "259:0");
	assert_int_equal(c->device[0].manage, CONF_MANAGE_YES);
	assert_int_equal(c->device[0].contexts, 4);
	assert_int_equal(c->n_exclude, 1);
	assert_string_equal(c->exclude[0].path, "/snap/*");
	assert_string_equal(c->exclude[0].type, "squashfs");
	assert_null(c->exclude[0].device);
	unload(l);
}

/* Shapes of text that mean the same thing. */
static void test_layout(void **state)
{
	static const char *const same[] = {
		"\xef\xbb\xbf[engine]\nin_flight = 3\n",
		"[engine]\r\nin_flight = 3\r\n",
		"[engine]\nin_flight=3",
		"[engine]  \n\n  # x = y [z]\n\t; more\nin_flight\t=\t3  \n",
		"# caf\xe9 is not UTF-8\n[engine]\nin_flight = 3\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		struct loaded *l = accepted(same[i], "");

		assert_int_equal(l->c->in_flight, 3);
		unload(l);
	}
}

static void test_long_comment(void **state)
{
	char text[4096];
	struct loaded *l;

	(void)state;
	memset(text, '#', sizeof(text));
	snprintf(text + 4000, sizeof(text) - 4000, "\n[engine]\nin_flight = 3\n");
	l = accepted(text, "");
	assert_int_equal(l->c->in_flight, 3);
	unload(l);
}

/* ---- Bad input --------------------------------------------------------------- */

static void test_bad_values(void **state)
{
	static const struct {
		const char *text, *want;
	} t[] = {
		{"[flush]\nafter = 16m\n",
		 "error: t.conf:2: after: '16m' is not a size: write a whole number of "
		 "bytes, or one with K, M, G or T, such as 16M\n"},
		{"[flush]\nafter = 1\n",
		 "error: t.conf:2: after: '1' is out of range: write 4K to 1T, or off\n"},
		{"[flush]\nage = 5\n",
		 "error: t.conf:2: age: '5' is not a time: write a whole number with ms, "
		 "s, min or h, such as 5s\n"},
		{"[flush]\ncool = off\n",
		 "error: t.conf:2: cool: 'off' is not a time: write a whole number with "
		 "ms, s, min or h, such as 5s\n"},
		{"[flush]\nstride = 99999999999999999999\n",
		 "error: t.conf:2: stride: '99999999999999999999' is out of range: write "
		 "64K to 64M\n"},
		{"[engine]\ncontexts = 65\n", "error: t.conf:2: contexts: '65' is out of "
					      "range: write auto, search, or 1 to "
					      "64\n"},
		{"[engine]\ncontexts = 0\n", "error: t.conf:2: contexts: '0' is out of "
					     "range: write auto, search, or 1 to "
					     "64\n"},
		{"[engine]\nin_flight = auto\n",
		 "error: t.conf:2: in_flight: 'auto' is not allowed: write 1 to 16\n"},
		{"[engine]\nmax_inodes = -1\n",
		 "error: t.conf:2: max_inodes: '-1' is not allowed: write 1024 to "
		 "16777216\n"},
		{"[engine]\nmode = USER\n",
		 "error: t.conf:2: mode: 'USER' is not allowed: write auto, user, "
		 "none or kernel\n"},
		{"[engine]\ncpu_affinity = maybe\n",
		 "error: t.conf:2: cpu_affinity: 'maybe' is not allowed: write yes or "
		 "no\n"},
		{"[engine]\nmode =\n", "error: t.conf:2: mode has no value: write auto, "
				       "user, none or kernel\n"},
		{"[api]\ngroup = a b\n",
		 "error: t.conf:2: group: 'a b' is not the name of a group\n"},
		{"[device \"d\"]\nmatch = /tmp/x\n",
		 "error: t.conf:2: match: '/tmp/x' is not a device: write nvme0n1, 259:0 "
		 "or /dev/nvme0n1\n"},
		{"[device \"d\"]\nmatch = 8:\n",
		 "error: t.conf:2: match: '8:' is not a device: write nvme0n1, 259:0 or "
		 "/dev/nvme0n1\n"},
		{"[mount \"m\"]\npath = \"/srv\"\n",
		 "error: t.conf:2: path: '\"/srv\"' is not an absolute path: write it "
		 "from / on, without quotes\n"},
		{"[mount \"m\"]\npath = /a/../b\n",
		 "error: t.conf:2: path: '/a/../b' has an empty, . or .. component: "
		 "write "
		 "it without\n"},
		{"[mount \"m\"]\npath = /a//b\n", "error: t.conf:2: path: '/a//b' has an "
						  "empty, . or .. component: write it "
						  "without\n"},
		{"[exclude \"e\"]\npath = srv\n",
		 "error: t.conf:2: path: 'srv' matches no mount point: write it from / "
		 "on, without quotes\n"},
		{"[exclude \"e\"]\ntype = xfs, ext4\n",
		 "error: t.conf:2: type: 'xfs, ext4' is not the type of one file system: "
		 "write xfs\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		refused(t[i].text, t[i].want);
}

static void test_bad_lines(void **state)
{
	static const struct {
		const char *text, *want;
	} t[] = {
		{"[engine]\nin_flight = 2\nmode = user\nin_flight = 3\n",
		 "error: t.conf:4: in_flight was set in line 2 already: remove one of "
		 "the "
		 "two\n"},
		/* A section may be opened again, its keys may not. */
		{"[engine]\nin_flight = 2\n[flush]\n[engine]\nin_flight = 2\n",
		 "error: t.conf:5: in_flight was set in line 2 already: remove one of "
		 "the "
		 "two\n"},
		{"[engine]\nmode = user\n  in_flight = 3\n",
		 "error: t.conf:3: the line is indented: values do not continue, so "
		 "start "
		 "it in the first column\n"},
		{"[engine]\nmode: user\n",
		 "error: t.conf:2: ':' does not set a key: write key = value\n"},
		{"[engine]\nmode = user # mine\n",
		 "error: t.conf:2: a comment needs a line of its own\n"},
		{"[engine]\nmode = user ;mine\n",
		 "error: t.conf:2: a comment needs a line of its own\n"},
		{"[engine]\nmode user\n",
		 "error: t.conf:2: this is neither [section] nor key = value\n"},
		{"[engine]\n= user\n",
		 "error: t.conf:2: this is neither [section] nor key = value\n"},
		{"mode = user\n",
		 "error: t.conf:1: mode stands before any section: put it below its "
		 "[section]\n"},
		{"[engine\nmode = user\n", "error: t.conf:1: a section line must end "
					   "with ]: a comment needs a line "
					   "of its own\n"},
		{"[engine] # x\n", "error: t.conf:1: a section line must end with ]: a "
				   "comment needs a line "
				   "of its own\n"},
		{"[mount]\npath = /\n",
		 "error: t.conf:1: section [mount] needs a label: write [mount "
		 "\"LABEL\"]\n"},
		{"[engine \"x\"]\n",
		 "error: t.conf:1: section [engine] has no label: write [engine]\n"},
		{"[mount \"\"]\n",
		 "error: t.conf:1: section [mount ...] has no label that can be read: "
		 "write [mount \"LABEL\"]\n"},
		{"[mount srv]\n",
		 "error: t.conf:1: section [mount ...] has no label that can be read: "
		 "write [mount \"LABEL\"]\n"},
		{"[mount \"12345678901234567890123456789012345678901\"]\n",
		 "error: t.conf:1: the name of the section is longer than 48 bytes: "
		 "shorten the label\n"},
		{"[api]\ngroup = a\033[2J\n",
		 "error: t.conf:2: a key or value has a control character or is not "
		 "UTF-8\n"},
		{"[mount \"m\"]\npath = /\xff\n",
		 "error: t.conf:2: a key or value has a control character or is not "
		 "UTF-8\n"},
		{"[mount \"\001\"]\npath = /\n",
		 "error: t.conf:1: a section has a control character or is not UTF-8\n"},
		{"[mount \"a\"]\npath = /srv\n[mount \"b\"]\npath = /srv\n",
		 "error: t.conf:4: [mount \"b\"] has the same path as [mount \"a\"] in "
		 "t.conf:2: remove one of the two\n"},
		/* beside another mistake too */
		{"[mount \"a\"]\npath = /srv\n[mount \"b\"]\npath = /srv\n"
		 "[api]\nconnections = many\n",
		 "error: t.conf:6: connections: 'many' is not allowed: write 1 to 1000\n"
		 "error: t.conf:4: [mount \"b\"] has the same path as [mount \"a\"] in "
		 "t.conf:2: remove one of the two\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		refused(t[i].text, t[i].want);
}

static void test_nul(void **state)
{
	static const char text[] = "[engine]\nmode = user\0\nin_flight = 3\n";
	struct loaded *l = load_bytes(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(l->r, -EINVAL);
	assert_string_equal(l->text, "error: t.conf:2: the line has a NUL byte: this is "
				     "not a text file\n");
	unload(l);
}

/* inih alone would take what follows the 199th byte for a setting. */
static void test_overlong(void **state)
{
	char text[1024], path[CONF_LINE_MAX];
	struct loaded *l;

	(void)state;
	snprintf(text, sizeof(text), "[mount \"m\"]\npath = /%0190d\nmanage = no\n", 7);
	l = accepted(text, ""); /* 198 bytes */
	snprintf(path, sizeof(path), "/%0190d", 7);
	assert_string_equal(l->c->mount[0].path, path);
	unload(l);

	snprintf(text, sizeof(text), "[mount \"m\"]\npath = /%0191d\nmanage = no\n", 7);
	refused(text, "error: t.conf:2: the line is longer than 198 bytes\n");
	snprintf(text, sizeof(text), "[engine]\n#%0200d\nmode%0200d=\nin_flight = 3\n", 7,
		 7);
	refused(text, "error: t.conf:3: the line is longer than 198 bytes\n");
}

static void test_unknown(void **state)
{
	struct loaded *l = accepted(
		"[engine]\nin_fligth = 3\n[flash]\nafter = 1\n[api]\n"
		"connections = 5\n[mount \"m\"]\npath = /\ntype = xfs\n",
		"warning: t.conf:2: there is no key in_fligth in [engine]: it is "
		"ignored\n"
		"warning: t.conf:3: there is no section [flash]: it is ignored\n"
		"warning: t.conf:9: there is no key type in [mount \"m\"]: it is "
		"ignored\n");

	(void)state;
	assert_int_equal(l->c->in_flight, 2);
	assert_int_equal(l->c->api_connections, 5);
	assert_int_equal(l->c->n_mount, 1);
	unload(l);
}

/* A typo in an exclude section never makes it match more. */
static void test_exclude_typo(void **state)
{
	struct loaded *l = accepted(
		"[exclude \"a\"]\ntype = xfs\npth = /srv\n[exclude \"b\"]\n"
		"[exclude \"c\"]\ntype = ext4\n[mount \"m\"]\nmanage = yes\n",
		"warning: t.conf:3: there is no key pth in [exclude \"a\"]: it is "
		"ignored\n"
		"warning: t.conf:1: section [exclude \"a\"] matches nothing: one "
		"of its keys is not known\n"
		"warning: t.conf:4: section [exclude \"b\"] matches nothing: it "
		"has no key\n"
		"warning: t.conf:7: section [mount \"m\"] matches nothing: it has "
		"no key path\n");

	(void)state;
	assert_int_equal(l->c->n_exclude, 1);
	assert_string_equal(l->c->exclude[0].label, "c");
	assert_int_equal(l->c->n_mount, 0);
	unload(l);
}

static char *many_sections(unsigned n)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (unsigned i = 0; i < n; i++)
		fprintf(f, "[exclude \"%u\"]\npath = /%u\n", i, i);
	fclose(f);
	return text;
}

static void test_many_sections(void **state)
{
	char *text = many_sections(CONF_LABELLED_MAX);
	struct loaded *l = accepted(text, "");

	(void)state;
	assert_int_equal(l->c->n_exclude, CONF_LABELLED_MAX);
	assert_string_equal(l->c->exclude[999].path, "/999");
	unload(l);
	free(text);

	text = many_sections(10000);
	refused(text, "error: t.conf:2001: this is one section with a label too many: "
		      "there may be 1000 in all files together\n");
	free(text);
}

/* Findings are bounded too, and an error among those not shown still counts. */
static void test_many_findings(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct loaded *l;

	(void)state;
	fprintf(f, "[engine]\n");
	for (unsigned i = 0; i < 5000; i++)
		fprintf(f, "k%u = 1\n", i);
	fflush(f);
	l = load(text);
	assert_int_equal(l->r, 0);
	assert_int_equal(l->n_warning, CONF_DIAGS_MAX + 1);
	unload(l);

	fprintf(f, "mode = maybe\n");
	fclose(f);
	l = load(text);
	assert_int_equal(l->r, -EINVAL);
	assert_int_equal(l->n_warning, CONF_DIAGS_MAX);
	assert_int_equal(l->n_error, 1);
	unload(l);
	free(text);
}

static void test_too_large(void **state)
{
	size_t len = CONF_FILE_MAX + 100;
	char *text = malloc(len + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', len);
	text[len] = '\0';
	refused(text, "error: t.conf:1048577: the file is larger than 1M\n");
	free(text);
}

/* ---- The table ------------------------------------------------------------ */

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < conf_n_keys; i++) {
		const struct conf_key *k = &conf_keys[i];

		/* Keys of one section stand together: conf_key_index() counts on it. */
		assert_true(i == 0 || k->sect >= conf_keys[i - 1].sect);
		assert_true(conf_key_index(k) < CONF_SECT_KEYS_MAX);
		assert_ptr_equal(conf_key_find(k->sect, k->key), k);
		assert_true(strlen(k->key) < sizeof(((struct conf_row *)0)->key));
		if (k->inherit)
			assert_non_null(conf_key_find(CONF_SECT_FLUSH, k->inherit));
		else if (conf_sects[k->sect].labelled && !k->def)
			assert_true(k->type->string);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_long_comment),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_overlong),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_exclude_typo),
		cmocka_unit_test(test_many_sections),
		cmocka_unit_test(test_many_findings),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl explain DEVICE: how many contexts it has, and how the search came to that. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/units.h"
#include "wbctl/wbctl.h"

bool explain_is_device(const char *what, char ret[64])
{
	struct stat st;

	/* No file, but perhaps a name as the kernel has them. */
	if (stat(what, &st) < 0) {
		snprintf(ret, 64, "%.63s", what);
		return strlen(what) < 64 &&
		       strspn(what, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789:!._-") == strlen(what);
	}
	snprintf(ret, 64, "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return S_ISBLK(st.st_mode);
}

static void print_label(const char *label)
{
	printf("  %-12s", label);
}

static void print_text_line(const char *label, const char *text)
{
	CLEANUP(cleanup_freep) char *safe = escaped(text ? text : "?");

	print_label(label);
	printf("%s\n", safe ? safe : "?");
}

static const char *rate_text(uint64_t rate, char buf[UNITS_LEN + 3])
{
	char size[UNITS_LEN];

	units_human_size(rate, size);
	snprintf(buf, UNITS_LEN + 3, "%s/s", size);
	return buf;
}

static int get_int(const json_t *j, const char *key)
{
	return (int)json_integer_value(json_object_get(j, key));
}

static bool is_known(const json_t *j, const char *key)
{
	return json_is_integer(json_object_get(j, key));
}

static void print_percent(const json_t *j, const char *key)
{
	int v = get_int(j, key);

	printf("%s%d.%d %%", v < 0 ? "-" : "", abs(v) / 10, abs(v) % 10);
}

static const char *from_text(const char *from)
{
	static const char *const words[][2] = {
		{"search", "as the search says"},
		{"fixed", "as the configuration says"},
		{"auto", "as many as there are groups or CPUs, at most 8"},
		{"manual", "set by somebody else"},
		{"none", "nothing is managed there"},
	};

	for (size_t i = 0; from && i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i][0], from))
			return words[i][1];
	return "?";
}

static void print_mounts(const json_t *e)
{
	const json_t *list = json_object_get(e, "mounts"), *m;
	size_t i;

	json_array_foreach (list, i, m)
		print_text_line(i ? "" : "mounted at", json_string_value(m));
}

/* ---- the search -------------------------------------------------------------------- */

static void print_sample(const json_t *s)
{
	uint64_t ms = get_u64(s, "ms");
	char rate[UNITS_LEN + 3], dirty[UNITS_LEN], mark[UNITS_LEN];

	if (!ms)
		return;
	units_human_size(get_u64(s, "dirty"), dirty);
	units_human_size(get_u64(s, "mark"), mark);
	print_label("last sample");
	printf("%s, %s dirty (piles up from %s)",
	       rate_text(get_u64(s, "written") * 1000 / ms, rate), dirty, mark);
	if (is_known(s, "pause_us"))
		printf(", worst pause %" PRIu64 " ms", get_u64(s, "pause_us") / 1000);
	if (is_known(s, "busy_permille"))
		printf(", device busy %" PRIu64 " %%", get_u64(s, "busy_permille") / 10);
	putchar('\n');
}

static void print_rates(const json_t *s)
{
	const json_t *list = json_object_get(s, "rates"), *r;
	char rate[UNITS_LEN + 3];
	size_t i;

	json_array_foreach (list, i, r) {
		print_label(i ? "" : "measured");
		printf("%d context%s: %s\n", get_int(r, "contexts"),
		       get_int(r, "contexts") == 1 ? "" : "s",
		       rate_text(get_u64(r, "rate"), rate));
	}
}

static void print_trial(const json_t *t, bool first)
{
	const char *verdict = get_str(t, "verdict_text");

	print_label(first ? "tried" : "");
	printf("%d against %d (%s): ", get_int(t, "hi"), get_int(t, "lo"),
	       get_str(t, "cause_text") ? get_str(t, "cause_text") : "?");
	if (get_int(t, "crossings")) {
		print_percent(t, "gain_permille");
		fputs(" +- ", stdout);
		print_percent(t, "error_permille");
		fputs(", ", stdout);
	}
	printf("%d samples", get_int(t, "samples"));
	if (is_known(t, "pause_lo_us") && is_known(t, "pause_hi_us"))
		printf(", pauses %" PRIu64 " and %" PRIu64 " ms",
		       get_u64(t, "pause_hi_us") / 1000,
		       get_u64(t, "pause_lo_us") / 1000);
	printf(": %s\n", verdict ? verdict : "?");
}

static void print_memory(const json_t *s)
{
	const char *id = get_str(s, "remembered_as"), *trouble = get_str(s, "trouble");

	if (is_known(s, "began_with")) {
		print_label("began with");
		printf("%d, remembered\n", get_int(s, "began_with"));
	}
	print_text_line("known as",
			id ? id : "nothing that lasts, so nothing is remembered of it");
	if (trouble)
		print_text_line("trouble", trouble);
}

static void print_search(const json_t *s)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	const json_t *list = json_object_get(s, "trials"), *t;
	const char *state = get_str(s, "state"), *reason = get_str(s, "reason");
	uint64_t holdoff = get_u64(s, "holdoff_ms");
	size_t i;

	if (asprintf(&text, "%s: %s", state ? state : "?", reason ? reason : "?") < 0)
		text = NULL;
	print_text_line("search", text);
	print_label("best so far");
	printf("%d, at most %d\n", get_int(s, "settled"), get_int(s, "cap"));
	if (holdoff) {
		char time[48];

		human_ms(holdoff, time);
		print_label("next search");
		printf("not before %s of load\n", time);
	}
	print_sample(json_object_get(s, "sample"));
	print_rates(s);
	json_array_foreach (list, i, t)
		print_trial(t, i == 0);
	print_memory(s);
}

static void print_text(const char *what, const json_t *e)
{
	CLEANUP(cleanup_freep) char *name = escaped(what), *text = NULL;
	const char *from = get_str(e, "from"), *engine = get_str(e, "engine");
	const json_t *s = json_object_get(e, "search");

	printf("%s\n", name ? name : "?");
	if (asprintf(&text, "%s, bdi %s", get_str(e, "disk") ? get_str(e, "disk") : "?",
		     get_str(e, "bdi") ? get_str(e, "bdi") : "?") < 0)
		text = NULL;
	print_text_line("device", text);
	print_mounts(e);
	if (!get_bool(e, "managed")) {
		print_text_line("not managed", get_str(e, "reason"));
		return;
	}
	print_text_line("engine", engine);
	print_label("contexts");
	printf("%d, %s\n", get_int(e, "contexts"), from_text(from));
	if (json_is_object(s))
		print_search(s);
}

int explain_device(const struct opts *o, const char *what, const char *device)
{
	json_t *e = NULL;
	int r = daemon_call(o, "io.writeback.Search", json_pack("{ss}", "device", device),
			    &e);

	if (r != WBCTL_OK)
		return r;
	if (o->json)
		return print_json(e);
	print_text(what, e);
	json_decref(e);
	return WBCTL_OK;
}

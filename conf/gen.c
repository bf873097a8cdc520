// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes what follows from the table of the configuration: `man`, the reference
 * part of wb.conf(5) in scdoc, or `sample`, the file conf/wb.conf.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/conf_table.h"

static const char *default_text(const struct conf_key *k)
{
	if (k->inherit)
		k = conf_key_find(CONF_SECT_FLUSH, k->inherit);
	return k->def;
}

/* ---- man -------------------------------------------------------------------- */

/* scdoc gives these characters a meaning. */
static void put_escaped(const char *s)
{
	for (; *s; s++) {
		if (strchr("*_\\[]#", *s))
			putchar('\\');
		putchar(*s);
	}
}

static void man_key(const struct conf_key *k)
{
	const char *def = default_text(k);

	printf("*");
	put_escaped(k->key);
	printf("* = ");
	put_escaped(k->values);
	printf("\n\t");
	put_escaped(k->help);
	if (k->inherit)
		printf(" Default: what \\[flush\\] says.");
	else if (def)
		printf(" Default: %s.", def);
	if (k->required)
		printf(" Required.");
	printf("\n\n");
}

static void man(void)
{
	for (unsigned s = 0; s < CONF_SECT_N; s++) {
		const struct conf_sect_info *i = &conf_sects[s];

		printf("## [%s%s]\n\n", i->name, i->labelled ? " \"LABEL\"" : "");
		put_escaped(i->help);
		printf("\n\n");
		for (size_t k = 0; k < conf_n_keys; k++)
			if (conf_keys[k].sect == s)
				man_key(&conf_keys[k]);
	}
}

/* ---- sample ------------------------------------------------------------------- */

/* @text as comment lines of at most 78 columns. */
static void comment(const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column && column + 1 + word > 78) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%s%.*s", column ? " " : "# ", (int)word, text);
		text += word;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static const char *example(const struct conf_key *k)
{
	if (default_text(k))
		return default_text(k);
	if (k->type == &conf_type_device)
		return "nvme0n1";
	if (k->type == &conf_type_fstype)
		return "xfs";
	if (k->type == &conf_type_program)
		return "tar";
	if (k->type == &conf_type_names)
		return "read_ahead_kb";
	if (k->type == &conf_type_cpumask)
		return "f";
	if (k->sect == CONF_SECT_HINT)
		return strcmp(k->key, "cgroup") ? "/srv/backup/**"
						: "/system.slice/backup.service";
	return k->type == &conf_type_pattern ? "/media/*" : "/srv";
}

static void sample_section(enum conf_sect s)
{
	const struct conf_sect_info *i = &conf_sects[s];

	putchar('\n');
	comment(i->help);
	if (i->labelled)
		printf("#[%s \"example\"]\n", i->name);
	else
		printf("[%s]\n", i->name);
	for (size_t n = 0; n < conf_n_keys; n++) {
		const struct conf_key *k = &conf_keys[n];

		if (k->sect != s)
			continue;
		printf("\n");
		comment(k->help);
		printf("# Values: %s.\n#%s = %s\n", k->values, k->key, example(k));
	}
}

static void sample(void)
{
	printf("# SPDX-License-Identifier: GPL-2.0-or-later\n"
	       "# Configuration of wbd, the parallel writeback daemon; see wb.conf(5).\n"
	       "#\n"
	       "# Every key stands here, commented out, with its default, and the\n"
	       "# defaults are good: change what you can measure.  Rather than to edit\n"
	       "# this file, put a file with the keys that you change, below their\n"
	       "# [section], into wb.conf.d/ and name it NAME.conf.\n"
	       "#\n"
	       "# `wbctl config check` finds mistakes, `systemctl reload wbd` takes the\n"
	       "# changes over, `wbctl config show` shows what is in force and why.\n");
	for (unsigned s = 0; s < CONF_SECT_N; s++)
		sample_section((enum conf_sect)s);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "man"))
		man();
	else if (argc == 2 && !strcmp(argv[1], "sample"))
		sample();
	else {
		fprintf(stderr, "usage: gen man|sample\n");
		return 2;
	}
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}

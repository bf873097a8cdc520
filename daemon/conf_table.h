/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of sections and keys, and the settings as they were read.  Internal
 * to conf*.c, the generator and their tests.
 *
 * A file becomes items (one per section instance, conf_parse.c), later files
 * override single keys of them, and at the end every item is turned into its
 * struct of conf.h (conf_build.c).  Items are kept: they know where each value
 * came from.
 */
#ifndef WB_CONF_TABLE_H
#define WB_CONF_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/units.h"
#include "daemon/conf.h"

enum conf_sect {
	CONF_SECT_ENGINE,
	CONF_SECT_FLUSH,
	CONF_SECT_API,
	CONF_SECT_KNOBS,
	CONF_SECT_DEVICE, /* from here on with a label */
	CONF_SECT_MOUNT,
	CONF_SECT_EXCLUDE,
	CONF_SECT_HINT,
	CONF_SECT_KNOB,
	CONF_SECT_N
};

#define CONF_SECT_NAME_MAX 48  /* all that stands between [ and ] */
#define CONF_LINE_MAX      198 /* bytes of a line without its newline (inih's buffer) */
#define CONF_FILE_MAX      (1 << 20)
#define CONF_LABELLED_MAX  1000 /* labelled sections in all files together */
#define CONF_DROPIN_MAX    1000
#define CONF_DIAGS_MAX     100
#define CONF_SECT_KEYS_MAX 8
#define CONF_VALUE_LEN     (CONF_LINE_MAX + 1)

struct conf_key;

struct conf_type {
	/* Puts @text into @field (a char * is allocated; the old one is freed).
	 * 0, -EINVAL with the reason in @err, or -ENOMEM. */
	int (*parse)(const struct conf_key *k, const char *text, void *field,
		     char err[UNITS_ERR_LEN]);
	/* The value as the user would write it; "" for a string that is not set. */
	void (*format)(const struct conf_key *k, const void *field,
		       char buf[CONF_VALUE_LEN]);
	bool string; /* the field is a char * that is ours */
};

extern const struct conf_type conf_type_word, conf_type_bool, conf_type_count,
	conf_type_size, conf_type_time, conf_type_group, conf_type_device, conf_type_path,
	conf_type_pattern, conf_type_fstype, conf_type_program, conf_type_names,
	conf_type_cpumask;

struct conf_key {
	enum conf_sect sect;
	const char *key;
	const struct conf_type *type;
	size_t offset;            /* of the field in the section's struct */
	uint64_t min, max;        /* for numbers */
	bool off;                 /* `off` is allowed (CONF_OFF) */
	bool automatic;           /* `auto` is allowed (0) */
	bool search;              /* `search` is allowed (CONF_SEARCH) */
	bool required;            /* a labelled section without it has no effect */
	const char *const *words; /* for conf_type_word, in the order of the enum */
	const char *def;          /* NULL: not set, or inherited */
	const char *inherit;      /* key of [flush] whose value is the default */
	const char *values;       /* what may be written, for the manual */
	const char *help;         /* sentences for the manual and wb.conf */
};

struct conf_sect_info {
	const char *name;
	bool labelled;
	const char *help;
};

extern const struct conf_sect_info conf_sects[CONF_SECT_N];
extern const struct conf_key conf_keys[];
extern const size_t conf_n_keys;

/* The key's position among the keys of its section, for conf_item.place. */
unsigned conf_key_index(const struct conf_key *k);
const struct conf_key *conf_key_find(enum conf_sect sect, const char *key);
/* Section by its bare name; CONF_SECT_N if there is none. */
enum conf_sect conf_sect_find(const char *name);

struct conf_place {
	const char *file; /* NULL: not set.  Owned by conf_origin.file */
	unsigned line;
};

struct conf_item {
	enum conf_sect sect;
	char *label;             /* NULL for a section without labels */
	struct conf_place where; /* of its first section line */
	char *text[CONF_SECT_KEYS_MAX];
	struct conf_place place[CONF_SECT_KEYS_MAX];
	bool unknown_key; /* an [exclude] section then matches nothing */
	void *object;     /* its struct of conf.h once built; NULL: no effect */
};

/* What conf.h keeps opaque. */
struct conf_origin {
	struct conf_item *item; /* the first ones are the unlabelled sections */
	size_t n_item;
	char **file;
	size_t n_file;
	size_t n_labelled;
	bool full; /* too many labelled sections: reported, nothing more is read */
};

/* conf.c */
int conf_new(struct conf **ret); /* nothing set yet */
/* Adds a finding, control characters escaped; from CONF_DIAGS_MAX on it only says
 * that there are more.  For callees of conf_load(), which makes the room. */
void conf_diag_add(struct conf_diags *d, bool error, const char *fmt, ...) PRINTF(3, 4);
bool conf_diags_failed(const struct conf_diags *d);

/* conf_build.c: a finding for each section that names what another one names. */
void conf_find_twins(const struct conf_origin *o, struct conf_diags *d);
/* From items to values.  0 (findings in @d), or -ENOMEM. */
int conf_build(struct conf *c, struct conf_diags *d);

/* conf_files.c */
int conf_read_default(struct conf *c, const char *root, struct conf_diags *d);
int conf_read_file(struct conf *c, const char *path, struct conf_diags *d);

/*
 * conf_parse.c: reads one file into items of @c; @name is what findings call it.
 * 0 (findings in @d), or -ENOMEM.
 */
int conf_parse(struct conf *c, FILE *f, const char *name, struct conf_diags *d);

/* As conf_load(), but from one open stream, e.g. of fmemopen(3). */
int conf_load_stream(FILE *f, const char *name, struct conf **ret,
		     struct conf_diags *diags);

/* `[mount "LABEL"]` without the brackets. */
void conf_item_name(const struct conf_item *it, char buf[64]);

#endif

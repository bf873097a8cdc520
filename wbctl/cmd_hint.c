// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wbctl hint PATH SIZE: says for a program that does not how large its writes to a
 * file are.  The file is opened here, so the kernel checks that the caller may write
 * it; the daemon keeps the hint until the file has been idle for a while.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/units.h"
#include "common/vl_client.h"
#include "include/wb/uapi.h"
#include "libwb/xfs.h"
#include "wbctl/wbctl.h"

static int open_file(const char *path)
{
	/* O_NONBLOCK: a FIFO must not wait for its reader. */
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	struct stat st;

	if (fd < 0) {
		complain("Cannot open %s for writing: %s.", path, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	complain("%s is not a regular file: hints are for files.", path);
	close(fd);
	return -1;
}

/* What the hint of @size bytes sets on an empty file on XFS is what it has. */
static bool is_ours(int fd, uint64_t size)
{
	uint32_t block = wbi_xfs_block(fd);

	return block && size && wbi_xfs_has(fd, wbi_xfs_unit(size, 0, block));
}

/* Before the file has data.  That it cannot be done is told by the daemon's answer.  A
 * size that is there already stays, unless the hint of @before bytes has set it. */
static void set_extsize(int fd, uint64_t size, uint64_t before)
{
	(void)wbi_xfs_set(fd, wbi_xfs_block(fd), size, 0, is_ours(fd, before));
}

/* Taken back before data came: no trace stays of what the hint of @size bytes set. */
static void clear_extsize(int fd, uint64_t size)
{
	if (is_ours(fd, size))
		wbi_xfs_unset(fd);
}

static int call(const struct opts *o, const char *method, json_t *params, int fd,
		json_t **ret)
{
	CLEANUP(cleanup_freep) char *text = NULL;
	struct vl_answer a = {0};
	struct vl_client *c;
	int r = daemon_open(o, &c);

	if (r != WBCTL_OK) {
		json_decref(params);
		return r;
	}
	r = vl_client_send_fd(c, method, params, fd);
	if (r == 0)
		r = vl_client_receive(c, WBCTL_TIMEOUT_MS, &a);
	vl_client_free(c);
	if (r < 0) {
		complain("The daemon at %s does not answer: %s.", o->socket,
			 strerror(-r));
		return r == -ETIMEDOUT ? WBCTL_TIMED_OUT : WBCTL_FAILED;
	}
	if (a.error) {
		text = daemon_error_text(&a);
		complain("The daemon says: %s.", text ? text : a.error);
		vl_answer_clear(&a);
		return WBCTL_FAILED;
	}
	*ret = json_incref(a.params);
	vl_answer_clear(&a);
	return WBCTL_OK;
}

static int print_effects(const struct opts *o, const char *path, json_t *j)
{
	CLEANUP(cleanup_freep) char *name = escaped(path);
	json_t *e;
	size_t i;

	if (o->json)
		return print_json(j);
	printf("%s\n", name ? name : "?");
	json_array_foreach (json_object_get(j, "effects"), i, e) {
		const char *reason = get_str(e, "why");
		CLEANUP(cleanup_freep) char *why = reason ? escaped(reason) : NULL;

		if (get_bool(e, "in_force"))
			printf("  %-13sin force\n", get_str(e, "name"));
		else
			printf("  %-13snot in force: %s\n", get_str(e, "name"),
			       why ? why : "?");
	}
	json_decref(j);
	return WBCTL_OK;
}

/* What is hinted now, by whom ever; 0: nothing. */
static int hinted(const struct opts *o, int fd, uint64_t *ret)
{
	json_t *j = NULL;
	int r = call(o, "io.writeback.Query", NULL, fd, &j);

	if (r == WBCTL_OK)
		*ret = (uint64_t)json_integer_value(json_object_get(j, "write_size"));
	json_decref(j);
	return r;
}

static int give(const struct opts *o, const char *path, int fd, uint64_t size)
{
	uint64_t before = 0;
	json_t *j = NULL;
	int r = hinted(o, fd, &before);

	if (r != WBCTL_OK)
		return r;
	set_extsize(fd, size, before);
	/* A kernel with the wb series; another refuses. */
	(void)posix_fadvise(fd, 0, (off_t)size, POSIX_FADV_WRITE_SIZE);
	r = call(o, "io.writeback.Hint",
		 json_pack("{sI sb}", "write_size", (json_int_t)size, "keep", 1), fd, &j);
	if (r != WBCTL_OK)
		clear_extsize(fd, size);
	return r == WBCTL_OK ? print_effects(o, path, j) : r;
}

static int take_back(const struct opts *o, int fd)
{
	uint64_t size = 0;
	json_t *j = NULL;
	int r = hinted(o, fd, &size);

	if (r != WBCTL_OK)
		return r;
	clear_extsize(fd, size);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_WRITE_SIZE);
	r = call(o, "io.writeback.HintClear", NULL, fd, &j);
	json_decref(j);
	return r;
}

static int run(const struct opts *o, int argc, char **argv)
{
	CLEANUP(cleanup_closep) int fd = -1;
	char err[UNITS_ERR_LEN];
	uint64_t size = 0;

	(void)argc;
	if (strcmp(argv[1], "off") && units_parse_size(argv[1], &size, err) < 0) {
		complain("SIZE: %s.", err);
		return WBCTL_USAGE;
	}
	fd = open_file(argv[0]);
	if (fd < 0)
		return WBCTL_FAILED;
	return size ? give(o, argv[0], fd, size) : take_back(o, fd);
}

const struct command cmd_hint = {
	.name = "hint",
	.args = "PATH SIZE|off",
	.help = "Says how large the writes to a file are",
	.run = run,
	.args_min = 2,
	.args_max = 2,
};

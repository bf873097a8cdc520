// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the daemon's replies: what is known is kept, what is not is passed over. */
#include <string.h>

#include "libwb/int.h"
#include "libwb/json.h"

static bool read_u64(struct wbi_js *js, uint64_t *ret)
{
	int64_t v = 0;

	if (!wbi_js_int(js, &v))
		return false;
	*ret = v > 0 ? (uint64_t)v : 0;
	return true;
}

/* -1 for null and for what cannot be a number of a group. */
static bool read_i32(struct wbi_js *js, int32_t *ret)
{
	int64_t v = -1;

	if (!wbi_js_int(js, &v))
		return false;
	*ret = v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
	return true;
}

static bool read_text(struct wbi_js *js, char *buf, size_t size)
{
	return wbi_js_null(js) || wbi_js_string(js, buf, size);
}

static bool effect_member(struct wbi_js *js, const char *key, void *arg)
{
	struct wb_effect *e = arg;
	bool on = false;

	if (!strcmp(key, "name"))
		return wbi_js_string(js, e->name, sizeof(e->name));
	if (!strcmp(key, "why"))
		return read_text(js, e->why, sizeof(e->why));
	if (strcmp(key, "in_force"))
		return wbi_js_skip(js);
	if (!wbi_js_bool(js, &on))
		return false;
	e->in_force = on;
	return true;
}

static bool effect(struct wbi_js *js, size_t i, void *arg)
{
	struct wb_info *info = arg;

	if (i >= WB_EFFECTS_MAX)
		return wbi_js_skip(js);
	info->n_effects = (uint32_t)i + 1;
	return wbi_js_object(js, effect_member, &info->effects[i]);
}

static bool progress_member(struct wbi_js *js, const char *key, struct wbi_reply *r)
{
	if (!strcmp(key, "bytes_done"))
		return read_u64(js, &r->progress.bytes_done);
	if (!strcmp(key, "bytes_all"))
		return read_u64(js, &r->progress.bytes_all);
	if (!strcmp(key, "inodes_done"))
		return read_u64(js, &r->progress.inodes_done);
	if (!strcmp(key, "inodes_all"))
		return read_u64(js, &r->progress.inodes_all);
	if (!strcmp(key, "finished"))
		return wbi_js_bool(js, &r->finished);
	return wbi_js_skip(js);
}

static bool parameter(struct wbi_js *js, const char *key, void *arg)
{
	struct wbi_reply *r = arg;

	if (!strcmp(key, "effects") && !wbi_js_null(js))
		return wbi_js_array(js, effect, &r->info);
	if (!strcmp(key, "effects"))
		return true;
	if (!strcmp(key, "engine"))
		return read_text(js, r->info.engine, sizeof(r->info.engine));
	if (!strcmp(key, "context"))
		return read_i32(js, &r->info.context);
	if (!strcmp(key, "group"))
		return read_i32(js, &r->info.group);
	if (!strcmp(key, "write_size"))
		return read_u64(js, &r->info.write_size);
	if (!strcmp(key, "file_size"))
		return read_u64(js, &r->info.file_size);
	if (!strcmp(key, "reason"))
		return read_text(js, r->reason, sizeof(r->reason));
	return progress_member(js, key, r);
}

static bool member(struct wbi_js *js, const char *key, void *arg)
{
	struct wbi_reply *r = arg;

	if (!strcmp(key, "parameters"))
		return wbi_js_null(js) || wbi_js_object(js, parameter, r);
	if (!strcmp(key, "error"))
		return read_text(js, r->error, sizeof(r->error));
	if (!strcmp(key, "continues"))
		return wbi_js_null(js) || wbi_js_bool(js, &r->continues);
	return wbi_js_skip(js);
}

int wbi_reply_parse(const char *text, size_t len, struct wbi_reply *ret)
{
	struct wbi_reply r = {.info = {.context = -1, .group = -1}};
	struct wbi_js js;

	wbi_js_init(&js, text, len);
	if (wbi_js_peek(&js) != '{' || !wbi_js_object(&js, member, &r) ||
	    !wbi_js_finish(&js))
		return -EBADMSG;
	*ret = r;
	return 0;
}

int wbi_reply_errno(const struct wbi_reply *r)
{
	static const struct {
		const char *name;
		int error;
	} known[] = {
		{"io.writeback.BadDescriptor", EBADF},
		{"io.writeback.NotManaged", ENODEV},
		{"io.writeback.NoSuchFilesystem", ENODEV},
		{"io.writeback.LimitReached", EDQUOT},
		{"io.writeback.PermissionDenied", EACCES},
		{"io.writeback.TooManyConnections", EUSERS},
		{"io.writeback.Timeout", ETIMEDOUT},
		{"org.varlink.service.InvalidParameter", EINVAL},
		/* A daemon that is older than hints. */
		{"org.varlink.service.MethodNotFound", ENOSYS},
		{"org.varlink.service.InterfaceNotFound", ENOSYS},
		{"org.varlink.service.MethodNotImplemented", ENOSYS},
	};

	if (!r->error[0])
		return 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(r->error, known[i].name))
			return -known[i].error;
	return -EPROTO;
}

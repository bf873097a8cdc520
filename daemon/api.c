// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Varlink interface io.writeback: its table of methods, and what every call
 * goes through - is there such a method, are the parameters what they must be,
 * may the caller do it.
 */
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "daemon/api_int.h"
#include "daemon/log.h"
#include "daemon/notify.h"

static const struct api_param params_interface[] = {
	{"interface", API_STRING, true},
	{0},
};
static const struct api_param params_device[] = {
	{"device", API_STRING, true},
	{0},
};
static const struct api_param params_explain[] = {
	{"device", API_STRING, true},
	{"inode", API_INT, true},
	{"group", API_INT, false},
	{"path", API_STRING, false},
	{0},
};
static const struct api_param params_hint[] = {
	{"write_size", API_INT, false},
	{"file_size", API_INT, false},
	{"keep", API_BOOL, false},
	{0},
};
static const struct api_param params_drain[] = {
	{"mount", API_STRING, false},
	{"device", API_STRING, false},
	{"timeout_ms", API_INT, false},
	{0},
};
static const struct api_param params_monitor[] = {
	{"mount", API_STRING, false},
	{0},
};

static const struct api_method methods[] = {
	{API_SERVICE ".GetInfo", api_get_info, NULL, false, false, false},
	{API_SERVICE ".GetInterfaceDescription", api_get_description, params_interface,
	 false, false, false},
	{API_INTERFACE ".Status", api_status, NULL, false, false, false},
	{API_INTERFACE ".Plan", api_plan, NULL, false, false, false},
	{API_INTERFACE ".Geometry", api_geometry, params_device, false, false, false},
	{API_INTERFACE ".Explain", api_explain, params_explain, false, false, false},
	{API_INTERFACE ".Search", api_search, params_device, false, false, false},
	{API_INTERFACE ".Features", api_features, NULL, false, false, false},
	{API_INTERFACE ".Config", api_config, NULL, false, false, false},
	{API_INTERFACE ".Drain", api_drain_call, params_drain, false, false, false},
	{API_INTERFACE ".Monitor", api_monitor_call, params_monitor, false, true, false},
	{API_INTERFACE ".Hint", api_hint, params_hint, false, false, true},
	{API_INTERFACE ".HintClear", api_hint_clear, NULL, false, false, true},
	{API_INTERFACE ".Query", api_query, NULL, false, false, true},
	{API_INTERFACE ".Hints", api_hint_list, NULL, false, false, false},
	{API_INTERFACE ".Reload", api_reload, NULL, true, false, false},
};

static const struct api_method *find_method(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}

static bool type_fits(enum api_type t, const json_t *v)
{
	switch (t) {
	case API_STRING:
		return json_is_string(v);
	case API_INT:
		return json_is_integer(v);
	case API_BOOL:
		return json_is_boolean(v);
	}
	return false;
}

static const struct api_param *find_param(const struct api_param *p, const char *name)
{
	for (; p && p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

/* The first parameter that is unknown, missing or of the wrong type, or NULL. */
static const char *bad_param(const struct api_method *m, json_t *given)
{
	const struct api_param *p;
	const char *key;
	json_t *v;

	json_object_foreach (given, key, v) {
		p = find_param(m->params, key);
		if (!p || (!json_is_null(v) && !type_fits(p->type, v)))
			return key;
	}
	for (p = m->params; p && p->name; p++) {
		v = json_object_get(given, p->name);
		if (p->required && (!v || json_is_null(v)))
			return p->name;
	}
	return NULL;
}

const char *api_param_string(struct vl_call *call, const char *name)
{
	return json_string_value(json_object_get(vl_call_params(call), name));
}

int64_t api_param_int(struct vl_call *call, const char *name, int64_t missing)
{
	json_t *v = json_object_get(vl_call_params(call), name);

	return json_is_integer(v) ? json_integer_value(v) : missing;
}

bool api_param_bool(struct vl_call *call, const char *name)
{
	return json_is_true(json_object_get(vl_call_params(call), name));
}

/* The name service may ask a server: once per configuration, not per call. */
static void look_up_group(struct api *a)
{
	struct group g, *found = NULL;
	char buf[16384];

	a->gid_known = true;
	a->gid_reloads = a->w->reloads;
	a->gid_valid =
		getgrnam_r(a->w->conf->api_group, &g, buf, sizeof(buf), &found) == 0 &&
		found;
	if (a->gid_valid)
		a->gid = found->gr_gid;
}

bool api_may_change(struct api *a, const struct vl_call *call)
{
	if (vl_call_uid(call) == 0)
		return true;
	if (!a->gid_known || a->gid_reloads != a->w->reloads)
		look_up_group(a);
	return a->gid_valid && vl_call_in_group(call, a->gid);
}

static void refuse_caller(struct api *a, struct vl_call *call)
{
	char why[192];

	snprintf(why, sizeof(why), "only root and members of the group \"%.64s\"%s may",
		 a->w->conf->api_group, a->gid_valid ? "" : " (which does not exist)");
	vl_call_error(call, API_INTERFACE ".PermissionDenied",
		      json_pack("{so}", "reason", vl_string(why)));
}

/* Which of the two errors: the interface is unknown, or only the method is. */
static void refuse_method(struct vl_call *call, const char *name)
{
	CLEANUP(cleanup_freep) char *iface = strdup(name);
	char *dot = iface ? strrchr(iface, '.') : NULL;

	if (dot)
		*dot = '\0';
	if (iface && strcmp(iface, API_INTERFACE) && strcmp(iface, API_SERVICE))
		vl_call_error(call, API_SERVICE ".InterfaceNotFound",
			      json_pack("{ss}", "interface", iface));
	else
		vl_call_error(call, API_SERVICE ".MethodNotFound",
			      json_pack("{ss}", "method", name));
}

static void on_call(struct vl_call *call, void *arg)
{
	struct api *a = arg;
	const struct api_method *m = find_method(vl_call_method(call));
	const char *bad;

	if (!m) {
		refuse_method(call, vl_call_method(call));
		return;
	}
	bad = bad_param(m, vl_call_params(call));
	if (bad) {
		api_fail_param(call, bad);
		return;
	}
	if (m->needs_more && !vl_call_more(call)) {
		vl_call_error(call, API_SERVICE ".ExpectedMore", json_object());
		return;
	}
	if (m->privileged && !api_may_change(a, call)) {
		refuse_caller(a, call);
		return;
	}
	m->fn(a, call);
}

static unsigned allowed_connections(void *arg)
{
	const struct api *a = arg;

	return a->w->conf->api_connections;
}

static bool method_takes_fd(const char *method, void *arg)
{
	const struct api_method *m = find_method(method);

	(void)arg;
	return m && m->takes_fd;
}

static void drop_fd(uid_t uid, int fd, void *arg)
{
	const struct api *a = arg;

	api_hints_drop_fd(a->hints, uid, fd);
}

static bool room_fd(uid_t uid, void *arg)
{
	const struct api *a = arg;

	return api_hints_room_fd(a->hints, uid);
}

static void closed(uint64_t conn, void *arg)
{
	const struct api *a = arg;

	api_hints_closed(a->hints, conn);
}

const struct vl_server_ops api_server_ops = {
	.connections = allowed_connections,
	.call = on_call,
	.takes_fd = method_takes_fd,
	.drop_fd = drop_fd,
	.room_fd = room_fd,
	.closed = closed,
};

static int listen_somewhere(struct api *a, int *ret_fd)
{
	CLEANUP(cleanup_freep) char *path = NULL;
	const struct wbd_opts *o = &a->w->opts;
	int fd = notify_listen_fd();

	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (fd != -ENOENT) {
		log_err("The service manager passed something that is not one listening "
			"Unix stream socket; see wbd.socket.");
		return fd;
	}
	if (o->socket)
		path = strdup(o->socket);
	else if (asprintf(&path, "%s/io.writeback", o->runtime_dir) < 0)
		path = NULL;
	if (!path)
		return -ENOMEM;
	return api_socket_bind(path, &a->socket, ret_fd);
}

int api_new(struct wbd *w, struct api **ret)
{
	struct api *a = calloc(1, sizeof(*a));
	int fd, r;

	if (!a)
		return -ENOMEM;
	a->w = w;
	r = api_hints_new(a, &a->hints);
	if (r == 0)
		r = listen_somewhere(a, &fd);
	if (r == 0)
		r = vl_server_new(w->loop, fd, API_INTERFACE, &api_server_ops, a,
				  &a->server);
	if (r < 0) {
		api_free(a);
		return r;
	}
	*ret = a;
	return 0;
}

struct api *api_free(struct api *a)
{
	if (!a)
		return NULL;
	/* First, while the socket still holds its inode: its number is not reused. */
	a->socket = api_socket_free(a->socket);
	/* Ends the drains and monitors with their connections. */
	a->server = vl_server_free(a->server);
	a->hints = api_hints_free(a->hints);
	free(a);
	return NULL;
}

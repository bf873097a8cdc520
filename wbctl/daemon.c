// SPDX-License-Identifier: GPL-2.0-or-later
/* Asking the daemon, and what its errors say in one sentence. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vl_client.h"
#include "wbctl/wbctl.h"

bool daemon_is_absent(int error)
{
	return error == -ENOENT || error == -ECONNREFUSED;
}

const char *get_str(const json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

uint64_t get_u64(const json_t *j, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(j, key));

	return v < 0 ? 0 : (uint64_t)v;
}

bool get_bool(const json_t *j, const char *key)
{
	return json_is_true(json_object_get(j, key));
}

int print_json(json_t *j)
{
	json_t *out = json_pack("{si}", "schema", WBCTL_SCHEMA); /* the first to read */
	int r;

	json_object_update_missing(out, j);
	json_decref(j);
	r = json_dumpf(out, stdout, JSON_INDENT(2));
	json_decref(out);
	if (r < 0 || putchar('\n') == EOF)
		return WBCTL_FAILED; /* main() says why */
	return WBCTL_OK;
}

static int complain_connect(const struct opts *o, int error)
{
	if (daemon_is_absent(error)) {
		complain("The daemon does not run (nobody listens at %s): start wbd.",
			 o->socket);
		return WBCTL_NO_DAEMON;
	}
	if (error == -EAGAIN) {
		complain("The daemon at %s accepts no connection.", o->socket);
		return WBCTL_TIMED_OUT;
	}
	if (error == -ENOTSOCK) {
		complain("%s is not a socket: --socket takes that of wbd.", o->socket);
		return WBCTL_FAILED;
	}
	complain("Cannot connect to %s: %s.", o->socket, strerror(-error));
	return WBCTL_FAILED;
}

int daemon_open(const struct opts *o, struct vl_client **ret)
{
	int r = vl_client_open(o->socket, ret);

	return r < 0 ? complain_connect(o, r) : WBCTL_OK;
}

static const struct {
	const char *name, *text;
	const char *param; /* the parameter to show */
} errors[] = {
	{"io.writeback.NoSuchFilesystem", "there is no such file system in its view",
	 "mount"},
	{"io.writeback.NoSuchDevice",
	 "no mounted file system in its view is on such a device", "device"},
	{"io.writeback.NotManaged", "not managed", "reason"},
	{"io.writeback.NoSuchGroup", "there is no such group", "group"},
	{"io.writeback.BadDescriptor", "it cannot take a hint for this file", "reason"},
	{"io.writeback.PermissionDenied", "permission denied", "reason"},
	{"io.writeback.Timeout", "the time is over", "mount"},
	{"io.writeback.ReloadRefused", "the configuration was refused", "reason"},
	{"io.writeback.TooManyConnections", "it has too many connections already", NULL},
	{"io.writeback.ProtocolError", "it did not understand", "reason"},
	{"io.writeback.Failed", "it failed", "reason"},
	{"org.varlink.service.MethodNotFound", "it is too old for this", "method"},
	{"org.varlink.service.InvalidParameter", "it refused a parameter", "parameter"},
};

char *daemon_error_text(const struct vl_answer *a)
{
	const char *text = a->error, *value = NULL;
	char *ret = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		if (strcmp(errors[i].name, a->error))
			continue;
		text = errors[i].text;
		if (errors[i].param)
			value = get_str(a->params, errors[i].param);
	}
	if (asprintf(&ret, value ? "%s: %s" : "%s", text, value) < 0)
		return NULL;
	return ret;
}

static int take_reply(const struct opts *o, int r, struct vl_answer *a, json_t **ret)
{
	CLEANUP(cleanup_freep) char *text = NULL;

	if (r == -ETIMEDOUT) {
		complain("The daemon at %s does not answer.", o->socket);
		return WBCTL_TIMED_OUT;
	}
	if (r < 0) {
		complain("The daemon at %s hung up: %s.", o->socket, strerror(-r));
		return WBCTL_FAILED;
	}
	if (a->error) {
		text = daemon_error_text(a);
		complain("The daemon says: %s.", text ? text : a->error);
		vl_answer_clear(a);
		return WBCTL_FAILED;
	}
	*ret = json_incref(a->params);
	vl_answer_clear(a);
	return WBCTL_OK;
}

int daemon_call_if_running(const struct opts *o, const char *method, json_t *params,
			   json_t **ret)
{
	struct vl_answer a = {0};
	struct vl_client *c;
	int r = vl_client_open(o->socket, &c);

	if (r < 0) {
		json_decref(params);
		return daemon_is_absent(r) ? -ENOENT : complain_connect(o, r);
	}
	r = vl_client_call(c, method, params, WBCTL_TIMEOUT_MS, &a);
	r = take_reply(o, r, &a, ret);
	vl_client_free(c);
	return r;
}

int daemon_call(const struct opts *o, const char *method, json_t *params, json_t **ret)
{
	int r = daemon_call_if_running(o, method, params, ret);

	return r == -ENOENT ? complain_connect(o, -ENOENT) : r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the API: its methods, one file per group of them, and what they share. */
#ifndef WB_API_INT_H
#define WB_API_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/vl_msg.h"
#include "daemon/plan.h"
#include "daemon/vl_server.h"
#include "daemon/wbd.h"

#define API_SCHEMA    1
#define API_INTERFACE "io.writeback"
#define API_SERVICE   "org.varlink.service"

struct api {
	struct wbd *w;
	struct vl_server *server;
	struct api_socket *socket; /* NULL: passed by the service manager */
	struct api_drain *drains;
	struct api_monitor *monitors;
	struct api_hints *hints;
	/* The privileged group, looked up once per configuration. */
	bool gid_known, gid_valid;
	uint64_t gid_reloads;
	gid_t gid;
};

enum api_type { API_STRING, API_INT, API_BOOL };
struct api_param {
	const char *name; /* NULL ends the list */
	enum api_type type;
	bool required;
};

struct api_method {
	const char *name; /* "io.writeback.Status" */
	void (*fn)(struct api *a, struct vl_call *call);
	const struct api_param *params; /* NULL: none */
	bool privileged;
	bool needs_more;
	bool takes_fd;
};

/* What the server does with calls and descriptors; their @arg is a struct api.  A call's
 * method is found, checked and run; it is always answered or deferred. */
extern const struct vl_server_ops api_server_ops;

/* Parameters, already checked against the table; NULL or @missing if not given. */
const char *api_param_string(struct vl_call *call, const char *name);
int64_t api_param_int(struct vl_call *call, const char *name, int64_t missing);

bool api_param_bool(struct vl_call *call, const char *name);

bool api_may_change(struct api *a, const struct vl_call *call);

/* ---- Values shared by several answers (api_value.c) ---------------------- */

json_t *api_dev(dev_t dev);        /* "MAJ:MIN" */
json_t *api_u64(uint64_t v);       /* as far as JSON's integers go */
json_t *api_errno(int error);      /* 0: null; else the words */
json_t *api_setting(uint64_t v);   /* CONF_OFF: null */
json_t *api_clause(const char *s); /* "" and NULL: null */
int api_parse_dev(const char *s, dev_t *ret);

const char *api_group_kind(const struct geom *g);
/* The groups of context @ctx: their number; *@ret_list (64 bytes) as "1-57/8". */
uint64_t api_groups_of(const struct plan_fs *f, unsigned ctx, char ret_list[64]);
/* "kernel" or "user"; null: not managed. */
json_t *api_engine(const struct plan_fs *f);
/* What the kernel engine has set for it (api_kern.c); null with another engine. */
json_t *api_kernel(const struct api *a, const struct plan_fs *f);
/* As engine_get_ctx_stat(), from the kernel's contexts. */
int api_kernel_ctx_stats(const struct api *a, const struct plan_fs *f,
			 struct engine_ctx_stat *ret, unsigned max);
/* The clause that says why; @buf is used where it depends on this machine. */
const char *api_reason(const struct api *a, const struct plan_fs *f, char *buf,
		       unsigned len);

/* Planned file system with @dev, or with mount point @mount (the newest one if
 * several are stacked there); NULL if there is none. */
const struct plan_fs *api_find_dev(const struct api *a, dev_t dev);
const struct plan_fs *api_find_mount(const struct api *a, const char *mount);
/* By the parameter "device"; answers @call with an error and returns NULL. */
const struct plan_fs *api_fs_of_device(struct api *a, struct vl_call *call);

void api_fail_no_fs(struct vl_call *call, const char *what);
void api_fail_param(struct vl_call *call, const char *name);

/* ---- Methods --------------------------------------------------------------- */

void api_get_info(struct api *a, struct vl_call *call);
void api_get_description(struct api *a, struct vl_call *call);
void api_status(struct api *a, struct vl_call *call);
void api_plan(struct api *a, struct vl_call *call);
void api_geometry(struct api *a, struct vl_call *call);
void api_explain(struct api *a, struct vl_call *call);
void api_search(struct api *a, struct vl_call *call);
void api_features(struct api *a, struct vl_call *call);
void api_config(struct api *a, struct vl_call *call);
void api_hint(struct api *a, struct vl_call *call);
void api_hint_clear(struct api *a, struct vl_call *call);
void api_query(struct api *a, struct vl_call *call);
void api_hint_list(struct api *a, struct vl_call *call);
void api_reload(struct api *a, struct vl_call *call);
void api_drain_call(struct api *a, struct vl_call *call);
void api_monitor_call(struct api *a, struct vl_call *call);

/* ---- Hints (api_hint.c, api_hint_call.c) ---------------------------------- */

int api_hints_new(struct api *a, struct api_hints **ret);
/* After the server, whose clients may wait for an answer. */
struct api_hints *api_hints_free(struct api_hints *h);
/* A connection is over. */
void api_hints_closed(struct api_hints *h, uint64_t conn);
void api_hints_drop_fd(struct api_hints *h, uid_t uid, int fd);
bool api_hints_room_fd(struct api_hints *h, uid_t uid);
/* For Explain: what is asked for an inode, or null. */
json_t *api_explained_hint(struct api *a, const struct plan_fs *f, uint64_t ino, int rule,
			   const char *path);

/* ---- The socket (api_socket.c) -------------------------------------------- */

struct api_socket;
/* Binds and listens at @path; *@ret_fd is the caller's.  Logs why not. */
int api_socket_bind(const char *path, struct api_socket **ret, int *ret_fd);
/* Removes the file if it is still ours. */
struct api_socket *api_socket_free(struct api_socket *s);

#endif

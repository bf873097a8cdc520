// SPDX-License-Identifier: GPL-2.0-or-later
/* org.varlink.service: introspection.  The texts are the .varlink files. */
#include <string.h>

#include "common/cleanup.h"
#include "daemon/api_int.h"

static const struct {
	const char *name, *text;
} interfaces[] = {
	{
		API_SERVICE,
#include "org.varlink.service.inc"
	},
	{
		API_INTERFACE,
#include "io.writeback.inc"
	},
};

void api_get_info(struct api *a, struct vl_call *call)
{
	json_t *names = json_array();

	(void)a;
	for (size_t i = 0; i < ARRAY_SIZE(interfaces); i++)
		json_array_append_new(names, json_string(interfaces[i].name));
	vl_call_reply(call, json_pack("{ss ss ss ss so}", "vendor", "wb", "product",
				      "wbd", "version", WB_VERSION, "url", "man:wbd(8)",
				      "interfaces", names));
}

void api_get_description(struct api *a, struct vl_call *call)
{
	const char *name = api_param_string(call, "interface");

	(void)a;
	for (size_t i = 0; i < ARRAY_SIZE(interfaces); i++) {
		if (strcmp(interfaces[i].name, name))
			continue;
		vl_call_reply(call, json_pack("{ss}", "description", interfaces[i].text));
		return;
	}
	vl_call_error(call, API_SERVICE ".InterfaceNotFound",
		      json_pack("{ss}", "interface", name));
}

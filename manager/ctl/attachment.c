/* SPDX-License-Identifier: Apache-2.0 */
/* attachment.c - an attachment as a row, for the commands that show some */
#include "manager/ctl/attachment.h"

#include "base/mem.h"

enum { SHORT_ID = 13 };

json_t *ctl_attachment_row(const struct ctl_options *opt, const struct inv_attachment *a)
{
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "device_id", a->device_id }, { "host_name", a->host_name },
		{ "pod_namespace", a->pod_namespace }, { "pod_name", a->pod_name },
		{ "pod_uid", a->pod_uid }, { "network", a->network }, { "interface", a->ifname },
		{ "kind", a->kind }, { "state", a->state }, { "why", a->why },
		{ "container_id", a->container_id }, { "netns", a->netns }, { "vdpa", a->vdpa },
		{ "info_file", a->info_file }, { "file", a->file }, { "state_dir", a->state_dir },
	};
	json_t *row = json_pack("{s:s}", "device", a->device);

	if (*a->pod_name)
		(void)json_object_set_new(row, "pod", json_sprintf("%s/%s", a->pod_namespace,
								   a->pod_name));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (*texts[i].text)
			(void)json_object_set_new(row, texts[i].key, json_string(texts[i].text));
	if (!ctl_is_json(opt) && !ctl_is_wide(opt))
		(void)json_object_set_new(row, "container_id",
					  json_sprintf("%.*s", SHORT_ID, a->container_id));
	return row;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - the Node object, which owns what is published of the node */
#include "daemon/publish/node.h"

#include "base/jx.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

int node_uid(const struct publishing *p, char ret[NODE_UID_SIZE], struct err *e)
{
	json_auto_t *node = NULL;
	char path[API_PATH_MAX];
	const char *uid;
	int r;

	(void)snprintf(path, sizeof(path), "/api/v1/nodes/%s", p->node);
	r = api_send(p->api, &(struct api_request){ .path = path, .form = API_METADATA }, &node, e);
	if (r == 0)
		return err_set(e, ERR_UNAVAILABLE, 0, "the cluster has no Node '%s': --node-name "
			       "says which this one is", p->node);
	if (r < 0)
		return -1;
	uid = jx_get_text(json_object_get(node, "metadata"), "uid");
	if (!*uid || strlen(uid) >= NODE_UID_SIZE)
		return err_set(e, ERR_DECODE, 0, "the Node '%s' has no uid", p->node);
	(void)snprintf(ret, NODE_UID_SIZE, "%s", uid);
	return 0;
}

int node_look(const struct publishing *p, struct inventory *inv, struct pools *pools,
	      struct err *e)
{
	const struct options *o = p->options;

	if (o->pool && pools_read_file(o->pool, o->resource_prefix, pools, e) < 0)
		return -1;
	return inventory_read(p->host, inv, e) < 0 || inventory_join(p->host, inv, e) < 0 ? -1 : 0;
}

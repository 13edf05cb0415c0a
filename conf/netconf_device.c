/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_device.c - which device: as the network, the runtime and the pod say it */
#include "conf/netconf_parts.h"

#include "base/name.h"

#include <string.h>

/* Multus writes kubelet's choice into both. */
struct ids {
	const char *id, *bus;
};

const struct conf_key device_id_keys[] = {
	{ "deviceID", KEY_TEXT, ANYWHERE, KEY_AT(struct ids, id) },
	{ "pciBusID", KEY_TEXT, ANYWHERE, KEY_AT(struct ids, bus) },
	KEY_END
};

const struct conf_key device_keys[] = {
	{ "device", KEY_TEXT, AT_OWNER, KEY_AT(struct netconf, device), .fits = name_is_ifname,
	  .must = "the name of a network device" },
	{ "resourceName", KEY_TEXT, ANYWHERE, KEY_AT(struct netconf, resource), KEY_IS_RESOURCE },
	{ "claim", KEY_TEXT, ANYWHERE, KEY_AT(struct netconf, claim), KEY_IS_FILE },
	{ "request", KEY_TEXT, ANYWHERE, KEY_AT(struct netconf, request), .fits = name_is_request,
	  .must = "the name of a request, or of a request and, behind a '/', its subrequest" },
	{ "deviceOptional", KEY_BOOL, AT_CHAINED | AT_META,
	  KEY_AT(struct netconf, device_optional) },
	KEY_END
};

/* kubelet's choice is in runtimeConfig, too: alone there, it is what the pod's author asks for. */
static int choose_id(struct netconf *nc, const struct ids *ids, const char *runtime, struct err *e)
{
	const char *id = ids->id, *bus = ids->bus;

	nc->device_id = runtime ? runtime : id ? id : bus;
	nc->id_is_runtime = runtime && (!id || !name_ids_equal(id, runtime)) &&
			    (!bus || !name_ids_equal(bus, runtime));
	if (!runtime && id && bus && !name_ids_equal(id, bus))
		return err_set(e, ERR_NETCONF, 0, "deviceID '%.64s' and pciBusID '%.64s' "
			       "contradict each other", id, bus);
	if (nc->device_id && !name_is_device_id(nc->device_id))
		return err_set(e, ERR_NETCONF, 0, "invalid deviceID '%.64s': must be the id of a "
			       "device", nc->device_id);
	return 0;
}

int netconf_device(struct netconf *nc, struct err *e)
{
	struct ids ids = { 0 };

	if (key_read(nc->doc, "", device_id_keys, &ids, e) < 0 ||
	    key_read(nc->doc, "", device_keys, nc, e) < 0)
		return -1;
	if (nc->by_pod.resource)
		nc->resource = nc->by_pod.resource;
	nc->pinned = nc->by_pod.device_id;
	return choose_id(nc, &ids, nc->by_runtime.device_id, e);
}

int netconf_check_id(const struct netconf *nc, struct err *e)
{
	char hint[NAME_BDF_HINT];

	/* of a socket it may be what its device plugin calls it */
	if (!nc->device_id || nc->socket.kind || !*name_bdf_hint(nc->device_id, hint))
		return 0;
	return err_set(e, ERR_NETCONF, 0, "invalid deviceID '%.64s'%s", nc->device_id, hint);
}

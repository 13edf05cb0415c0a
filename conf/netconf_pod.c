/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_pod.c - what the runtime passes on and the pod says, and what the pod may say */
#include "conf/netconf_parts.h"

#include "base/jx.h"
#include "base/name.h"
#include "conf/selection.h"
#include "conf/settings.h"

#include <string.h>
#include <strings.h>

#define TO(member)	KEY_AT(struct netconf_wish, member)
#define IS_GUID		.take = netconf_take_guid, .must = NETCONF_GUID_MUST

const struct conf_key runtime_keys[] = {
	{ "deviceID", KEY_TEXT, 0, TO(device_id) },
	{ "CNIDeviceInfoFile", KEY_TEXT, 0, TO(device_info_file) },
	{ "mac", KEY_TEXT, 0, TO(mac) },
	{ "infinibandGUID", KEY_FORM, 0, TO(guid), IS_GUID },
	{ "dns", KEY_OBJECT, 0, TO(dns) },
	KEY_END
};

const struct conf_key pod_keys[] = {
	{ "deviceID", KEY_TEXT, 0, TO(device_id), .fits = name_is_device_id,
	  .must = "the id of a device" },
	{ "resourceName", KEY_TEXT, 0, TO(resource), KEY_IS_RESOURCE },
	{ "mac", KEY_TEXT, 0, TO(mac) },
	{ "mtu", KEY_INT, 0, TO(mtu), .max = 65535 },
	{ "guid", KEY_FORM, 0, TO(guid), IS_GUID },
	KEY_ROW("mellanox.infiniband.app", KEY_OTHER, 0),	/* see netconf_ib_kubernetes() */
	KEY_END
};

const struct conf_key about_pod_keys[] = {
	{ "podNetworks", KEY_BOOL, ANYWHERE, KEY_AT(struct netconf, pod_networks),
	  .by_default = "false" },
	{ "podMayOverride", KEY_TEXTS, ANYWHERE, KEY_AT(struct netconf, may_override),
	  .choices = pod_override_choices },
	KEY_END
};

static bool has_text(const json_t *list, const char *text)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (strcmp(json_string_value(v), text) == 0)
			return true;
	return false;
}

/* Not what stands for nothing: null, "" and an mtu of 0. */
static bool is_said(const json_t *doc, const char *key)
{
	const json_t *v = json_object_get(doc, key);

	return v && !json_is_null(v) && !(json_is_string(v) && !json_string_length(v)) &&
	       !(json_is_integer(v) && !json_integer_value(v));
}

/* NULL: it says nothing.  A claim says whose devices they are, as a resource does. */
static const json_t *said_by_network(const struct netconf *nc, const char *key)
{
	const json_t *vdpa = json_object_get(nc->doc, "vdpa");

	if (is_said(nc->doc, key))
		return json_object_get(nc->doc, key);
	if (strcmp(key, "resourceName") == 0 && is_said(nc->doc, "claim"))
		return json_object_get(nc->doc, "claim");
	return strcmp(key, "mac") == 0 && is_said(vdpa, key) ? json_object_get(vdpa, key) : NULL;
}

bool netconf_pod_may_say(const struct netconf *nc, const char *key)
{
	return !said_by_network(nc, key) || has_text(nc->may_override, key) ||
	       has_text(nc->node_may_override, key);
}

bool netconf_says(const struct netconf *nc, const char *key, const char *text)
{
	const char *said = json_string_value(said_by_network(nc, key));

	return said && strcasecmp(said, text) == 0;
}

/* The case of letters has no meaning in what both say: addresses, and numbers in hexadecimal. */
static bool is_same(const json_t *a, const json_t *b)
{
	return json_equal(a, b) || (json_is_string(a) && json_is_string(b) &&
				    strcasecmp(json_string_value(a), json_string_value(b)) == 0);
}

/* The pod's fills an absent one of the network's, or one that podMayOverride names. */
static bool is_shared(const char *key)
{
	for (const char *const *shared = pod_override_choices; *shared; shared++)
		if (strcmp(*shared, key) == 0)
			return true;
	return false;
}

int netconf_runtime(struct netconf *nc, struct err *e)
{
	json_t *rc = NULL;

	if (jx_object(nc->doc, "", "runtimeConfig", &rc, e) < 0 ||
	    key_read(rc, "runtimeConfig", runtime_keys, &nc->by_runtime, e) < 0)
		return -1;
	nc->runtime = rc;
	json_decref(nc->selection);
	nc->selection = selection_from_runtime(rc);
	return 0;
}

int netconf_pod(struct netconf *nc, struct err *e)
{
	const json_t *args = json_object_get(json_object_get(nc->doc, "args"), "cni");

	if (key_read(nc->doc, "", about_pod_keys, nc, e) < 0)
		return -1;
	json_decref(nc->args);
	nc->args = json_object();
	nc->overruled = NULL;
	for (const struct conf_key *k = pod_keys; k->name; k++) {
		json_t *v = json_object_get(args, k->name);

		if (!v)
			continue;
		if (!is_shared(k->name) || netconf_pod_may_say(nc, k->name))
			(void)json_object_set(nc->args, k->name, v);
		else if (is_said(args, k->name) && !is_same(v, said_by_network(nc, k->name)))
			nc->overruled = k->name;
	}
	return key_read(nc->args, "args.cni", pod_keys, &nc->by_pod, e);
}

int netconf_refuse_overruled(struct netconf *nc, struct err *e)
{
	if (!nc->overruled)
		return 0;
	(void)err_set(e, ERR_NETCONF, 0, "args.cni.%s: the network says it, and not the pod",
		      nc->overruled);
	return err_detail(e, "podMayOverride, of the network or of the node's file, could let it");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_interface.c - what the interface is, and how its device is driven and given back */
#include "conf/netconf_parts.h"

#include "base/name.h"

#include <strings.h>

#define TO(member)	KEY_AT(struct netconf, member)

/* As a bool: the second is known_clean. */
static const char *const release_choices[] = { "restore", "known-clean", NULL };

const struct conf_key release_keys[] = {
	{ "driver", KEY_TEXT, AT_OWNER, TO(driver), KEY_IS_FILE },
	{ "releasePolicy", KEY_CHOICE, AT_OWNER, TO(known_clean), .choices = release_choices,
	  .by_default = "restore", .idle = "restore" },
	{ "resetOnRelease", KEY_BOOL, AT_OWNER, TO(reset_on_release) },
	KEY_END
};

const struct conf_key interface_keys[] = {
	{ "mac", KEY_TEXT, ANYWHERE, TO(mac) },
	{ "mtu", KEY_INT, ANYWHERE, TO(mtu), .max = 65535 },
	{ "txQueueLen", KEY_INT, AT_DEVICE, TO(txqlen), KEY_SAID(struct netconf, txqlen_said),
	  .max = 65536 },
	KEY_ROW("ipam", KEY_OBJECT, ANYWHERE),
	KEY_ROW("dns", KEY_OBJECT, ANYWHERE),
	KEY_END
};

const struct conf_key ipam_keys[] = {
	{ "type", KEY_TEXT, AT_INTERFACE, TO(ipam_type), KEY_IS_FILE }, KEY_END
};

/* Passed on as they are, so only their types are looked at. */
const struct conf_key dns_keys[] = {
	KEY_ROW("nameservers", KEY_TEXTS, ANYWHERE), KEY_ROW("domain", KEY_TEXT, ANYWHERE),
	KEY_ROW("search", KEY_TEXTS, ANYWHERE), KEY_ROW("options", KEY_TEXTS, ANYWHERE), KEY_END
};

/* Other keys that would have to mean something else, or nothing, for a vDPA device. */
static int check_vdpa(struct netconf *nc, struct err *e)
{
	struct vdpa_conf *v = &nc->vdpa;

	if (vdpa_conf_parse(nc->doc, &nc->vdpa, e) < 0)
		return -1;
	if (!v->present)
		return 0;
	if (nc->driver || nc->device)
		return err_set(e, ERR_NETCONF, 0, "%s: %.64s: not together with vdpa",
			       nc->driver ? "driver" : "device",
			       nc->driver ? nc->driver : nc->device);
	if (*v->mgmt_dev && nc->device_id && !vdpa_conf_is_mgmtdev(v, nc->device_id))
		return err_set(e, ERR_NETCONF, 0,
			       "deviceID '%.64s' and vdpa.mgmtdev '%s%s%s' contradict each other",
			       nc->device_id, v->mgmt_bus, *v->mgmt_bus ? "/" : "", v->mgmt_dev);
	if (nc->txqlen_said && v->driver == VDPA_DRIVER_VHOST)
		return err_set(e, ERR_NETCONF, 0,
			       "txQueueLen: with vdpa.driver vhost there is no network device");
	return vdpa_conf_take_mtu(v, nc->mtu, e);
}

int netconf_interface(struct netconf *nc, struct err *e)
{
	const struct netconf_wish *runtime = &nc->by_runtime, *pod = &nc->by_pod;

	if (key_read(nc->doc, "", interface_keys, nc, e) < 0 ||
	    key_read(json_object_get(nc->doc, "ipam"), "ipam", ipam_keys, nc, e) < 0 ||
	    key_read(nc->doc, "", release_keys, nc, e) < 0)
		return -1;
	nc->mac_key = pod->mac ? "args.cni.mac" : runtime->mac ? "runtimeConfig.mac" : "mac";
	if (pod->mac || runtime->mac)
		nc->mac = pod->mac ? pod->mac : runtime->mac;
	if (pod->mtu >= 0)
		nc->mtu = pod->mtu;
	if (nc->mtu == 0)
		nc->mtu = -1;
	nc->device_info_file = runtime->device_info_file;
	if (nc->driver && (nc->mtu > 0 || nc->txqlen_said))
		return err_set(e, ERR_NETCONF, 0,
			       "%s: with driver %.64s there is no network device",
			       nc->mtu > 0 ? "mtu" : "txQueueLen", nc->driver);
	return check_vdpa(nc, e);
}

/* -- dns -- */

/* It has the types that the specification gives its members; NULL is one. */
static int check_dns(const json_t *dns, struct err *e)
{
	return key_read(dns, "dns", dns_keys, &(char){ 0 }, e);
}

/* Engines write the members of the capability as Go or as JSON spells them: Servers, servers. */
static json_t *runtime_list(const json_t *dns, const char *key)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)dns, name, v)
		if (strcasecmp(name, key) == 0 && !json_is_null(v))
			return v;
	return NULL;
}

int netconf_dns(struct netconf *nc, struct err *e)
{
	/* who has made the interface has been told of the pod's DNS himself */
	const json_t *runtime = nc->position == POSITION_OWNER ? nc->by_runtime.dns : NULL;
	static const char *const keys[][2] = {
		{ "servers", "nameservers" }, { "searches", "search" }, { "options", "options" },
	};
	json_t *dns = json_object_get(nc->doc, "dns");

	if (check_dns(dns, e) < 0)
		return -1;
	if (json_is_object(dns))
		nc->dns = json_copy(dns);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		json_t *list = runtime_list(runtime, keys[i][0]);

		if (!list)
			continue;
		if (!nc->dns)
			nc->dns = json_object();
		(void)json_object_set(nc->dns, keys[i][1], list);
	}
	return runtime && check_dns(nc->dns, e) < 0 ? err_wrap(e, "runtimeConfig") : 0;
}

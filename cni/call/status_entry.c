/* SPDX-License-Identifier: Apache-2.0 */
/* status_entry.c - what network-status says of one attachment */
#include "cni/call/status_entry.h"

#include "cni/call/convert.h"

#include <string.h>

/* The addresses without their prefix length, which is how every consumer reads them. */
static json_t *bare_ips(const json_t *ips)
{
	json_t *list = json_array();
	const json_t *ip;
	size_t i;

	json_array_foreach(ips, i, ip) {
		const char *s = json_string_value(json_object_get(ip, "address"));

		if (s)
			(void)json_array_append_new(list, json_stringn(s, strcspn(s, "/")));
	}
	return list;
}

/* The gateway that came with the first address of a family: what a route without one goes by. */
static const char *gateway_of(const json_t *ips, bool v6)
{
	const json_t *ip;
	size_t i;

	json_array_foreach(ips, i, ip) {
		const char *gw = json_string_value(json_object_get(ip, "gateway"));

		if (gw && *gw && (strchr(gw, ':') != NULL) == v6)
			return gw;
	}
	return NULL;
}

/* The gateways of default routes; a device route has none and adds nothing. */
static json_t *default_gateways(const json_t *result, const json_t *ips)
{
	json_t *list = json_array();
	const json_t *route;
	size_t i;

	json_array_foreach(json_object_get(result, "routes"), i, route) {
		const char *dst = json_string_value(json_object_get(route, "dst"));
		const char *gw = json_string_value(json_object_get(route, "gw"));

		if (!dst || (strcmp(dst, "0.0.0.0/0") != 0 && strcmp(dst, "::/0") != 0))
			continue;
		if (!gw || !*gw)
			gw = gateway_of(ips, strchr(dst, ':') != NULL);
		if (gw)
			(void)json_array_append_new(list, json_string(gw));
	}
	return list;
}

static void set_unless_empty(json_t *o, const char *key, json_t *v)
{
	if (json_is_array(v) ? json_array_size(v) > 0 : json_object_size(v) > 0)
		(void)json_object_set(o, key, v);
	json_decref(v);
}

/* As Multus has it: a definition with its namespace, the default network without. */
static json_t *entry_name(const struct owner *o, const char *name_space)
{
	return *name_space ? json_sprintf("%s/%s", name_space, o->network) :
			     json_string(o->network);
}

json_t *status_entry(const struct owner *o, const char *name_space, const json_t *result,
		     uint32_t mtu, const json_t *device_info)
{
	const json_t *intf = result_interface(result, o->ifname);
	json_int_t its_mtu = json_integer_value(json_object_get(intf, "mtu"));
	json_t *entry = json_pack("{s:o, s:s}", "name", entry_name(o, name_space), "interface",
				  o->ifname);
	json_auto_t *ips = result_ips(result, intf);
	json_t *gateways = default_gateways(result, ips), *v;

	set_unless_empty(entry, "ips", bare_ips(ips));
	v = json_object_get(intf, "mac");
	if (v)
		(void)json_object_set(entry, "mac", v);
	if (its_mtu || mtu)
		(void)json_object_set_new(entry, "mtu", json_integer(its_mtu ? its_mtu : mtu));
	/* kubelet's name for the interface of the cluster's default network */
	if (strcmp(o->ifname, "eth0") == 0)
		(void)json_object_set_new(entry, "default", json_true());
	set_unless_empty(entry, "dns", json_deep_copy(json_object_get(result, "dns")));
	if (device_info)
		(void)json_object_set_new(entry, "device-info", json_deep_copy(device_info));
	/* the specification says default-route, the Go library and its users say gateway */
	set_unless_empty(entry, "default-route", json_incref(gateways));
	set_unless_empty(entry, "gateway", gateways);
	return entry;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* status_entry.c - what network-status says of one attachment */
#include "cni/call/status_entry.h"

#include "base/mem.h"
#include "cni/call/convert.h"

#include <stdio.h>
#include <stdlib.h>
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
	if (json_is_string(v) ? json_string_length(v) > 0 :
	    json_is_array(v) ? json_array_size(v) > 0 : json_object_size(v) > 0)
		(void)json_object_set(o, key, v);
	json_decref(v);
}

/* Multus gives it to each entry, empty or not. */
static json_t *dns_of(const json_t *result)
{
	static const char *const keys[] = { "nameservers", "domain", "search", "options" };
	json_t *dns = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		set_unless_empty(dns, keys[i], json_deep_copy(json_object_get(
			json_object_get(result, "dns"), keys[i])));
	return dns;
}

/* As Multus has it: a definition with its namespace, the default network without. */
static json_t *entry_name(const struct owner *o, const char *name_space)
{
	return *name_space ? json_sprintf("%s/%s", name_space, o->network) :
			     json_string(o->network);
}

static const char *name_of(const json_t *intf)
{
	return json_string_value(json_object_get(intf, "name"));
}

static bool is_in_sandbox(const json_t *intf)
{
	const char *sandbox = json_string_value(json_object_get(intf, "sandbox"));

	return name_of(intf) && sandbox && *sandbox;
}

/* Has the interface an address of its own with a gateway? */
static bool has_gateway(const json_t *result, const json_t *intf)
{
	json_auto_t *ips = result_ips(result, intf);
	const json_t *ip;
	size_t i;

	json_array_foreach(ips, i, ip)
		if (json_object_get(ip, "interface") &&
		    json_string_length(json_object_get(ip, "gateway")) > 0)
			return true;
	return false;
}

/*
 * The interface of the cluster's default network, which kubelet calls eth0, or where the plugins
 * have made several, the first of them that has a gateway.
 */
static const char *default_interface(const struct owner *o, const json_t *result)
{
	const json_t *intf;
	size_t i;

	if (strcmp(o->ifname, "eth0") != 0)
		return "";
	json_array_foreach(json_object_get(result, "interfaces"), i, intf)
		if (is_in_sandbox(intf) && has_gateway(result, intf))
			return name_of(intf);
	return o->ifname;
}

/* What the entries of one attachment have in common. */
struct telling {
	const struct owner *owner;
	const char *name_space;
	const json_t *result;
	const char *default_interface;
};

/* The members are in Multus' order, its own last. */
static json_t *new_entry(const struct telling *t, const char *ifname, const json_t *intf,
			 const json_t *ips, json_int_t mtu, const json_t *device_info)
{
	json_t *entry = json_pack("{s:o, s:s}", "name", entry_name(t->owner, t->name_space),
				  "interface", ifname);
	json_t *gateways = default_gateways(t->result, ips);

	set_unless_empty(entry, "ips", bare_ips(ips));
	set_unless_empty(entry, "mac", json_incref(json_object_get(intf, "mac")));
	if (mtu)
		(void)json_object_set_new(entry, "mtu", json_integer(mtu));
	if (strcmp(ifname, t->default_interface) == 0)
		(void)json_object_set_new(entry, "default", json_true());
	(void)json_object_set_new(entry, "dns", dns_of(t->result));
	if (device_info)
		(void)json_object_set_new(entry, "device-info", json_deep_copy(device_info));
	/* the Go library and its users say gateway, the specification default-route */
	set_unless_empty(entry, "gateway", json_incref(gateways));
	set_unless_empty(entry, "default-route", gateways);
	return entry;
}

static json_int_t mtu_of(const json_t *intf)
{
	return json_integer_value(json_object_get(intf, "mtu"));
}

/* The addresses that are this interface's: those of no interface are the attachment's own. */
static json_t *named_ips(const json_t *result, const json_t *intf)
{
	json_t *ips = result_ips(result, intf);

	for (size_t i = json_array_size(ips); i-- > 0; )
		if (!json_object_get(json_array_get(ips, i), "interface"))
			(void)json_array_remove(ips, i);
	return ips;
}

static json_t *other_entry(const struct telling *t, const json_t *intf)
{
	json_auto_t *ips = named_ips(t->result, intf);
	json_t *entry = new_entry(t, name_of(intf), intf, ips, mtu_of(intf), NULL);

	(void)json_object_set_new(entry, STATUS_OF, json_string(t->owner->ifname));
	return entry;
}

json_t *status_entries(const struct owner *o, const char *name_space, const json_t *result,
		       uint32_t mtu, const json_t *device_info)
{
	const struct telling t = { o, name_space, result, default_interface(o, result) };
	const json_t *own = result_interface(result, o->ifname), *intf;
	json_auto_t *ips = result_ips(result, own);
	json_t *list = json_array();
	size_t i, at = 0;

	json_array_foreach(json_object_get(result, "interfaces"), i, intf) {
		if (intf == own)
			at = json_array_size(list);
		else if (is_in_sandbox(intf) && strcmp(name_of(intf), o->ifname) != 0)
			(void)json_array_append_new(list, other_entry(&t, intf));
	}
	(void)json_array_insert_new(list, at, new_entry(&t, o->ifname, own, ips, mtu_of(own) ?
							mtu_of(own) : mtu, device_info));
	return list;
}

/* As it is in the annotation: our own member is for the file. */
static char *entry_text(const json_t *entry)
{
	json_auto_t *plain = json_deep_copy(entry);

	(void)json_object_del(plain, STATUS_OF);
	return json_dumps(plain, JSON_INDENT(4) | JSON_ENSURE_ASCII);
}

char *status_annotation(const json_t *list)
{
	char *ret = NULL;
	size_t len = 0, i;
	const json_t *entry;
	FILE *f = open_memstream(&ret, &len);

	if (!f)
		return NULL;
	json_array_foreach(list, i, entry) {
		auto_free char *text = entry_text(entry);

		(void)fprintf(f, "%s%s", i ? "," : "[", text ? text : "{}");
	}
	(void)fputs(i ? "]" : "[]", f);
	if (fclose(f) == 0)
		return ret;
	free(ret);
	return NULL;
}

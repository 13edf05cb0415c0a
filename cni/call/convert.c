/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - CNI results of every version, in and out
 *
 * The tables below are all that differs between the versions, but for the addresses before 0.3.0,
 * which are no list.  A key means the same in each version that has it, and is taken and checked
 * wherever it appears: the Go library only relabels a result of 1.1.0 for 1.0.0.  Writing is
 * strict: keys of other versions are left out.
 */
#include "cni/call/convert.h"

#include "base/jx.h"
#include "base/mem.h"
#include "netlink/addr.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PATH_TEXT	200	/* a key path, for messages only: may be cut */

struct key {
	const char *name;
	/* Check this member of o, which may be absent, and bring it into its one spelling. */
	int (*check)(json_t *o, const struct key *k, const char *path, struct err *e);
	const struct key *of;			/* the members of the object, or of the list's */
	json_int_t max;				/* of a number */
	enum cni_version since, gone;		/* gone: first version without it, 0: none */
};

static int check_members(json_t *o, const struct key *keys, const char *path, struct err *e);

static int check_text(json_t *o, const struct key *k, const char *path, struct err *e)
{
	const char *ignored;

	return jx_string(o, path, k->name, &ignored, e) < 0 ? -1 : 0;
}

/* Whole reals, which Go would refuse where it wants an integer, become integers. */
static int check_number(json_t *o, const struct key *k, const char *path, struct err *e)
{
	json_int_t n = 0;
	int r = jx_int(o, path, k->name, 0, k->max, &n, e);

	if (r == 1)
		(void)json_object_set_new(o, k->name, json_integer(n));
	return r < 0 ? -1 : 0;
}

/* An empty address is none. */
static int check_ip(json_t *o, const struct key *k, const char *path, struct err *e)
{
	const char *text = "";
	struct ip ignored;

	if (jx_string(o, path, k->name, &text, e) < 0)
		return -1;
	if (*text && !ip_parse(text, &ignored))
		return err_set(e, ERR_NETCONF, 0, "%s.%s: '%.64s' is not an IP address", path,
			       k->name, text);
	if (!*text)
		(void)json_object_del(o, k->name);
	return 0;
}

static int check_prefix(json_t *o, const struct key *k, const char *path, struct err *e)
{
	struct ip_prefix ignored;
	const char *text = NULL;

	if (jx_string(o, path, k->name, &text, e) < 0)
		return -1;
	if (!text)
		return err_set(e, ERR_NETCONF, 0, "%s.%s: missing", path, k->name);
	if (!prefix_parse(text, &ignored))
		return err_set(e, ERR_NETCONF, 0,
			       "%s.%s: '%.64s' is not an address with a prefix length", path,
			       k->name, text);
	return 0;
}

static int check_texts(json_t *o, const struct key *k, const char *path, struct err *e)
{
	json_t *list = NULL;
	const json_t *v;
	size_t i;

	if (jx_array(o, path, k->name, &list, e) < 0)
		return -1;
	json_array_foreach(list, i, v)
		if (!json_is_string(v))
			return err_set(e, ERR_NETCONF, 0, "%s.%s[%zu]: expected a string, got %s",
				       path, k->name, i, jx_type_name(v));
	return 0;
}

static int check_object(json_t *o, const struct key *k, const char *path, struct err *e)
{
	char sub[PATH_TEXT];
	json_t *v = NULL;

	if (jx_object(o, path, k->name, &v, e) < 0)
		return -1;
	(void)snprintf(sub, sizeof(sub), "%s.%s", path, k->name);
	return v ? check_members(v, k->of, sub, e) : 0;
}

static int check_list(json_t *o, const struct key *k, const char *path, struct err *e)
{
	char sub[PATH_TEXT];
	json_t *list = NULL, *v;
	size_t i;

	if (jx_array(o, path, k->name, &list, e) < 0)
		return -1;
	json_array_foreach(list, i, v) {
		(void)snprintf(sub, sizeof(sub), "%s.%s[%zu]", path, k->name, i);
		if (!json_is_object(v))
			return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", sub,
				       jx_type_name(v));
		if (check_members(v, k->of, sub, e) < 0)
			return -1;
	}
	return 0;
}

static int check_members(json_t *o, const struct key *keys, const char *path, struct err *e)
{
	for (const struct key *k = keys; k->name; k++) {
		if (json_is_null(json_object_get(o, k->name)))
			(void)json_object_del(o, k->name);
		if (k->check(o, k, path, e) < 0)
			return -1;
	}
	return 0;
}

/* An engine that takes an index beyond the list out of our result panics. */
static int check_indices(const json_t *o, const char *what, struct err *e)
{
	size_t n = json_array_size(json_object_get(o, "interfaces")), i;
	const json_t *ip;

	json_array_foreach(json_object_get(o, "ips"), i, ip) {
		const json_t *index = json_object_get(ip, "interface");

		if (index && (size_t)json_integer_value(index) >= n)
			return err_set(e, ERR_NETCONF, 0, "%s.ips[%zu].interface: %lld is not one "
				       "of the %zu interfaces", what, i,
				       (long long)json_integer_value(index), n);
	}
	return 0;
}

/* -- which version has which keys -- */

static const struct key interface_keys[] = {
	{ .name = "name", .check = check_text },
	{ .name = "mac", .check = check_text },
	{ .name = "sandbox", .check = check_text },
	{ .name = "mtu", .check = check_number, .max = UINT32_MAX, .since = CNI_1_1_0 },
	{ .name = "socketPath", .check = check_text, .since = CNI_1_1_0 },
	{ .name = "pciID", .check = check_text, .since = CNI_1_1_0 },
	{ .name = NULL },
};
static const struct key ip_keys[] = {
	{ .name = "version", .check = check_text, .gone = CNI_1_0_0 },
	{ .name = "address", .check = check_prefix },
	{ .name = "gateway", .check = check_ip },
	{ .name = "interface", .check = check_number, .max = INT32_MAX },
	{ .name = NULL },
};
static const struct key route_keys[] = {
	{ .name = "dst", .check = check_prefix },
	{ .name = "gw", .check = check_ip },
	{ .name = "mtu", .check = check_number, .max = UINT32_MAX, .since = CNI_1_1_0 },
	{ .name = "advmss", .check = check_number, .max = UINT32_MAX, .since = CNI_1_1_0 },
	{ .name = "priority", .check = check_number, .max = UINT32_MAX, .since = CNI_1_1_0 },
	{ .name = "table", .check = check_number, .max = UINT32_MAX, .since = CNI_1_1_0 },
	{ .name = "scope", .check = check_number, .max = UINT8_MAX, .since = CNI_1_1_0 },
	{ .name = NULL },
};
static const struct key family_keys[] = {
	{ .name = "ip", .check = check_prefix },
	{ .name = "gateway", .check = check_ip },
	{ .name = "routes", .check = check_list, .of = route_keys },
	{ .name = NULL },
};
static const struct key dns_keys[] = {
	{ .name = "nameservers", .check = check_texts },
	{ .name = "domain", .check = check_text },
	{ .name = "search", .check = check_texts },
	{ .name = "options", .check = check_texts },
	{ .name = NULL },
};
static const struct key top_keys[] = {
	{ .name = "ip4", .check = check_object, .of = family_keys, .gone = CNI_0_3_0 },
	{ .name = "ip6", .check = check_object, .of = family_keys, .gone = CNI_0_3_0 },
	{ .name = "interfaces", .check = check_list, .of = interface_keys, .since = CNI_0_3_0 },
	{ .name = "ips", .check = check_list, .of = ip_keys, .since = CNI_0_3_0 },
	{ .name = "routes", .check = check_list, .of = route_keys, .since = CNI_0_3_0 },
	{ .name = "dns", .check = check_object, .of = dns_keys },
	{ .name = NULL },
};

/* Leave out what version v has not. */
static void prune(json_t *o, const struct key *keys, enum cni_version v)
{
	json_t *member, *element;
	size_t i;

	for (const struct key *k = keys; k->name; k++) {
		if (v < k->since || (k->gone && v >= k->gone))
			(void)json_object_del(o, k->name);
		if (!k->of)
			continue;
		member = json_object_get(o, k->name);
		if (json_is_object(member))
			prune(member, k->of, v);
		json_array_foreach(member, i, element) {
			prune(element, k->of, v);
		}
	}
}

/* -- addresses before 0.3.0: one of each family, with its routes -- */

static bool is_in_family(const json_t *o, const char *key, bool v6)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text && (strchr(text, ':') != NULL) == v6;
}

/* An element of ips from an ip4 or ip6, or the other way round: the address has another name. */
static json_t *rename_address(json_t *from, const char *key, const char *to)
{
	json_t *o = json_object();

	(void)json_object_set(o, to, json_object_get(from, key));
	(void)json_object_update_missing(o, from);
	(void)json_object_del(o, key);
	(void)json_object_del(o, "interface");	/* there is none before 0.3.0 */
	return o;
}

static void set_unless_empty(json_t *o, const char *key, json_t *list)
{
	if (json_array_size(list) > 0)
		(void)json_object_set(o, key, list);
	else
		(void)json_object_del(o, key);
	json_decref(list);
}

static void lists_from_families(json_t *o)
{
	static const char *const families[] = { "ip4", "ip6" };
	json_t *ips = json_array(), *routes = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		json_t *family = json_object_get(o, families[i]), *ip;

		if (!family)
			continue;
		ip = rename_address(family, "ip", "address");
		(void)json_array_extend(routes, json_object_get(ip, "routes"));
		(void)json_object_del(ip, "routes");
		(void)json_array_append_new(ips, ip);
	}
	set_unless_empty(o, "ips", ips);
	set_unless_empty(o, "routes", routes);
}

/* NULL when the result has no address of that family. */
static json_t *family_new(const json_t *result, bool v6)
{
	json_t *o = NULL, *routes, *v;
	size_t i;

	json_array_foreach(json_object_get(result, "ips"), i, v)
		if (!o && is_in_family(v, "address", v6))
			o = rename_address(v, "address", "ip");
	if (!o)
		return NULL;
	routes = json_array();
	json_array_foreach(json_object_get(result, "routes"), i, v)
		if (is_in_family(v, "dst", v6))
			(void)json_array_append(routes, v);
	set_unless_empty(o, "routes", routes);
	return o;
}

static int families_from_lists(json_t *o, enum cni_version v, struct err *e)
{
	json_t *ip4 = family_new(o, false), *ip6 = family_new(o, true);

	if (!ip4 && !ip6)
		return err_set(e, ERR_NETCONF, 0, "a result of cniVersion %s needs an address",
			       cni_version_name(v));
	if (ip4)
		(void)json_object_set_new(o, "ip4", ip4);
	if (ip6)
		(void)json_object_set_new(o, "ip6", ip6);
	return 0;
}

/* -- whole results -- */

static int read_version(const json_t *o, const char *what, enum cni_version *ret, struct err *e)
{
	const char *text = "";
	struct err ignored;

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", what,
			       o ? jx_type_name(o) : "nothing");
	if (jx_string(o, what, "cniVersion", &text, e) < 0)
		return -1;
	if (*text && cni_version_parse(text, ret, &ignored) < 0)
		return err_set(e, ERR_NETCONF, 0, "%s.cniVersion: '%.32s' is not a version we "
						  "speak",
			       what, text);
	return 0;
}

static void set_version(json_t *o, enum cni_version v)
{
	(void)json_object_set_new(o, "cniVersion", json_string(cni_version_name(v)));
}

int result_read(const json_t *o, enum cni_version assumed, const char *what, enum err_code code,
		json_t **ret, struct err *e)
{
	json_auto_t *result = json_deep_copy(o);
	enum cni_version v = assumed;

	if (read_version(o, what, &v, e) < 0 || check_members(result, top_keys, what, e) < 0 ||
	    check_indices(result, what, e) < 0) {
		e->code = code;
		return -1;
	}
	if (v < CNI_0_3_0)
		lists_from_families(result);
	prune(result, top_keys, CNI_1_1_0);
	set_version(result, CNI_1_1_0);
	*ret = steal_ptr(&result);
	return 0;
}

/* What was said of each address from 0.3.0 to 0.4.0, and can be seen from it. */
static void tell_families(json_t *o)
{
	json_t *ip;
	size_t i;

	json_array_foreach(json_object_get(o, "ips"), i, ip)
		(void)json_object_set_new(
			ip, "version", json_string(is_in_family(ip, "address", true) ? "6" : "4"));
}

int result_write(const json_t *result, enum cni_version v, json_t **ret, struct err *e)
{
	json_auto_t *o = json_deep_copy(result);

	if (result_needs_address(v) && families_from_lists(o, v, e) < 0)
		return -1;
	if (v < CNI_1_0_0)
		tell_families(o);
	prune(o, top_keys, v);
	set_version(o, v);
	if (v >= CNI_0_3_0 && !json_object_get(o, "dns"))	/* as all Go plugins do */
		(void)json_object_set_new(o, "dns", json_object());
	*ret = steal_ptr(&o);
	return 0;
}

bool result_needs_address(enum cni_version v)
{
	return v < CNI_0_3_0;
}

int result_read_prev(const struct netconf *nc, json_t **ret, struct err *e)
{
	const json_t *prev = nc->prev_result;
	const char *version = json_string_value(json_object_get(prev, "cniVersion"));

	if (version && *version && strcmp(version, cni_version_name(nc->version)) != 0)
		return err_set(e, ERR_NETCONF, 0,
			       "prevResult.cniVersion: '%.32s' is not the configuration's %s",
			       version, cni_version_name(nc->version));
	return result_read(prev, nc->version, "prevResult", ERR_NETCONF, ret, e);
}

json_t *result_ips(const json_t *result, const json_t *intf)
{
	const json_t *interfaces = json_object_get(result, "interfaces");
	json_t *own = json_array(), *ip;
	size_t i;

	json_array_foreach(json_object_get(result, "ips"), i, ip) {
		const json_t *at = json_object_get(ip, "interface");

		if (!at || json_array_get(interfaces, (size_t)json_integer_value(at)) == intf)
			(void)json_array_append(own, ip);
	}
	return own;
}

json_t *result_interface(const json_t *result, const char *ifname)
{
	json_t *intf, *found = NULL;
	size_t i;

	json_array_foreach(json_object_get(result, "interfaces"), i, intf) {
		const char *name = json_string_value(json_object_get(intf, "name"));
		const char *sandbox = json_string_value(json_object_get(intf, "sandbox"));

		if (!name || strcmp(name, ifname) != 0)
			continue;
		if (sandbox && *sandbox)
			return intf;
		if (!found)
			found = intf;
	}
	return found;
}

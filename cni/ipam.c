/* SPDX-License-Identifier: Apache-2.0 */
/* ipam.c - addresses from a real IPAM plugin */
#include "cni/ipam.h"

#include "base/jx.h"
#include "base/mem.h"
#include "cni/exec.h"
#include "conf/netconf.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* The same request in cniVersion 1.0.0, owned; NULL when it is not one of 1.1.0. */
static char *older_request(const char *request, size_t *len)
{
	struct err ignored;
	json_auto_t *o = jx_parse(request, strlen(request), ERR_DECODE, "request", &ignored);
	const char *version = json_string_value(json_object_get(o, "cniVersion"));

	if (!version || strcmp(version, cni_version_name(CNI_1_1_0)) != 0)
		return NULL;
	(void)json_object_set_new(o, "cniVersion", json_string(cni_version_name(CNI_1_0_0)));
	return jx_dump(o, len);
}

static int call(const struct ipam *ipam, const char *command, json_t **ret, bool *refused,
		struct err *e)
{
	struct deadline d = deadline_in(ipam->timeout_ms);
	auto_free char *older = NULL;
	size_t len;

	if (exec_plugin(ipam->cni_path, ipam->type, command, ipam->request, strlen(ipam->request),
			&d, ret, refused, e) == 0)
		return 0;
	if (e->code != ERR_VERSION)
		return -1;
	older = older_request(ipam->request, &len);
	return older ? exec_plugin(ipam->cni_path, ipam->type, command, older, len, &d, ret,
				   refused, e)
		     : -1;
}

/* A member that is a string, or absent, or null. */
static bool is_text(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return !v || json_is_null(v) || json_is_string(v);
}

static int bad(const struct ipam *ipam, const char *what, const char *value, struct err *e)
{
	return err_set(e, ERR_DELEGATE, 0, "plugin %s: its result has %s '%.64s'", ipam->type, what,
		       value ? value : "");
}

static int parse_ips(const struct ipam *ipam, struct ipam_result *r, struct err *e)
{
	const json_t *ip;
	size_t i;

	if (json_array_size(r->ips) == 0)
		return err_set(e, ERR_DELEGATE, 0, "plugin %s gave no address", ipam->type);
	if (json_array_size(r->ips) > IPAM_MAX)
		return err_set(e, ERR_DELEGATE, E2BIG, "plugin %s gave over %d addresses",
			       ipam->type, IPAM_MAX);
	r->addr = calloc(json_array_size(r->ips), sizeof(*r->addr));
	if (!r->addr)
		return err_set(e, ERR_IO, ENOMEM, "addresses of plugin %s", ipam->type);
	json_array_foreach(r->ips, i, ip) {
		const char *address = json_string_value(json_object_get(ip, "address"));
		const char *gw = json_string_value(json_object_get(ip, "gateway"));
		struct ip ignored;

		if (!address || !prefix_parse(address, &r->addr[i]))
			return bad(ipam, "the bad address", address, e);
		if (!is_text(ip, "gateway") || (gw && *gw && !ip_parse(gw, &ignored)))
			return bad(ipam, "the bad gateway", gw, e);
	}
	r->addrs = json_array_size(r->ips);
	return 0;
}

/* The gateway of the first address of a family, for routes that name none (as the Go library does).
 */
static void default_gateway(const struct ipam_result *r, int family, struct ip *ret)
{
	const json_t *ip;
	size_t i;

	json_array_foreach(r->ips, i, ip) {
		const char *gw = json_string_value(json_object_get(ip, "gateway"));

		if (r->addr[i].ip.family == family && gw && *gw && ip_parse(gw, ret))
			return;
	}
}

static int parse_numbers(const json_t *o, struct route *ret, struct err *e)
{
	json_int_t mtu = 0, advmss = 0, priority = 0, table = 0, scope = 0;
	int has_table, has_scope;

	if (jx_int(o, "route", "mtu", 0, UINT32_MAX, &mtu, e) < 0 ||
	    jx_int(o, "route", "advmss", 0, UINT32_MAX, &advmss, e) < 0 ||
	    jx_int(o, "route", "priority", 0, UINT32_MAX, &priority, e) < 0)
		return -1;
	has_table = jx_int(o, "route", "table", 0, UINT32_MAX, &table, e);
	if (has_table < 0)
		return -1;
	has_scope = jx_int(o, "route", "scope", 0, 255, &scope, e);
	if (has_scope < 0)
		return -1;
	ret->mtu = (uint32_t)mtu;
	ret->advmss = (uint32_t)advmss;
	ret->priority = (uint32_t)priority;
	ret->has_table = has_table == 1;
	ret->table = (uint32_t)table;
	ret->has_scope = has_scope == 1;
	ret->scope = (uint8_t)scope;
	return 0;
}

static int parse_route(const struct ipam *ipam, const struct ipam_result *r, const json_t *o,
		       struct route *ret, struct err *e)
{
	const char *dst = json_string_value(json_object_get(o, "dst"));
	const char *gw = json_string_value(json_object_get(o, "gw"));

	if (!dst || !prefix_parse(dst, &ret->dst))
		return bad(ipam, "a route to the bad destination", dst, e);
	if (!is_text(o, "gw"))
		return bad(ipam, "a gateway that is", "no text", e);
	if (gw && *gw && (!ip_parse(gw, &ret->gw) || ret->gw.family != ret->dst.ip.family))
		return bad(ipam, "a route by the bad gateway", gw, e);
	if (!gw || !*gw)
		default_gateway(r, ret->dst.ip.family, &ret->gw);
	if (parse_numbers(o, ret, e) < 0) {
		e->code = ERR_DELEGATE;
		return err_wrap(e, "plugin %s", ipam->type);
	}
	return 0;
}

static int parse_routes(const struct ipam *ipam, struct ipam_result *r, struct err *e)
{
	const json_t *o;
	size_t i, n = json_array_size(r->routes);

	if (n > IPAM_MAX)
		return err_set(e, ERR_DELEGATE, E2BIG, "plugin %s gave over %d routes", ipam->type,
			       IPAM_MAX);
	r->route = calloc(n + 1, sizeof(*r->route));
	if (!r->route)
		return err_set(e, ERR_IO, ENOMEM, "routes of plugin %s", ipam->type);
	json_array_foreach(r->routes, i, o)
		if (parse_route(ipam, r, o, &r->route[i], e) < 0)
			return -1;
	r->nroutes = n;
	return 0;
}

/* null and absent are the same: no list. */
static const json_t *list_of(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_array(v) ? v : NULL;
}

int ipam_add(const struct ipam *ipam, struct ipam_result *ret, bool *refused, struct err *e)
{
	auto_ipam_result struct ipam_result r = { 0 };

	if (call(ipam, "ADD", &r.doc, refused, e) < 0)
		return -1;
	if (!json_is_object(r.doc))
		return err_set(e, ERR_DELEGATE, 0, "plugin %s succeeded without a result",
			       ipam->type);
	r.ips = list_of(r.doc, "ips");
	r.routes = list_of(r.doc, "routes");
	r.dns = json_object_get(r.doc, "dns");
	if (!json_is_object(r.dns))
		r.dns = NULL;
	if (netconf_check_dns(r.dns, e) < 0) {
		e->code = ERR_DELEGATE;
		return err_wrap(e, "plugin %s", ipam->type);
	}
	if (parse_ips(ipam, &r, e) < 0 || parse_routes(ipam, &r, e) < 0)
		return -1;
	*ret = r;
	r = (struct ipam_result){ 0 };
	return 0;
}

int ipam_del(const struct ipam *ipam, struct err *e)
{
	json_auto_t *ignored = NULL;
	bool refused;

	return call(ipam, "DEL", &ignored, &refused, e);
}

void ipam_result_done(struct ipam_result *r)
{
	json_decref(r->doc);
	free(r->addr);
	free(r->route);
	*r = (struct ipam_result){ 0 };
}

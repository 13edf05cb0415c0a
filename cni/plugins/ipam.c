/* SPDX-License-Identifier: Apache-2.0 */
/* ipam.c - addresses from a real IPAM plugin */
#include "cni/plugins/ipam.h"

#include "base/mem.h"
#include "cni/call/convert.h"
#include "cni/plugins/delegate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ipam_run {
	struct delegate_run run;
};

static struct exec_call call_of(const struct ipam *ipam, const char *command)
{
	return (struct exec_call){
		.cni_path = ipam->cni_path,
		.type = ipam->type,
		.command = command,
		.request = ipam->request,
		.len = strlen(ipam->request),
		.as = ipam->as,
	};
}

static struct deadline deadline_of(const struct ipam *ipam)
{
	return deadline_share(ipam->all, ipam->timeout_ms, ipam->steps ? ipam->steps : 1);
}

/* What result_read() has checked is parsed; NULL where it is absent. */
static const char *text(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static int parse_ips(struct ipam_result *r, const char *what, struct err *e)
{
	size_t i, n = json_array_size(r->ips);
	const json_t *ip;

	if (n > IPAM_MAX)
		return err_set(e, ERR_DELEGATE, E2BIG, "%s: over %d addresses", what, IPAM_MAX);
	r->addr = calloc(n + 1, sizeof(*r->addr));
	if (!r->addr)
		return err_set(e, ERR_IO, ENOMEM, "%s: addresses", what);
	json_array_foreach(r->ips, i, ip)
		if (!text(ip, "address") || !prefix_parse(text(ip, "address"), &r->addr[i]))
			return err_set(e, ERR_DELEGATE, 0, "%s: ips[%zu] has no address", what, i);
	r->addrs = n;
	return 0;
}

/* The gateway of the first address of a family, for routes that name none (as the Go library does).
 */
static void default_gateway(const struct ipam_result *r, int family, struct ip *ret)
{
	for (size_t i = 0; i < r->addrs; i++) {
		const char *gw = text(json_array_get(r->ips, i), "gateway");

		if (r->addr[i].ip.family == family && gw && *gw && ip_parse(gw, ret))
			return;
	}
}

static uint32_t number(const json_t *o, const char *key)
{
	return (uint32_t)json_integer_value(json_object_get(o, key));
}

static int parse_route(const struct ipam_result *r, const json_t *o, struct route *ret)
{
	const char *dst = text(o, "dst"), *gw = text(o, "gw");

	if (!dst || !prefix_parse(dst, &ret->dst))
		return -1;
	if (gw && *gw && (!ip_parse(gw, &ret->gw) || ret->gw.family != ret->dst.ip.family))
		return -1;
	if (!gw || !*gw)
		default_gateway(r, ret->dst.ip.family, &ret->gw);
	ret->mtu = number(o, "mtu");
	ret->advmss = number(o, "advmss");
	ret->priority = number(o, "priority");
	ret->has_table = json_is_integer(json_object_get(o, "table"));
	ret->table = number(o, "table");
	ret->has_scope = json_is_integer(json_object_get(o, "scope"));
	ret->scope = (uint8_t)number(o, "scope");
	return 0;
}

static int parse_routes(struct ipam_result *r, const char *what, struct err *e)
{
	const json_t *o;
	size_t i;

	r->nroutes = json_array_size(r->routes);
	if (r->nroutes > IPAM_MAX)
		return err_set(e, ERR_DELEGATE, E2BIG, "%s: over %d routes", what, IPAM_MAX);
	r->route = calloc(r->nroutes + 1, sizeof(*r->route));
	if (!r->route)
		return err_set(e, ERR_IO, ENOMEM, "%s: routes", what);
	json_array_foreach(r->routes, i, o)
		if (parse_route(r, o, &r->route[i]) < 0)
			return err_set(e, ERR_DELEGATE, 0,
				       "%s: routes[%zu] has a gateway of another family", what, i);
	return 0;
}

int ipam_result_parse(const json_t *result, const char *what, struct ipam_result *ret,
		      struct err *e)
{
	auto_ipam_result struct ipam_result r = {
		.ips = json_object_get(result, "ips"),
		.routes = json_object_get(result, "routes"),
		.dns = json_object_get(result, "dns"),
	};

	if (parse_ips(&r, what, e) < 0 || parse_routes(&r, what, e) < 0)
		return -1;
	*ret = r;
	r = (struct ipam_result){ 0 };
	return 0;
}

int ipam_start(const struct ipam *ipam, struct ipam_run **ret, struct err *e)
{
	static const struct ipam_run none = { .run = DELEGATE_RUN_NONE };
	const struct exec_call c = call_of(ipam, "ADD");
	struct deadline d = deadline_of(ipam);
	struct ipam_run *run = malloc(sizeof(*run));

	if (!run)
		return err_set(e, ERR_IO, ENOMEM, "start plugin %s", ipam->type);
	*run = none;
	if (delegate_start(&run->run, &c, &d, e) == 0) {
		*ret = run;
		return 0;
	}
	ipam_run_free(run);
	return -1;
}

int ipam_collect(struct ipam_run *run, struct ipam_result *ret, bool *refused, struct err *e)
{
	auto_delegate_reply struct delegate_reply reply = { 0 };
	const char *type = run->run.run.call.type;
	json_auto_t *doc = NULL;
	char what[300];
	int r = delegate_collect(&run->run, &reply, e);

	*refused = reply.refused;
	(void)snprintf(what, sizeof(what), "plugin %s: its result", type);
	if (r < 0)
		return -1;
	if (!json_is_object(reply.doc))
		return err_set(e, ERR_DELEGATE, 0, "plugin %s succeeded without a result", type);
	if (result_read(reply.doc, reply.version, what, ERR_DELEGATE, &doc, e) < 0)
		return -1;
	if (json_array_size(json_object_get(doc, "ips")) == 0)
		return err_set(e, ERR_DELEGATE, 0, "plugin %s gave no address", type);
	if (ipam_result_parse(doc, what, ret, e) < 0)
		return -1;
	ret->doc = steal_ptr(&doc);
	return 0;
}

void ipam_run_free(struct ipam_run *run)
{
	if (!run)
		return;
	delegate_run_done(&run->run);
	free(run);
}

/* DEL and CHECK have no answer but success. */
static int ask(const struct ipam *ipam, const char *command, struct err *e)
{
	auto_delegate_reply struct delegate_reply reply = { 0 };
	const struct exec_call c = call_of(ipam, command);
	struct deadline d = deadline_of(ipam);

	return delegate_call(&c, &d, &reply, e);
}

int ipam_del(const struct ipam *ipam, struct err *e)
{
	return ask(ipam, "DEL", e);
}

int ipam_check(const struct ipam *ipam, struct err *e)
{
	return ask(ipam, "CHECK", e);
}

void ipam_result_done(struct ipam_result *r)
{
	json_decref(r->doc);
	free(r->addr);
	free(r->route);
	*r = (struct ipam_result){ 0 };
}

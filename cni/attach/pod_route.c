/* SPDX-License-Identifier: Apache-2.0 */
/* pod_route.c - the default route of a pod that has several networks */
#include "cni/attach/pod_route.h"

#include "netlink/addr.h"
#include "netlink/default_route.h"

#include <string.h>

bool pod_route_is_said(const struct attachment *a)
{
	const struct cni_attachment *of = a->call->of_pod;

	return of && (json_array_size(of->gateways) > 0 || of->no_default_v4 || of->no_default_v6);
}

static const char *default_dst(int family)
{
	return family == AF_INET6 ? "::/0" : "0.0.0.0/0";
}

/* Does the attachment get a gateway of that family? */
static bool has_gateway(const struct cni_attachment *of, int family)
{
	struct ip gw;
	size_t i;
	const json_t *v;

	json_array_foreach(of->gateways, i, v)
		if (ip_parse(json_string_value(v), &gw) && gw.family == family)
			return true;
	return false;
}

/* Does the attachment keep the default routes of that family that its plugins give it? */
static bool keeps(const struct cni_attachment *of, int family)
{
	return !(family == AF_INET ? of->no_default_v4 : of->no_default_v6) &&
	       !has_gateway(of, family);
}

void pod_route_leave_out(const struct attachment *a, struct ipam_result *r)
{
	size_t n = 0;

	if (!pod_route_is_said(a))
		return;
	for (size_t i = 0; i < r->nroutes; i++)
		if (r->route[i].dst.len > 0 || keeps(a->call->of_pod, r->route[i].dst.ip.family))
			r->route[n++] = r->route[i];
	r->nroutes = n;
}

/* -- in the result -- */

static void drop_routes(json_t *routes, int family)
{
	for (size_t i = json_array_size(routes); i-- > 0;) {
		const json_t *route = json_array_get(routes, i);
		const char *dst = json_string_value(json_object_get(route, "dst"));

		if (dst && strcmp(dst, default_dst(family)) == 0)
			(void)json_array_remove(routes, i);
	}
}

static json_t *routes_of(json_t *result)
{
	if (!json_object_get(result, "routes"))
		(void)json_object_set_new(result, "routes", json_array());
	return json_object_get(result, "routes");
}

/* -- one family -- */

static int remove_all(struct attachment *a, json_t *result, int family, struct err *e)
{
	drop_routes(json_object_get(result, "routes"), family);
	return a->link.ifindex ? default_routes_remove(&a->pod, a->link.ifindex, family, e) : 0;
}

/* Another attachment may have its own for a moment: it gives way when its plugins are done. */
static int add(struct attachment *a, json_t *result, const char *gateway, struct err *e)
{
	struct route route = { .replaces = true };

	if (!ip_parse(gateway, &route.gw))
		return err_set(e, ERR_NETCONF, 0, "default-route: '%.64s' is no address", gateway);
	route.dst.ip.family = route.gw.family;
	(void)json_array_append_new(routes_of(result),
				    json_pack("{s:s, s:s}", "dst", default_dst(route.gw.family),
					      "gw", gateway));
	return a->link.ifindex ? addr_apply(&a->pod, a->link.ifindex, NULL, 0, &route, 1, e) : 0;
}

int pod_route_set(struct attachment *a, json_t *result, struct err *e)
{
	static const int families[] = { AF_INET, AF_INET6 };
	const struct cni_attachment *of = a->call->of_pod;
	const json_t *gateway;
	size_t i;

	if (!pod_route_is_said(a))
		return 0;
	for (i = 0; i < ARRAY_SIZE(families); i++)
		if (!keeps(of, families[i]) && remove_all(a, result, families[i], e) < 0)
			return -1;
	json_array_foreach(of->gateways, i, gateway)
		if (add(a, result, json_string_value(gateway), e) < 0)
			return err_wrap(e, "default-route");
	return 0;
}

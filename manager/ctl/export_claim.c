/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export_claim.c - devinfoctl export claim-status: what the status of a claim should say
 *
 * A ResourceClaim with nothing but status.devices, as a driver would write it: which devices
 * kubelet says that it has, and of each that an attachment has what became of it in its pod, by the
 * result that the runtime remembers.
 */
#include "manager/ctl/ctl.h"

#include "base/name.h"
#include "cni/call/convert.h"
#include "cni/call/status.h"
#include "manager/ctl/inventory.h"
#include "manager/ctl/pod.h"
#include "manager/ctl/table.h"
#include "manager/dra/limits.h"
#include "manager/dra/slice_version.h"
#include "manager/inventory/runtime_cache.h"
#include "netlink/ip.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct claiming {
	const struct host *host;
	const struct inventory *inv;
	char resource[320];		/* "claim NAMESPACE/NAME" */
	json_t *devices;
};

/* -- which attachment has a device -- */

static bool is_of_pod(const struct inv_attachment *a, const struct inv_allocation *given)
{
	return !*a->pod_name || (strcmp(a->pod_name, given->pod_name) == 0 &&
				 strcmp(a->pod_namespace, given->pod_namespace) == 0);
}

static bool has_device(const struct inv_attachment *a, const struct inv_allocation *given)
{
	return (given->function != INV_NONE && a->function == given->function) ||
	       name_ids_equal(a->device, given->id) || name_ids_equal(a->device_id, given->id) ||
	       strcmp(a->vdpa, given->id) == 0;
}

static const struct inv_attachment *find_attachment(const struct inventory *inv,
						    const struct inv_allocation *given)
{
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		if (strcmp(a->state, "live") == 0 && is_of_pod(a, given) && has_device(a, given))
			return a;
	}
	return NULL;
}

/* -- what became of it -- */

/* An IPv4 address that is written as one of IPv6, "::ffff:192.0.2.5/120", becomes itself again. */
static void unmap(struct ip_prefix *p)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (p->ip.family != AF_INET6 || p->len < 96 || memcmp(p->ip.bytes, mapped, 12) != 0)
		return;
	p->ip.family = AF_INET;
	memmove(p->ip.bytes, p->ip.bytes + 12, 4);
	p->len = (uint8_t)(p->len - 96);
}

/* In the form that the API wants, each once; other mixtures of the two have none. */
static void add_ip(json_t *ips, const char *address)
{
	struct ip_prefix prefix;
	char text[PREFIX_TEXT];

	if (!address || !prefix_parse(address, &prefix))
		return;
	unmap(&prefix);
	(void)prefix_format(&prefix, text);
	if (strchr(text, ':') && strchr(text, '.'))
		return;
	for (size_t i = 0; i < json_array_size(ips); i++)
		if (strcmp(json_string_value(json_array_get(ips, i)), text) == 0)
			return;
	if (json_array_size(ips) < DRA_IPS_MAX)
		(void)json_array_append_new(ips, json_string(text));
}

static void put_result(json_t *data, const json_t *result, const char *ifname)
{
	const json_t *intf = result_interface(result, ifname), *mac, *ip;
	json_auto_t *found = result_ips(result, intf), *ips = json_array();
	size_t i;

	mac = json_object_get(intf, "mac");
	if (json_is_string(mac) && json_string_length(mac) > 0)
		(void)json_object_set_new(data, "hardwareAddress",
					  json_string(json_string_value(mac)));
	json_array_foreach(found, i, ip) {
		add_ip(ips, json_string_value(json_object_get(ip, "address")));
	}
	if (json_array_size(ips) > 0)
		(void)json_object_set(data, "ips", ips);
}

/* The runtime's memory has all; network-status has addresses without the length of their prefix. */
static int put_network_data(const struct claiming *c, const struct inv_attachment *a,
			    json_t *data, struct err *e)
{
	const struct owner o = {
		.network = a->network, .container_id = a->container_id, .ifname = a->ifname,
	};
	json_auto_t *entry = NULL, *file = NULL, *result = NULL;
	const json_t *said = NULL;
	char path[512];
	int r = status_get(c->host, &o, &entry, e);

	if (r > 0 && json_is_string(json_object_get(entry, "mac")))
		(void)json_object_set(data, "hardwareAddress", json_object_get(entry, "mac"));
	if (r >= 0)
		r = runtime_cache_read(c->host, &o, &file, path, e);
	said = json_object_get(file, "result");
	if (r > 0 && json_is_object(said)) {
		r = result_read(said, CNI_1_0_0, "result", ERR_DECODE, &result, e);
		if (r == 0)
			put_result(data, result, a->ifname);
	}
	if (r >= 0 && json_object_get(entry, "ips") && !json_object_get(data, "ips"))
		ctl_put_line(stderr, "devinfoctl: %s/%s: its addresses are left out: the runtime "
			     "does not remember their prefixes", a->network, a->ifname);
	return r < 0 ? err_wrap(e, "%s/%s", a->network, a->ifname) : 0;
}

/* -- devices -- */

static json_t *begin_device(const struct inv_allocation *given)
{
	json_t *device = json_pack("{s:s,s:s,s:s}", "driver", given->driver, "pool", given->pool,
				   "device", given->claim_device);

	if (*given->claim_share)
		(void)json_object_set_new(device, "shareID", json_string(given->claim_share));
	return device;
}

/* A claim that several containers share is told for each of them. */
static bool is_told(const struct claiming *c, const json_t *device)
{
	static const char *const keys[] = { "driver", "pool", "device", "shareID" };
	const json_t *one;
	size_t i, k;

	json_array_foreach(c->devices, i, one) {
		for (k = 0; k < ARRAY_SIZE(keys); k++)
			if (json_object_get(one, keys[k]) != json_object_get(device, keys[k]) &&
			    !json_equal(json_object_get(one, keys[k]),
					json_object_get(device, keys[k])))
				break;
		if (k == ARRAY_SIZE(keys))
			return true;
	}
	return false;
}

static int add_device(const struct claiming *c, const struct inv_allocation *given,
		      struct err *e)
{
	const struct inv_attachment *a = find_attachment(c->inv, given);
	json_auto_t *device = begin_device(given), *data = NULL;

	if (is_told(c, device))
		return 0;
	if (a) {
		data = json_pack("{s:s}", "interfaceName", a->ifname);
		if (put_network_data(c, a, data, e) < 0)
			return -1;
		(void)json_object_set(device, "networkData", data);
	}
	(void)json_array_append(c->devices, device);
	return dra_status_check(device, e);
}

static int add_devices(const struct claiming *c, struct err *e)
{
	for (size_t i = 0; i < c->inv->n_allocations; i++) {
		const struct inv_allocation *given = &c->inv->allocations[i];

		if (given->allocatable || strcmp(given->resource, c->resource) != 0)
			continue;
		if (!*given->driver || !*given->pool || !*given->claim_device)
			return err_set(e, ERR_PODRES, 0, "%.200s: kubelet does not say driver, "
				       "pool and device, as it does since 1.31", c->resource);
		if (add_device(c, given, e) < 0)
			return -1;
	}
	if (json_array_size(c->devices) > 0)
		return 0;
	(void)err_set(e, ERR_PODRES, 0, "%.200s: no pod has a device of it", c->resource);
	return *c->inv->node.kubelet_error ?
		       err_detail(e, "what kubelet gave is not known: %s",
				  c->inv->node.kubelet_error) : -1;
}

static enum ctl_status put_claim(const char *api, const struct pod *claim, json_t *devices)
{
	json_auto_t *list = json_pack("[{s:s,s:s,s:{s:s,s:s},s:{s:O}}]", "apiVersion",
				      "resource.k8s.io/v1", "kind", "ResourceClaim", "metadata",
				      "name", claim->name, "namespace", claim->name_space,
				      "status", "devices", devices);

	slice_version_set(list, api);
	ctl_put_json(json_array_get(list, 0));
	return CTL_OK;
}

enum ctl_status ctl_export_claim_status(const struct host *host, const struct ctl_options *opt,
					char *const *operands)
{
	auto_inventory struct inventory inv = { .n_links = 0 };
	json_auto_t *devices = json_array();
	struct claiming c = { .host = host, .inv = &inv, .devices = devices };
	struct pod claim = { .name = NULL };
	struct kubernetes kubernetes = { 0 };
	const char *api = opt->api;
	char name[320];
	struct err e = { 0 };

	if (!ctl_split_pod(operands[0], name, sizeof(name), &claim))
		return ctl_usage("'%s' is no claim: expected NAMESPACE/NAME", operands[0]);
	if (kubernetes_parse(opt->kubernetes, &kubernetes, &e) < 0 ||
	    slice_version_choose(&api, &kubernetes, &e) < 0)
		return ctl_wrong(&e);
	if (!kubernetes_has(&kubernetes, KUBERNETES_CLAIM_STATUS))
		ctl_put_line(stderr, "devinfoctl: Kubernetes %s takes this only where %s is on",
			     opt->kubernetes, kubernetes_gate(KUBERNETES_CLAIM_STATUS));
	(void)snprintf(c.resource, sizeof(c.resource), "claim %.313s", operands[0]);
	if (ctl_inventory(host, opt, &inv, &e) < 0 || add_devices(&c, &e) < 0)
		return ctl_error(&e);
	return put_claim(api, &claim, devices);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - is the attachment as ADD left it?
 *
 * All differences are told at once.  What later plugins have added is none.
 */
#include "cni/attach/compare.h"

#include "base/mem.h"
#include "cni/attach/aspects.h"
#include "cni/attach/probe.h"
#include "cni/attach/release.h"
#include "cni/call/convert.h"
#include "cni/call/status.h"
#include "cni/plugins/ipam.h"
#include "devinfo/format/store.h"
#include "netlink/addr_find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { IPS_MAX = 64 };

/* -- where it is -- */

/* 1 when the namespace is the one of the ADD. */
static int open_netns(struct comparison *k, struct err *e)
{
	const struct owner *o = &k->c.rec->owner;
	auto_close int fd = -1;
	struct pod_netns ns;

	if (probe_open_netns(k->c.call, &ns, e) < 0)
		return -1;
	fd = ns.fd;
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &k->c.home, e) < 0 ||
	    nl_open(fd, NETLINK_ROUTE, &k->c.pod, e) < 0)
		return -1;
	if (owner_in_netns(o, ns.st.st_dev, ns.st.st_ino, nl_netns_cookie(&k->c.pod)))
		return 1;
	check_differs(&k->c, "netns: %.128s is another namespace than that of the ADD",
		      k->c.call->netns);
	return 0;
}

/* -- what it is like -- */

/* A route by a gateway that none of our addresses reaches is a later plugin's. */
static bool is_reached(const struct ipam_result *r, const struct route *route)
{
	for (size_t i = 0; i < r->addrs; i++)
		if (!route->gw.family || prefix_has(&r->addr[i], &route->gw))
			return true;
	return false;
}

static int check_routes(struct comparison *k, struct ipam_result *r, struct err *e)
{
	char text[PREFIX_TEXT];
	size_t n = 0, missing = 0;
	int found;

	for (size_t i = 0; i < r->nroutes; i++)
		if (is_reached(r, &r->route[i]))
			r->route[n++] = r->route[i];
	found = route_find(&k->c.pod, k->c.netdev.ifindex, r->route, n, &missing, e);
	if (found == 0)
		check_differs(&k->c, "route: to %s is gone",
			      prefix_format(&r->route[missing].dst, text));
	return found < 0 ? -1 : 0;
}

/* Addresses are ours to look after where the interface is. */
static int check_addresses(struct comparison *k, struct err *e)
{
	auto_ipam_result struct ipam_result r = { 0 };
	json_auto_t *own = result_ips(k->prev, k->c.interface), *prev = json_deep_copy(k->prev);
	char text[PREFIX_TEXT];
	size_t missing = 0;
	int found;

	if (!k->prev || !k->c.netdev.ifindex || k->c.rec->chained || !k->c.rec->ipam_type)
		return 0;
	(void)json_object_set(prev, "ips", own);
	if (ipam_result_parse(prev, "prevResult", &r, e) < 0)
		return -1;
	found = addr_find(&k->c.pod, k->c.netdev.ifindex, r.addr, r.addrs, &missing, e);
	if (found < 0)
		return -1;
	if (found == 0)
		check_differs(&k->c, "address: %s is gone", prefix_format(&r.addr[missing], text));
	return check_routes(k, &r, e);
}

/* Without a result: network-status has addresses without their prefix length. */
static int check_ips(struct comparison *k, const json_t *entry, struct err *e)
{
	struct ip_prefix want[IPS_MAX];
	size_t n = 0, missing = 0, i;
	char text[IP_TEXT];
	const json_t *ip;
	int found;

	if (k->prev || !k->c.netdev.ifindex || k->c.rec->chained || !k->c.rec->ipam_type)
		return 0;
	json_array_foreach(json_object_get(entry, "ips"), i, ip)
		if (n < IPS_MAX && json_is_string(ip) &&
		    ip_parse(json_string_value(ip), &want[n].ip))
			want[n++].len = ADDR_ANY_LEN;
	found = addr_find(&k->c.pod, k->c.netdev.ifindex, want, n, &missing, e);
	if (found == 0)
		check_differs(&k->c, "address: %s is gone", ip_format(&want[missing].ip, text));
	return found < 0 ? -1 : 0;
}

/* -- what we have written -- */

/* What stands there is a difference, that it cannot be read is none. */
static int check_info(struct comparison *k, const struct host *host, const json_t *entry,
		      struct err *e)
{
	const json_t *told = json_object_get(entry, "device-info");
	auto_device_info struct device_info info = { 0 };
	json_auto_t *now = NULL;
	int r;

	if (!k->c.rec->device_info_file || !told)
		return 0;
	r = store_read_cni(host, k->c.rec->device_info_file, &info, NULL, NULL, e);
	if (r < 0 && (e->code == ERR_IO || e->sys == EAGAIN))	/* it grew while it was read */
		return err_wrap(e, "device-info");
	if (r <= 0) {
		check_differs(&k->c, "device-info: %.128s", r < 0 ? e->msg : "the file is gone");
		return 0;
	}
	now = device_info_to_json(&info);
	if (!json_equal(now, told))
		check_differs(&k->c, "device-info: the file is not what network-status says");
	return 0;
}

static int check_files(struct comparison *k, struct err *e)
{
	struct host host = release_host(k->c.host, k->c.rec);
	json_auto_t *entry = NULL;
	int r;

	if (k->is_foreign)
		return 0;
	r = status_get(&host, &k->c.rec->owner, &entry, e);
	if (r < 0)
		return -1;
	if (r == 0)
		check_differs(&k->c, "network-status: %s",
			      status_is_damaged(&host, &k->c.rec->owner) ?
				      STATUS_DAMAGED : "the entry is gone");
	if (check_info(k, &host, entry, e) < 0)
		return -1;
	return check_ips(k, entry, e);
}

/* A plugin before us need not have listed its interface. */
static int check_result(struct comparison *k, struct err *e)
{
	const char *sandbox = json_string_value(json_object_get(k->c.interface, "sandbox"));

	(void)e;
	if (k->prev && !k->c.interface && !k->c.rec->chained)
		check_differs(&k->c, "prevResult: it has no interface %s", k->c.call->ifname);
	if (sandbox && *sandbox && strcmp(sandbox, k->c.call->netns) != 0)
		check_differs(&k->c, "prevResult: sandbox is %.128s, not %.128s",
			      sandbox, k->c.call->netns);
	return 0;
}

static int check_aspects(struct comparison *k, struct err *e)
{
	return aspects_check(&k->c, e);
}

int compare_attachment(struct comparison *k, struct err *e)
{
	static int (*const parts[])(struct comparison *k, struct err *e) = {
		check_result, check_aspects, check_addresses, check_files,
	};
	int r = open_netns(k, e);

	for (size_t i = 0; r > 0 && i < ARRAY_SIZE(parts); i++)
		if (parts[i](k, e) < 0)
			return -1;
	return r;
}

void comparison_done(struct comparison *k)
{
	nl_done(&k->c.home);
	nl_done(&k->c.pod);
}

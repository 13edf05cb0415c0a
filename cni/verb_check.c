/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb_check.c - CHECK: is the attachment as ADD left it?
 *
 * Compares the record, the configuration and prevResult with what the kernel and the
 * files show, and changes nothing.  All differences are told at once.  What later
 * plugins have added is none; where prevResult, the result of the whole chain, says
 * something of the interface, it goes before the configuration.
 */
#include "cni/verb.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/probe.h"
#include "cni/attach/release.h"
#include "cni/call/convert.h"
#include "cni/call/status.h"
#include "cni/netdev/netdev.h"
#include "cni/plugins/chain.h"
#include "cni/plugins/ipam.h"
#include "cni/rdma/rdma.h"
#include "cni/representor/representor.h"
#include "cni/socket/socket.h"
#include "cni/sriovcni/takeover.h"
#include "cni/vdpa/vdpa.h"
#include "cni/vf/vf.h"
#include "devinfo/format/store.h"
#include "devinfo/node/eswitch.h"
#include "netlink/addr_find.h"
#include "netlink/netns.h"

#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct check {
	const struct verb_input *in;
	json_t *prev;			/* owned; form of 1.1.0 */
	const json_t *intf;		/* our interface in it, NULL when it is not there */
	struct record rec;
	bool is_foreign;		/* rec is what sriov-cni has written down */
	struct nl home, pod;
	struct link link;		/* ifindex 0: not found */
	struct err all;			/* what differs, so far */
};

static void check_done(struct check *c)
{
	json_decref(c->prev);
	record_done(&c->rec);
	nl_done(&c->home);
	nl_done(&c->pod);
}

static void differs(struct check *c, const char *fmt, ...) printflike(2, 3);
static void differs(struct check *c, const char *fmt, ...)
{
	const struct cni_call *call = c->in->call;
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (c->all.code == ERR_OK)
		(void)err_set(&c->all, ERR_DRIFT, 0,
			      "interface %s of container %.64s is not as %s left it",
			      call->ifname, call->container_id,
			      c->is_foreign ? "sriov-cni" : "ADD");
	(void)err_detail(&c->all, "%s", text);
}

/* -- where it is -- */

/* One that sriov-cni made is compared as well, but for the files, which it does not write. */
static int find_foreign(struct check *c, const struct owner *o, struct err *e)
{
	const struct takeover a = { .host = c->in->host, .conf = c->in->conf, .lock = -1,
				    .cni_path = c->in->call->path };
	int r = takeover_read(&a, o, &c->rec, e);

	if (r <= 0)
		return r;
	log_info("msg=\"this attachment was made by sriov-cni\" device=%s", c->rec.device);
	c->rec.ipam_type = c->rec.lease_of;
	c->is_foreign = true;
	return 1;
}

static int find_record(struct check *c, struct err *e)
{
	const struct owner owner = {
		.network = c->in->conf->name,
		.container_id = c->in->call->container_id,
		.ifname = c->in->call->ifname,
		.netns = c->in->call->netns,
	};
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	int r = journal_open(c->in->host, JOURNAL_READ, &j, e);

	if (r > 0)
		r = journal_find(&j, &owner, &c->rec, e);
	if (r == 0)
		r = find_foreign(c, &owner, e);
	if (r == 0)
		return err_set(e, ERR_DRIFT, 0,
			       "there is no record of interface %s of container %.64s",
			       owner.ifname, owner.container_id);
	return r < 0 ? -1 : 0;
}

/* 1 when the namespace is the one of the ADD. */
static int open_netns(struct check *c, struct err *e)
{
	const struct owner *o = &c->rec.owner;
	auto_close int fd = -1;
	struct stat st;

	if (probe_open_netns(c->in->call, &fd, &st, e) < 0)
		return -1;
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &c->home, e) < 0 ||
	    nl_open(fd, NETLINK_ROUTE, &c->pod, e) < 0)
		return -1;
	if (owner_in_netns(o, st.st_dev, st.st_ino, nl_netns_cookie(&c->pod)))
		return 1;
	differs(c, "netns: %.128s is another namespace than that of the ADD", c->in->call->netns);
	return 0;
}

static int find_netdev(struct check *c, struct err *e)
{
	const char *ifname = c->in->call->ifname;
	struct netdev_place p = { .in_pod = false };
	int r;

	if (!c->rec.netdev.present || *c->rec.driver.bound || vdpa_is_node(&c->rec))
		return 0;
	r = netdev_find(&c->home, &c->pod, &c->rec, &p, e);
	if (r < 0)
		return -1;
	if (r == 0 || !p.in_pod) {
		differs(c, "interface: %s is not in the container%s", ifname,
			r > 0 ? " but on the host" : "");
		return 0;
	}
	c->link = p.link;
	if (strcmp(c->link.name, ifname) != 0)
		differs(c, "interface: it is called %s", c->link.name);
	return 0;
}

/* -- what it is like -- */

static int check_mac(struct check *c, struct err *e)
{
	const char *said = json_string_value(json_object_get(c->intf, "mac"));
	uint8_t want[MAC_LEN];
	char text[MAC_TEXT], wanted[MAC_TEXT];
	int r = said ? mac_parse(said, want)
		     : probe_wanted_mac(c->in->conf, c->in->call, want, e);

	if (r > 0 && c->link.addr_len == MAC_LEN && memcmp(want, c->link.addr, MAC_LEN) != 0)
		differs(c, "mac: want %s, have %s", mac_format(want, wanted),
			mac_format(c->link.addr, text));
	return r < 0 ? -1 : 0;
}

static void check_mtu(struct check *c)
{
	const json_t *said = json_object_get(c->intf, "mtu");
	json_int_t want = json_is_integer(said) ? json_integer_value(said) : c->in->conf->mtu;

	if (want > 0 && c->link.mtu != (uint32_t)want)
		differs(c, "mtu: want %lld, have %u", (long long)want, c->link.mtu);
}

/* The addresses in prevResult that are of our interface, or of none in particular. */
static json_t *own_ips(const struct check *c)
{
	const json_t *interfaces = json_object_get(c->prev, "interfaces");
	json_t *own = json_array(), *ip;
	size_t i;

	json_array_foreach(json_object_get(c->prev, "ips"), i, ip) {
		const json_t *at = json_object_get(ip, "interface");

		if (!at || json_array_get(interfaces, (size_t)json_integer_value(at)) == c->intf)
			(void)json_array_append(own, ip);
	}
	return own;
}

/* A route by a gateway that none of our addresses reaches is a later plugin's. */
static bool is_reached(const struct ipam_result *r, const struct route *route)
{
	for (size_t i = 0; i < r->addrs; i++)
		if (!route->gw.family || prefix_has(&r->addr[i], &route->gw))
			return true;
	return false;
}

static int check_routes(struct check *c, struct ipam_result *r, struct err *e)
{
	char text[PREFIX_TEXT];
	size_t n = 0, missing = 0;
	int found;

	for (size_t i = 0; i < r->nroutes; i++)
		if (is_reached(r, &r->route[i]))
			r->route[n++] = r->route[i];
	found = route_find(&c->pod, c->link.ifindex, r->route, n, &missing, e);
	if (found == 0)
		differs(c, "route: to %s is gone", prefix_format(&r->route[missing].dst, text));
	return found < 0 ? -1 : 0;
}

/* Addresses are ours to look after where the interface is. */
static int check_addresses(struct check *c, struct err *e)
{
	auto_ipam_result struct ipam_result r = { 0 };
	json_auto_t *own = own_ips(c), *prev = json_copy(c->prev);
	char text[PREFIX_TEXT];
	size_t missing = 0;
	int found;

	if (c->rec.chained || !c->rec.ipam_type)
		return 0;
	(void)json_object_set(prev, "ips", own);
	if (ipam_result_parse(prev, "prevResult", &r, e) < 0)
		return -1;
	found = addr_find(&c->pod, c->link.ifindex, r.addr, r.addrs, &missing, e);
	if (found < 0)
		return -1;
	if (found == 0)
		differs(c, "address: %s is gone", prefix_format(&r.addr[missing], text));
	return check_routes(c, &r, e);
}

static int check_netdev(struct check *c, struct err *e)
{
	if (!c->link.ifindex)
		return 0;
	/* one that is not ours we do not set up */
	if (!(c->link.flags & IFF_UP) && (!c->rec.chained || c->rec.netdev.flags & IFF_UP))
		differs(c, "state: want up, have down");
	if (check_mac(c, e) < 0)
		return -1;
	check_mtu(c);
	return check_addresses(c, e);
}

static int check_driver(struct check *c, struct err *e)
{
	const char *want = c->rec.driver.bound;
	struct pci_device dev = { 0 };

	if (*want && sysfs_pci(c->in->host, c->rec.device, &dev, e) < 0)
		return -1;
	if (*want && strcmp(dev.driver, want) != 0)
		differs(c, "driver of %s: want %s, have %s", c->rec.device, want,
			*dev.driver ? dev.driver : "none");
	return 0;
}

static void tell_difference(const char *text, void *arg)
{
	differs(arg, "%s", text);
}

static int check_vf(struct check *c, struct err *e)
{
	uint8_t mac[MAC_LEN];
	struct pci_device dev = { 0 };
	struct vf_state want, now;
	int has_mac = probe_wanted_mac(c->in->conf, c->in->call, mac, e), r;

	if (has_mac < 0)
		return -1;
	vf_want(c->in->conf, has_mac ? mac : NULL, &want);
	want.have &= c->rec.vf_set;
	if (!want.have)
		return 0;
	r = eswitch_pci(c->in->host, c->rec.device, &dev, e);
	if (r > 0 && dev.pf_ifindex)
		r = vf_get(&c->home, dev.pf_ifindex, dev.vf_index, &now, e);
	if (r <= 0 || !dev.pf_ifindex) {
		differs(c, "vf: %s: %s", c->rec.device, r < 0 ? e->msg : "not to be found");
		return 0;
	}
	vf_tell_differences(&dev, &want, &now, tell_difference, c);
	return 0;
}

static int check_rdma(struct check *c, struct err *e)
{
	const struct rdma_state *was = &c->rec.rdma;
	auto_close int netns = -1;
	struct rdma_device dev;
	int r;

	if (!was->isolated)
		return 0;
	r = netns_open(c->in->call->netns, &netns, e);
	if (r > 0)
		r = rdma_find_in(netns, &c->rec, &dev, e);
	if (r == 0)
		differs(c, "rdma: %s is not in the container", was->name);
	if (r > 0 && strcmp(dev.name, was->name) != 0)
		differs(c, "rdma: want %s, have %s", was->name, dev.name);
	return r < 0 ? -1 : 0;
}

static void part_differs(void *arg, const char *text)
{
	differs(arg, "%s", text);
}

static int check_vdpa(struct check *c, struct err *e)
{
	uint8_t mac[MAC_LEN];
	int has_mac = probe_wanted_mac(c->in->conf, c->in->call, mac, e);

	if (has_mac < 0)
		return -1;
	return vdpa_check(c->in->host, &c->in->conf->vdpa, has_mac ? mac : NULL, &c->rec,
			  part_differs, c, e);
}

static int check_socket(struct check *c, struct err *e)
{
	return socket_check(c->in->host, c->in->conf, &c->rec, part_differs, c, e);
}

static int check_representor(struct check *c, struct err *e)
{
	return representor_check(c->in->host, &c->home, c->in->conf, &c->rec, part_differs,
				 c, e);
}

/* -- what we have written -- */

static void check_info(struct check *c, const struct host *host, const json_t *entry)
{
	const json_t *told = json_object_get(entry, "device-info");
	auto_device_info struct device_info info = { 0 };
	json_auto_t *now = NULL;
	struct err e;
	int r;

	if (!c->rec.device_info_file || !told)
		return;
	r = store_read_cni(host, c->rec.device_info_file, &info, NULL, NULL, &e);
	if (r <= 0) {
		differs(c, "device-info: %.128s", r < 0 ? e.msg : "the file is gone");
		return;
	}
	now = device_info_to_json(&info);
	if (!json_equal(now, told))
		differs(c, "device-info: the file is not what network-status says");
}

static int check_files(struct check *c, struct err *e)
{
	struct host host = release_host(c->in->host, &c->rec);
	json_auto_t *entry = NULL;
	int r;

	if (c->is_foreign)
		return 0;
	r = status_get(&host, &c->rec.owner, &entry, e);
	if (r < 0)
		return -1;
	if (r == 0)
		differs(c, "network-status: the entry is gone");
	check_info(c, &host, entry);
	return 0;
}

/* A plugin before us need not have listed its interface. */
static int check_result(struct check *c, struct err *e)
{
	const char *sandbox = json_string_value(json_object_get(c->intf, "sandbox"));

	(void)e;
	if (!c->intf && !c->rec.chained)
		differs(c, "prevResult: it has no interface %s", c->in->call->ifname);
	if (sandbox && *sandbox && strcmp(sandbox, c->in->call->netns) != 0)
		differs(c, "prevResult: sandbox is %.128s, not %.128s", sandbox,
			c->in->call->netns);
	return 0;
}

static int check_ipam(struct check *c, struct err *e)
{
	struct ipam ipam = {
		.type = c->in->conf->ipam_type,
		.cni_path = c->in->call->path,
		.request = c->in->request,
		.timeout_ms = c->in->host->set.ipam_timeout_ms,
	};

	(void)e;
	if (ipam.type && ipam_check(&ipam, e) < 0)
		err_join(&c->all, e);
	return 0;
}

static int check_chain(struct check *c, struct err *e)
{
	char info[PATH_MAX] = "";
	struct chain chain = {
		.conf = c->in->conf,
		.cni_path = c->in->call->path,
		.device_id = c->rec.device_id,
		.info_path = info,
		.timeout_ms = c->in->host->set.ipam_timeout_ms,
	};

	if (c->rec.device_info_file)
		store_cni_path(release_host(c->in->host, &c->rec).set.devinfo_dir,
			       c->rec.device_info_file, info);
	if (chain_check(&chain, c->prev, e) < 0)
		err_join(&c->all, e);
	return 0;
}

static int look_at(struct check *c, struct err *e)
{
	static int (*const parts[])(struct check *c, struct err *e) = {
		check_result, find_netdev, check_netdev, check_driver, check_vdpa, check_socket,
		check_vf, check_rdma, check_representor, check_files, check_ipam, check_chain,
	};
	int r = open_netns(c, e);

	for (size_t i = 0; r > 0 && i < ARRAY_SIZE(parts); i++)
		if (parts[i](c, e) < 0)
			return -1;
	return r < 0 ? -1 : err_joined(&c->all, e);
}

int verb_check(const struct verb_input *in, struct err *e)
{
	auto_with(check_done) struct check c = { .in = in, .all = { .code = ERR_OK } };

	if (netconf_check(in->conf, e) < 0)
		return -1;
	if (!in->conf->prev_result)
		return err_set(e, ERR_NETCONF, 0, "prevResult: CHECK needs it");
	if (result_read_prev(in->conf, &c.prev, e) < 0)
		return -1;
	c.intf = result_interface(c.prev, in->call->ifname);
	return find_record(&c, e) < 0 ? -1 : look_at(&c, e);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* sriovcni_record.c - what a record of sriov-cni lacks to be one of ours */
#include "cni/sriovcni/sriovcni_record.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev.h"
#include "cni/sriovcni/sriovcni_vf.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/sysfs.h"

#include <stdio.h>
#include <string.h>

/* What sriov-cni does not write down is as it is now, for it changes none of that. */
static void take_link(struct record *rec, const struct link *now, bool in_pod)
{
	struct netdev_state *was = &rec->netdev;

	was->ifindex = now->ifindex;
	rec->pod_ifindex = in_pod ? now->ifindex : 0;
	was->txqlen = now->txqlen;
	memcpy(was->alias, now->alias, sizeof(was->alias));
	was->perm_len = now->perm_len;
	memcpy(was->perm, now->perm, sizeof(was->perm));
	if (!was->addr_len) {
		was->addr_len = now->addr_len;
		memcpy(was->addr, now->addr, sizeof(was->addr));
	}
	if (rec->vf_set & VF_MAC) {	/* which some drivers take for the permanent one */
		was->perm_len = was->addr_len;
		memcpy(was->perm, was->addr, sizeof(was->perm));
	}
}

static int read_link(struct record *rec, struct nl *pod, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct netdev_place p = { .in_pod = false };
	int r;

	if (!rec->netdev.present)
		return 0;
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0)
		return -1;
	r = netdev_find(&home, pod, rec, &p, e);
	if (r > 0)
		take_link(rec, &p.link, p.in_pod);
	return r < 0 ? -1 : 0;
}

int sriovcni_record_complete(struct record *rec, const char *netns, struct err *e)
{
	auto_nl struct nl pod = { 0 };
	auto_close int fd = -1;
	struct stat st;
	int alive = sriovcni_vf_open_netns(netns, &fd, &st, e);

	if (alive < 0 || (alive > 0 && nl_open(fd, NETLINK_ROUTE, &pod, e) < 0))
		return -1;
	rec->owner.netns = netns;
	if (alive) {
		rec->owner.netns_dev = st.st_dev;
		rec->owner.netns_ino = st.st_ino;
		rec->owner.netns_cookie = nl_netns_cookie(&pod);
	}
	return read_link(rec, alive ? &pod : NULL, e);
}

int sriovcni_record_set_node(const struct host *host, struct record *rec, bool this_boot,
			     struct err *e)
{
	rec->devinfo_dir = host->set.devinfo_dir;
	rec->run_dir = host->set.run_dir;
	if (!this_boot)
		(void)snprintf(rec->boot_id, sizeof(rec->boot_id), "earlier");
	return this_boot ? journal_boot_id(host, rec->boot_id, e) : 0;
}

/* 1, 0, -1. */
static int can_reset(const struct host *host, struct record *rec, struct err *e)
{
	struct pci_device dev = { 0 };
	int r = driver_can_reset(host, rec->device, e);

	if (r > 0)
		r = sysfs_pci(host, rec->device, &dev, e);
	return r > 0 && driver_note(host, &dev, &rec->driver, e) < 0 ? -1 : r;
}

/* A DEL takes its configuration as it is. */
void sriovcni_record_set_policy(const struct host *host, struct record *rec,
			   const struct netconf *conf)
{
	const char *policy = json_string_value(json_object_get(conf->doc, "releasePolicy"));
	struct err e = { .msg = "it has none" };
	bool asked;

	rec->known_clean = policy && strcmp(policy, "known-clean") == 0;
	asked = json_is_true(json_object_get(conf->doc, "resetOnRelease"));
	if (!asked && !rec->known_clean)
		return;
	rec->reset = can_reset(host, rec, &e) > 0;
	if (!rec->reset && asked)
		log_warning("msg=\"no function level reset: %s\" device=%s", e.msg, rec->device);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - which device is this attachment's? */
#include "cni/choose.h"

#include "base/log.h"
#include "base/name.h"
#include "devinfo/owner.h"
#include "devinfo/podres.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void choice_set_pci(struct choice *c, const char *bdf)
{
	size_t i;

	c->is_pci = true;
	for (i = 0; i < sizeof(c->key) - 1 && bdf[i]; i++)
		c->key[i] = (char)tolower((unsigned char)bdf[i]);
	c->key[i] = '\0';
}

/* A network device at home; one with a PCI function behind it is known by that. */
static int at_home(const struct host *host, const char *name, struct choice *c, struct err *e)
{
	struct net_device net;
	struct pci_device pci;
	int r = sysfs_netdev(host, name, &net, e);

	if (r <= 0)
		return r;
	memcpy(c->key, net.name, sizeof(net.name));
	if (!*net.bdf)
		return 1;
	r = sysfs_pci(host, net.bdf, &pci, e);
	if (r <= 0)
		return r;
	/* several ports on one function: the function's first is not the one asked for */
	if (strcmp(pci.netdev, net.name) == 0)
		choice_set_pci(c, pci.bdf);
	return 1;
}

struct by_name {
	const char *name;
	struct choice *c;
};

static int take_if_named(const struct record *rec, void *arg, struct err *e)
{
	const struct by_name *by = arg;

	(void)e;
	if (rec->released || !rec->netdev.present || strcmp(rec->netdev.name, by->name) != 0)
		return 0;
	memcpy(by->c->key, rec->device, sizeof(by->c->key));
	by->c->is_pci = rec->is_pci;
	return 1;
}

/*
 * By the name it has at home.  When it is not there it may be in a pod, dead or alive: then its
 * record knows it; unless it has just come home.
 */
static int by_name(const struct host *host, struct journal *journal, const char *name,
		   struct choice *c, struct err *e)
{
	struct by_name by = { .name = name, .c = c };
	int r = at_home(host, name, c, e);

	if (r == 0)
		r = journal_each(journal, take_if_named, &by, e);
	if (r == 0)
		r = at_home(host, name, c, e);
	return r;
}

static int by_id(const struct host *host, struct journal *journal, const char *id, struct choice *c,
		 struct err *e)
{
	int r;

	if (strlen(id) >= sizeof(c->id))
		return err_set(e, ERR_DEVICE, ENAMETOOLONG, "deviceID '%.64s...'", id);
	memcpy(c->id, id, strlen(id) + 1);
	if (name_is_bdf(id)) {
		choice_set_pci(c, id);
		return 0;
	}
	r = name_is_ifname(id) ? by_name(host, journal, id, c, e) : 0;
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV,
			       "deviceID '%.64s' is no PCI address and no network device of this "
			       "node",
			       id);
	return r < 0 ? -1 : 0;
}

/* Whether a live attachment has it already: 1, 0, -1. */
static int is_taken(const struct host *host, struct journal *journal, const char *key,
		    struct err *e)
{
	auto_record struct record rec = { 0 };
	int r = journal_find_device(journal, key, &rec, e);

	return r <= 0 ? r : owner_is_alive(host, &rec, e);
}

/* The first of kubelet's that no attachment has; order and pinning are that of podres_devices(). */
static int pick(const struct host *host, struct journal *journal, const struct podres_devices *d,
		struct choice *c, struct err *e)
{
	for (size_t i = 0; i < d->count; i++) {
		struct choice try = { .source = d->source };
		int taken;

		if (by_id(host, journal, d->ids[i], &try, e) < 0)
			return -1;
		taken = is_taken(host, journal, try.key, e);
		if (taken < 0)
			return -1;
		if (!taken) {
			*c = try;
			return 1;
		}
	}
	return 0;
}

static int from_kubelet(const struct host *host, const struct cni_call *call,
			const struct netconf *nc, struct journal *journal, struct choice *c,
			struct err *e)
{
	struct podres_pod pod = { .name_space = call->pod_namespace, .name = call->pod_name };
	struct deadline d = deadline_in(host->set.podres_timeout_ms);
	auto_with(podres_devices_done) struct podres_devices devices = { 0 };
	int r;

	if (!pod.name || !pod.name_space)
		return err_set(e, ERR_ENV, 0, "resourceName %s: CNI_ARGS name no pod "
			       "(K8S_POD_NAMESPACE, K8S_POD_NAME)", nc->resource);
	r = podres_devices(host, &pod, nc->resource, &d, &devices, e);
	if (r == 0)
		return err_set(e, ERR_DEVICE, 0,
			       "pod %s/%s has no device of resource %s: is it in resources.limits?",
			       pod.name_space, pod.name, nc->resource);
	if (r < 0)
		return -1;
	r = pick(host, journal, &devices, c, e);
	if (r == 0)
		return err_set(e, ERR_DEVICE, 0,
			       "pod %s/%s has %zu device(s) of resource %s and all "
			       "are attached already",
			       pod.name_space, pod.name, devices.count, nc->resource);
	return r < 0 ? -1 : 0;
}

int choose_read(const struct host *host, struct choice *c, struct err *e)
{
	int r = c->is_pci ? sysfs_pci(host, c->key, &c->pci, e)
			  : sysfs_netdev(host, c->key, &c->net, e);

	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "no %s %s on this node",
			       c->is_pci ? "PCI device" : "network device", c->key);
	return r < 0 ? -1 : 0;
}

int choose_busy(const struct record *rec, struct err *e)
{
	return err_set(e, ERR_TRY_AGAIN, 0, "device %s belongs to interface %s of container %.64s "
		       "(network %.64s)", rec->device, rec->owner.ifname, rec->owner.container_id,
		       rec->owner.network);
}

static int choose(const struct host *host, const struct cni_call *call, const struct netconf *nc,
		  struct journal *journal, struct choice *c, struct err *e)
{
	int r;

	c->source = "configuration";
	if (nc->device_id)
		return by_id(host, journal, nc->device_id, c, e);
	if (!nc->device)
		return from_kubelet(host, call, nc, journal, c, e);
	r = by_name(host, journal, nc->device, c, e);
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "no network device %s on this node",
			       nc->device);
	return r < 0 ? -1 : 0;
}

int choose_device(const struct host *host, const struct cni_call *call, const struct netconf *nc,
		  struct journal *journal, struct choice *ret, struct err *e)
{
	struct choice c = { 0 };

	if (choose(host, call, nc, journal, &c, e) < 0)
		return -1;
	if (c.is_pci && !name_is_bdf(c.id))	/* a device plugin's file goes by the address */
		memcpy(c.id, c.key, sizeof(c.key));
	log_info("msg=\"device chosen\" device=%s source=\"%s\"", c.key, c.source);
	*ret = c;
	return 0;
}

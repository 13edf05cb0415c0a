/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_aspect.c - the network device of an attachment: probed, moved, compared, fetched */
#include "cni/netdev/netdev.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/aspect/hardware.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev_programs.h"
#include "cni/netdev/netdev_settings.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/sysfs.h"
#include "netlink/link_name.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#define MOVES_MAX	10	/* tries, while others are faster to take a number */

/* -- ADD -- */

static int refuse_without(const struct attachment *a, struct err *e)
{
	const struct pci_device *pci = &a->dev.pci;
	const char *driver = a->dev.is_pci && *pci->driver ? pci->driver : NULL;
	struct err ignored;
	bool away = driver && sysfs_has_netdev(a->host, a->dev.key, &ignored) > 0;

	return err_set(e, ERR_DEVICE, ENODEV, "%s (driver %s) has no network device here%s",
		       a->dev.key, driver ? driver : "none",
		       away   ? ": it is in another network namespace" :
		       driver ? "" : ": bind a driver to it");
}

/* Without a network device: a function that a program in user space drives. */
static int probe_userspace(struct attachment *a, struct err *e)
{
	const struct pci_device *pci = &a->dev.pci;

	if (!a->dev.is_pci ||
	    (!driver_is_userspace(pci->driver) && (*pci->driver || !a->conf->driver)))
		return refuse_without(a, e);
	if (!pci->is_network)
		return err_set(e, ERR_DEVICE, 0, "PCI device %s is not a network controller",
			       a->dev.key);
	return netdev_refuse_wish(a->conf, a->dev.key, pci->driver, e);
}

static int free_number(struct attachment *a, int from, struct err *e)
{
	return a->rec.unique_parent ? 0 : netdev_free_number(&a->pod, from, &a->rec.pod_ifindex, e);
}

/* No other network device has the same parent. */
static bool has_unique_sf(const struct attachment *a, const struct link *link)
{
	return a->dev.sf.netdevs == 1 && strcmp(link->parent_dev, a->dev.sf.name) == 0;
}

/* 0: it has none, or will get one from another driver. */
static int ifindex_of(const struct attachment *a)
{
	if (a->netdev_known)
		return a->netdev_ifindex;
	return a->dev.is_pci ? a->dev.pci.ifindex : a->dev.net.ifindex;
}

int netdev_refuse_use(const struct host *host, struct nl *home, const struct link *link,
		      struct err *e)
{
	char uppers[128], called[LINK_CALLED];

	if (link->flags & IFF_LOOPBACK)
		return err_set(e, ERR_DEVICE, 0, "%s is the loopback device", link->name);
	if (link->master)
		return err_set(e, ERR_DEVICE, EBUSY, "%s is a port of %s of the host", link->name,
			       link_called(home, link->master, called));
	/* the host's end of another pod's interface, say */
	if (strcmp(link->kind, "veth") == 0 && link->peer_elsewhere)
		return err_set(e, ERR_DEVICE, EBUSY, "%s is one end of a veth pair whose other end "
			       "is in another namespace", link->name);
	if (sysfs_uppers(host, link->name, uppers, e) < 0)
		return err_wrap(e, "look at %s", link->name);
	return !*uppers ? 0 : err_set(e, ERR_DEVICE, EBUSY, "%s is used by interfaces of the host "
				      "that are stacked on it: %s", link->name, uppers);
}

/* As it was read with the choice, under the device's lock; of a function it is read now. */
static int read_link(struct attachment *a, int ifindex, struct link *ret, struct err *e)
{
	if (a->dev.link.ifindex != ifindex)
		return link_get_by_index(&a->home, ifindex, ret, e);
	*ret = a->dev.link;
	return 1;
}

static int probe(struct attachment *a, struct err *e)
{
	int ifindex = ifindex_of(a);
	struct link link;
	int r;

	if (ifindex == 0)
		return a->netdev_known ? 0 : probe_userspace(a, e);
	r = read_link(a, ifindex, &link, e);
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "the network device of %s has just gone",
			       a->dev.key);
	if (r < 0)
		return -1;
	if (strcmp(link.parent_bus, a->dev.is_pci ? "pci" : "auxiliary") == 0 &&
	    (a->dev.is_pci || *a->dev.sf.name) && strcmp(link.parent_dev, a->dev.key) != 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "%s is not that of %s any more",
			       link.name, a->dev.key);
	if (netdev_refuse_use(a->host, &a->home, &link, e) < 0)
		return -1;
	netdev_state_of(&link, &a->rec.netdev);
	if (netdev_settings_note(a->host, &a->home, &link, &a->rec.netdev.settings, e) < 0)
		return -1;
	a->rec.unique_parent = *link.parent_dev &&
			       (a->netdev_known ? true :
				a->dev.is_pci	? a->dev.pci.is_vf :
						  has_unique_sf(a, &link));
	if (link.alt.more)
		log_warning("msg=\"more alternative names than are remembered\" interface=%s",
			    link.name);
	if (a->hides_netdev)	/* it will not be there, and comes back anew */
		return 0;
	if (!a->conf->known_clean && netdev_programs_refuse(&link, e) < 0)
		return -1;
	r = link_get_by_name(&a->pod, a->call->ifname, &link, e);
	if (r > 0)
		return err_set(e, ERR_BUSY, EEXIST, "the container has an interface %s already",
			       a->call->ifname);
	return r < 0 ? -1 : free_number(a, a->rec.netdev.ifindex, e);
}

/* An alternative name of the device, which nobody needs there, may be another's name there. */
static bool yield_names(struct attachment *a)
{
	struct err e;

	return netdev_drop_altnames(&a->home, &a->rec.netdev, &e) > 0;
}

/* The number may have been taken since we looked: then the next one is recorded first. */
static int move(struct attachment *a, struct err *e)
{
	struct link_target to = { .nsfd = a->netns, .name = a->call->ifname, .up = true };

	if (netdev_drop_altname(&a->home, &a->rec.netdev, a->call->ifname, e) < 0)
		return -1;
	for (int tries = 1;; tries++) {
		int r;

		to.ifindex = a->rec.pod_ifindex;
		if (link_move(&a->home, a->rec.netdev.ifindex, &to, e) == 0)
			return 0;
		r = netdev_up_in_pod(&a->home, &a->pod, &a->rec, a->call->ifname, e);
		if (r != 0)
			return r < 0 ? -1 : 0;
		if (e->sys == EEXIST && yield_names(a) && tries < MOVES_MAX)
			continue;
		if (a->rec.unique_parent || e->sys != EBUSY || tries == MOVES_MAX)
			return err_wrap(e, "move %s into the container as %s", a->rec.netdev.name,
					a->call->ifname);
		if (free_number(a, a->rec.pod_ifindex + 1, e) < 0 ||
		    journal_write(&a->journal, &a->rec, e) < 0)
			return -1;
	}
}

static int move_in(struct attachment *a, struct err *e)
{
	const char *ifname = a->call->ifname;
	int r;

	if (!attachment_has_netdev(a))
		return 0;
	if (move(a, e) < 0)
		return -1;
	r = link_get_by_name(&a->pod, ifname, &a->link, e);
	if (r <= 0)
		return r < 0 ? -1
			     : err_set(e, ERR_DEVICE, ENODEV, "%s went away in the container",
				       ifname);
	if (a->has_mac &&
	    (a->link.addr_len != MAC_LEN || memcmp(a->link.addr, a->mac, MAC_LEN) != 0))
		return err_set(e, ERR_DEVICE, 0, "%s: %s has not kept the address that it was "
			       "given", a->mac_key, a->rec.netdev.name);
	if (a->rec.unique_parent || a->link.ifindex == a->rec.pod_ifindex)
		return 0;
	a->rec.pod_ifindex = a->link.ifindex;	/* a kernel before 5.13 chooses itself */
	return journal_write(&a->journal, &a->rec, e);
}

/* What is left on a device that is to be clean: its network says so. */
static int remove_programs(struct attachment *a, struct err *e)
{
	struct link link;
	int r;

	if (!attachment_has_netdev(a) || !a->conf->known_clean)
		return 0;
	r = link_get_by_index(&a->home, a->rec.netdev.ifindex, &link, e);
	return r <= 0 ? r : netdev_programs_remove(&a->home, &link, e);
}

static int apply(struct attachment *a, struct err *e)
{
	struct netdev_wish w;

	netdev_wish_of(a, &w);
	if (remove_programs(a, e) < 0)
		return -1;
	if (attachment_has_netdev(a) &&
	    netdev_configure(&a->home, &a->rec, &w, a->mac_key, e) < 0)
		return -1;
	return move_in(a, e);
}

/* -- CHECK -- */

static int find(struct check *c, struct err *e)
{
	struct netdev_place p = { .in_pod = false };
	int r;

	if (!c->rec->netdev.present || c->hides_netdev)
		return 0;
	r = netdev_find(&c->home, &c->pod, c->rec, &p, e);
	if (r < 0)
		return -1;
	if (r == 0 || !p.in_pod) {
		check_away(c, "interface: %s is not in the container%s", c->call->ifname,
			   r > 0 ? " but on the host" : "");
		return 0;
	}
	c->netdev = p.link;
	if (strcmp(p.link.name, c->call->ifname) != 0)
		check_differs(c, "interface: it is called %s", p.link.name);
	return 0;
}

static int check_netdev(struct check *c, struct err *e)
{
	if (find(c, e) < 0)
		return -1;
	if (!c->netdev.ifindex)
		return 0;
	/* one that is not ours we do not set up */
	if (!(c->netdev.flags & IFF_UP) && (!c->rec->chained || c->rec->netdev.flags & IFF_UP))
		check_differs(c, "state: expected up, got down");
	netdev_compare(c);
	return 0;
}

/* -- DEL -- */

static int await(struct restoring *r, struct nl *pod, struct netdev_place *ret, struct err *e)
{
	int must_be = r->netdev_known ? r->netdev_must_be :
					hardware_has_netdev(r->host, r->rec, r->dev, e);

	return must_be < 0 ? -1 : netdev_await(&r->home, pod, r->rec, must_be, ret, e);
}

/* What its former user left running in the function ends here.  The network device is a new one. */
static int reset(struct restoring *r, struct netdev_place *place, struct err *e)
{
	if (!r->rec->reset)
		return 0;
	if (driver_reset(r->host, r->rec->device, &r->rec->driver, e) < 0)
		return -1;
	return await(r, NULL, place, e) < 0 ? -1 : 0;
}

/* 1 when it is at home, 0 when there is none, -1. */
static int fetch(struct restoring *r, struct netdev_place *place, struct err *e)
{
	auto_nl struct nl pod = { 0 };
	int alive = owner_open(r->rec, &pod, e), found;

	if (alive < 0)
		return -1;
	found = await(r, alive ? &pod : NULL, place, e);
	if (found <= 0)
		return found;
	r->netdev_found = true;
	if (place->in_pod)
		r->before_return(r);
	return netdev_fetch(&r->home, &pod, r->journal, r->rec, place, e) < 0 ? -1 : 1;
}

/* An address that it does not take is what the PF's side may cure. */
static int settle_at_home(struct restoring *r, struct netdev_place *place, struct err *e)
{
	const struct netdev_state *was = &r->rec->netdev;
	struct err all = { .code = ERR_OK }, one;
	int done;

	/* first, for an MTU or a feature may be refused while they are there */
	if (was->settings.have && netdev_programs_remove(&r->home, &place->link, &one) < 0)
		err_join(&all, &one);
	done = netdev_settle(&r->home, r->rec, &place->link, &r->mac_refused, &one);
	if (done < 0 && !(r->mac_refused && r->rec->vf.have))
		err_join(&all, &one);
	r->netdev = place->link;
	r->netdev_back = done == 0 || r->mac_refused;
	if (r->netdev_back)
		netdev_settings_restore(r->host, &r->home, &place->link, was);
	return err_joined(&all, e);
}

/* A virtual one has ended with its namespace; that of hardware has lost its driver, most likely. */
static void warn_of_absence(const struct restoring *r)
{
	const struct netdev_state *was = &r->rec->netdev;

	if (*was->parent && !*was->kind)
		log_warning("msg=\"its network device is gone, and nothing of that is restored\" "
			    "device=%s driver=%s before=%s", r->rec->device,
			    *r->dev->driver ? r->dev->driver : "none", was->name);
}

static int restore(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	struct netdev_place place = { .in_pod = false };
	int home;

	if (!r->rec->netdev.present || r->has_no_netdev) {
		r->vf_differs = r->rec->vf_set;
		return 0;
	}
	home = fetch(r, &place, e);
	if (home < 0)
		r->in_use = !r->netdev_found || place.in_pod;
	if (home == 0)
		warn_of_absence(r);
	if (home <= 0)
		return home;
	if (reset(r, &place, &one) < 0)
		err_join(&all, &one);
	if (settle_at_home(r, &place, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

const struct aspect netdev_aspect = {
	.of = ASPECT_DEVICE, .probe = probe, .apply = apply,
	.check = check_netdev, .restore = restore,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netdev.h - move the network device of an attachment to the pod, and back
 *
 * The room cni/netdev/ changes the network device of an attachment, at home and in the pod, by
 * netlink: its name, addresses, state and namespace; and what a pod leaves on it, also by ioctl(2),
 * bpf(2) and /sys (NOTES.md).  It writes the record when the device has got another index.  Other
 * rooms handle the PF, drivers and IP addresses.
 *
 * A VF's device is identified by its parent, which no other network device has; a sub-function's by
 * its permanent address as well, because its parent's name is reused; a virtio device's by its
 * parent, whose present name its aspect looks up each time.  Other devices may share theirs (ports
 * of one function, a PF and its representors), so their index or an address has to agree as well; a
 * virtual device has only its index and kind.  A name alone identifies nothing: the pod may rename
 * the device, and may own another interface of that name.
 */
#ifndef CNI_NETDEV_H
#define CNI_NETDEV_H

#include "base/err.h"
#include "cni/aspect/aspect.h"
#include "cni/netdev/netdev_attribute.h"
#include "devinfo/journal/journal.h"
#include "netlink/link.h"

/* Fill in the state that has to be restored later. */
void netdev_state_of(const struct link *link, struct netdev_state *ret);

/*
 * Refuse a device whose other use on the host would move to the pod with it, or end: ERR_DEVICE for
 * the loopback device, a port, an end of another pod's veth pair, and one on which interfaces are
 * stacked.
 */
int netdev_refuse_use(const struct host *host, struct nl *home, const struct link *link,
		      struct err *e) must_check;

/*
 * Set the requested attributes on the device, still at home: its MAC, whose key is mac_key, and all
 * others in one request.  A VF's driver that refuses the MAC which the PF has just assigned to it
 * is set up and down once, which makes it take it.
 */
int netdev_configure(struct nl *home, const struct record *rec, const struct netdev_wish *w,
		     const char *mac_key, struct err *e) must_check;

/*
 * Remove this alternative name from a device at home, before it gets that name in the container; or
 * all of them, when one is taken there: 1, 0 when there is none left or the device is not at home,
 * -1.  The record keeps them.
 */
int netdev_drop_altname(struct nl *home, const struct netdev_state *before, const char *name,
			struct err *e) must_check;
int netdev_drop_altnames(struct nl *home, const struct netdev_state *before, struct err *e)
	must_check;

/* Find the first free interface index from `from` on in a namespace. */
int netdev_free_number(struct nl *nl, int from, int *ret, struct err *e) must_check;

/*
 * Restore the attributes that we changed on a device that was in the container before us; there or,
 * when the container is dead and it is a VF, at home.  1, 0 when the device is gone, -1.
 */
int netdev_restore_in_place(struct nl *home, struct nl *pod, const struct record *rec,
			    struct err *e) must_check;

/* Where an attachment's device is now. */
struct netdev_place {
	struct link link;
	bool in_pod;
};

/* Look in the pod (NULL: its namespace is gone) and then at home: 1, 0, -1. */
int netdev_find(struct nl *home, struct nl *pod, const struct record *rec, struct netdev_place *ret,
		struct err *e) must_check;

/*
 * The same, but wait for a device on its way back from a dead namespace.  ERR_TRY_AGAIN for one
 * that must be somewhere (hardware.h), and is neither here nor there.
 */
int netdev_await(struct nl *home, struct nl *pod, const struct record *rec, bool must_be,
		 struct netdev_place *ret, struct err *e) must_check;

/*
 * Handle a failed move, whose error is *e: when the device is in the pod under its name, and only
 * its driver was not ready to set it up, set it up within two seconds: 1; 0 for another error; -1.
 */
int netdev_up_in_pod(struct nl *home, struct nl *pod, const struct record *rec, const char *name,
		     struct err *e) must_check;

/* Bring the device home from where it was found; *place then says how it arrived. */
int netdev_fetch(struct nl *home, struct nl *pod, const struct journal *journal, struct record *rec,
		 struct netdev_place *place, struct err *e) must_check;

/*
 * Restore names, attributes and state of the device at home.  *now is its present state, whose
 * members in use are updated; *mac_refused: all but the MAC was restored, and *e has the MAC's
 * error.  If another interface has its name by now, the device gets a free one, and the log has
 * both.
 */
int netdev_settle(struct nl *home, const struct record *rec, struct link *now, bool *mac_refused,
		  struct err *e) must_check;

/* Does it have the current and the permanent address of before? */
bool netdev_has_macs(const struct link *link, const struct netdev_state *was);

/*
 * After the PF has given the VF its address of before: make sure that the device at home has it
 * too, both the current and the permanent one, setting it up and down once when not (igbvf learns
 * it from that reset).  1 when it has, 0 when not, -1.
 */
int netdev_settle_mac(struct nl *home, const struct record *rec, struct err *e) must_check;

/* Only the MAC of before, once more: for a VF that was made trusted meanwhile. */
int netdev_restore_mac(struct nl *home, const struct record *rec, struct err *e) must_check;

extern const struct aspect netdev_aspect, netdev_chained_aspect;

#endif

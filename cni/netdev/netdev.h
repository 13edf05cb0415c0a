/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netdev.h - the network device of an attachment: into the pod, and home again
 *
 * The room cni/netdev/ changes the network device of an attachment, at home and in the pod, by
 * netlink: its name, addresses, state and namespace; and what a pod leaves on it, also by ioctl(2),
 * bpf(2) and /sys (NOTES.md).  It writes the record where the device has got another number.  The
 * PF, drivers and IP addresses are others'.
 *
 * A VF's device is recognised by its parent, which no other network device has; so is a
 * sub-function's, but by its permanent address as well, for its parent's name is used again; and a
 * virtio device's, whose aspect looks up each time what its parent is called now.  Other
 * devices may share theirs (ports of one function, a PF and its representors), so their
 * number or an address has to agree as well; a virtual device has only its number and
 * what it is.  A name alone says nothing: the pod may rename the device, and may own
 * another interface of that name.
 */
#ifndef CNI_NETDEV_H
#define CNI_NETDEV_H

#include "base/err.h"
#include "cni/aspect/aspect.h"
#include "cni/netdev/netdev_attribute.h"
#include "devinfo/journal/journal.h"
#include "netlink/link.h"

/* What has to be restored later. */
void netdev_state_of(const struct link *link, struct netdev_state *ret);

/*
 * Refuse a device that the host uses otherwise, which would come along into the pod, or end:
 * ERR_DEVICE for the loopback device, a port, an end of another pod's veth pair, and one on which
 * interfaces are stacked.
 */
int netdev_refuse_use(const struct host *host, struct nl *home, const struct link *link,
		      struct err *e) must_check;

/*
 * Give the device, still at home, the attributes that are asked for: its MAC, which mac_key says,
 * and all others in one request.  A VF's driver that refuses the MAC which the PF has just assigned
 * to it is set up and down once, which makes it take it.
 */
int netdev_configure(struct nl *home, const struct record *rec, const struct netdev_wish *w,
		     const char *mac_key, struct err *e) must_check;

/*
 * Take this alternative name off a device at home that has it, before it is to have that name in
 * the container; or all of them, when one stands in the way there: 1, 0 when there is none left or
 * the device is not at home, -1.  The record has them.
 */
int netdev_drop_altname(struct nl *home, const struct netdev_state *before, const char *name,
			struct err *e) must_check;
int netdev_drop_altnames(struct nl *home, const struct netdev_state *before, struct err *e)
	must_check;

/* The first interface number from `from` on that nobody has in a namespace. */
int netdev_free_number(struct nl *nl, int from, int *ret, struct err *e) must_check;

/*
 * Give a device that was in the container before us the attributes back that we changed, there or,
 * when the container has died and it is a VF, at home.  1, 0 when there is no such device any more,
 * -1.
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
 * The same, and a device on its way back from a namespace that died is waited for.  ERR_TRY_AGAIN
 * for one that must be somewhere (hardware.h), and is neither here nor there.
 */
int netdev_await(struct nl *home, struct nl *pod, const struct record *rec, bool must_be,
		 struct netdev_place *ret, struct err *e) must_check;

/*
 * *e is why a move failed: when the device is in the pod under its name, and its driver was only
 * not ready to have it up, it is set up, within two seconds: 1; 0 when it was something else; -1.
 */
int netdev_up_in_pod(struct nl *home, struct nl *pod, const struct record *rec, const char *name,
		     struct err *e) must_check;

/* Bring the device home from where it was found; *place then says how it arrived. */
int netdev_fetch(struct nl *home, struct nl *pod, const struct journal *journal, struct record *rec,
		 struct netdev_place *place, struct err *e) must_check;

/*
 * Give the device at home its names, attributes and state of before.  *now is how it is, and is
 * brought up to date but for what nobody asks for; *mac_refused tells that everything but the MAC
 * was restored, which is then *e.  A name that is another interface's by now stays with that: the
 * device has a free one, and the log tells both.
 */
int netdev_settle(struct nl *home, const struct record *rec, struct link *now, bool *mac_refused,
		  struct err *e) must_check;

/* It has the current and the permanent address of before. */
bool netdev_has_macs(const struct link *link, const struct netdev_state *was);

/*
 * After the PF has given the VF its address of before: see that the device at home has it too, both
 * the current and the permanent one, setting it up and down once when not (igbvf learns it from
 * that reset).  1 when it has, 0 when not, -1.
 */
int netdev_settle_mac(struct nl *home, const struct record *rec, struct err *e) must_check;

/* Only the MAC of before, once more: for a VF that was made trusted meanwhile. */
int netdev_restore_mac(struct nl *home, const struct record *rec, struct err *e) must_check;

extern const struct aspect netdev_aspect, netdev_chained_aspect;

#endif

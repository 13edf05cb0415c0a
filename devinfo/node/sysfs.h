/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs.h - what /sys says about PCI functions and net devices
 *
 * The room devinfo/node/ says what this node has: PCI functions, their switch, vDPA devices, and
 * the device-info of these.  It reads files below host->root and asks devlink; it changes nothing,
 * and knows neither a configuration nor an attachment.
 *
 * Each function looks anew: names and indexes of net devices are worth nothing
 * a moment later.  sysfs shows the net devices of the network namespace it was
 * mounted in, so a VF that sits in a pod has none.
 */
#ifndef DEVINFO_NODE_SYSFS_H
#define DEVINFO_NODE_SYSFS_H

#include "base/err.h"
#include "base/host.h"

#include <stdbool.h>

enum { SWITCH_ID_TEXT = 72 };		/* the kernel's 32 bytes in hex */

/* One PCI function; "" and 0 are "none". */
struct pci_device {
	bool exists;			/* false in a zeroed struct: no PCI function behind it */
	char bdf[16];			/* lower case */
	char driver[64];
	bool is_network;		/* its class is that of network controllers */
	char iommu_group[16];		/* a number */
	char netdev[16];
	int ifindex;
	char rdma[256];			/* names below infiniband/, joined with ',': all that fit */
	bool is_vf;			/* the rest is set for a VF only */
	unsigned int vf_index;
	char pf_bdf[16];
	char pf_netdev[16];		/* the uplink, never a representor */
	int pf_ifindex;
	unsigned int pf_netdevs;	/* how many it has, representors among them */
};

/* One net device of the host and the PCI function behind it, if there is one. */
struct net_device {
	char name[16];
	int ifindex;
	char bdf[16];
	char auxiliary[64]; /* or the auxiliary device (a sub-function's); one of both at most */
};

/* An auxiliary device, in most cases a sub-function of a PCI function; "" and 0 are "none". */
struct sub_function {
	char name[64];
	char pf_bdf[16];		/* the PCI function it is a part of */
	bool numbered;
	unsigned int number;		/* sfnum, when numbered */
	bool bound;			/* it has a driver, without which it has no net device */
	char netdev[16];		/* of several, the first by name */
	int ifindex;
	unsigned int netdevs;		/* how many it has */
};

/*
 * Read the PCI function of this address (either case).  1 found, 0 absent, also for what is no
 * address; -1 with ERR_DEVICE for a VF whose physical function is gone (ENODEV) or does not list
 * it.
 */
int sysfs_pci(const struct host *host, const char *bdf, struct pci_device *ret, struct err *e)
	must_check;
/*
 * Read of it, by dev->bdf, dev->rdma alone.  Only device-info tells of them: names that do not fit
 * are left out, and no reason to fail.
 */
int sysfs_pci_rdma(const struct host *host, struct pci_device *dev, struct err *e) must_check;

/*
 * Has this function net devices, be they in other network namespaces?  Its directory net/ is there
 * as long as they are, and empty where they cannot be seen: 1, 0, -1.
 */
int sysfs_has_netdev(const struct host *host, const char *bdf, struct err *e) must_check;

/* Read the net device of this name; 1 found, 0 absent, also for what is no interface name. */
int sysfs_netdev(const struct host *host, const char *name, struct net_device *ret, struct err *e)
	must_check;

/* Read the same without its ifindex, for callers who only ask what is behind the name. */
int sysfs_netdev_place(const struct host *host, const char *name, struct net_device *ret,
		       struct err *e) must_check;

/* Read the auxiliary device of this name; 1 found, 0 absent, also for what is no device's name. */
int sysfs_sub_function(const struct host *host, const char *name, struct sub_function *ret,
		       struct err *e) must_check;

/*
 * Has a device of this bus, "pci" or "auxiliary", net devices that are all in other namespaces?
 * Then its directory for them is there, and shows none.  1, 0, -1.
 */
int sysfs_netdevs_are_away(const struct host *host, const char *bus, const char *name,
			   struct err *e) must_check;

/*
 * Name the net devices that are stacked on one here (VLANs, macvlans...), or that it is a port of:
 * as many as fit, joined with ','; "" for none.
 */
int sysfs_uppers(const struct host *host, const char *netdev, char ret[128], struct err *e)
	must_check;

/* Get the switch that a net device is a port of (phys_switch_id): 1, 0 of none, -1. */
int sysfs_switch_id(const struct host *host, const char *netdev, char ret[SWITCH_ID_TEXT],
		    struct err *e) must_check;

/* A representor is looked for by these. */
struct function {
	bool is_sf;
	unsigned int number;		/* of the VF or SF */
	char pf_bdf[16];
	char uplink[16];		/* net device of the PF; "": none here */
	int uplink_ifindex;
};

/*
 * Find the representor of a VF or SF: the net device on the same switch (phys_switch_id) whose
 * phys_port_name is pf<P>vf<V> or pf<P>sf<S>.  When several PFs share one switch, P is the PF's
 * function number.  Ports of external controllers (c<K>pf<P>vf<V>) are not ours.  0 when there is
 * none, as in legacy mode.
 */
int sysfs_representor(const struct host *host, const struct function *f, char ret[16],
		      struct err *e) must_check;

/* What a phys_port_name says, in the order of how much the port looks like the uplink. */
enum port_kind {
	PORT_REPRESENTOR,	/* of a PF, or of another controller's function */
	PORT_VF,
	PORT_SF,
	PORT_UNKNOWN,
	PORT_UNNAMED,		/* legacy mode */
	PORT_UPLINK,
};

struct port {
	enum port_kind kind;
	unsigned int pf, number;	/* of PORT_VF and PORT_SF */
};

struct port port_parse(const char *phys_port_name);

/* Is this a driver for a program in user space: vfio-pci, uio_pci_generic, igb_uio? */
bool driver_is_userspace(const char *driver);

#endif

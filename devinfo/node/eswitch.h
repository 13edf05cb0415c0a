/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eswitch.h - the switch inside a PF: its mode, its uplink, and the representors of its functions
 *
 * Devlink knows best and is asked first, but only when the uplink has a switch id
 * (phys_switch_id), without which there are no representors, or when sysfs cannot tell the uplink:
 * a socket and its requests are too much for the many nodes in legacy mode.  What devlink
 * says counts when sysfs shows the same network device on the same switch; so a recorded tree, and
 * a device of another namespace, never get an answer of this machine's kernel.  Where devlink
 * knows nothing sysfs alone decides.
 */
#ifndef DEVINFO_NODE_ESWITCH_H
#define DEVINFO_NODE_ESWITCH_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/node/sysfs.h"
#include "netlink/devlink.h"

#include <stdbool.h>

/*
 * Read what sysfs_pci() does, and, for a VF whose PF has several network devices or strangely named
 * ones, ask devlink which is the uplink.
 */
int eswitch_pci(const struct host *host, const char *bdf, struct pci_device *ret, struct err *e)
	must_check;

/* Get what a VF is to its switch; false, with *ret zeroed, when it is no VF. */
bool function_of_vf(const struct pci_device *vf, struct function *ret);
/* Get the same of a sub-function: 1, 0 when it has no number or no PF, -1. */
int function_of_sf(const struct host *host, const struct sub_function *sf, struct function *ret,
		   struct err *e) must_check;

/* The network device that stands for a function on the host's side. */
struct representor {
	char name[16];
	int ifindex;
};

/* Find the representor of a function, anew: 1, 0 when there is none, -1. */
int eswitch_representor(const struct host *host, const struct function *f,
			struct representor *ret, struct err *e) must_check;

/*
 * Get the mode of the PF's switch.  Where devlink does not know it (an old driver or kernel), an
 * uplink with a switch id is taken for one in switchdev mode.
 */
int eswitch_mode_of(const struct host *host, const struct function *f, enum eswitch_mode *ret,
		    struct err *e) must_check;
const char *eswitch_mode_name(enum eswitch_mode mode);

/* -- the choice among devlink's ports, apart from the kernel for tests -- */

enum { ESWITCH_PORTS_MAX = 64 };	/* that may be the function's, of all devices */

struct port_choice {
	const struct function *f;
	struct devlink_port own;	/* the uplink's port; its device is ours, unless is_pci */
	unsigned int owns;		/* 1, or it is not known which is the uplink */
	bool is_pci;			/* our device is known by the PF's address */
	struct devlink_port port[ESWITCH_PORTS_MAX];
	unsigned int n;
	bool overflow;
};

/* A devlink_port_fn for a struct port_choice. */
int port_choice_take(const struct devlink_port *port, void *arg, struct err *e);
/* Return the one port that is the function's; NULL when none or more than one could be it. */
const struct devlink_port *port_choice_made(const struct port_choice *c);

/* The physical ports whose network device sysfs shows on a PF. */
struct uplink_search {
	const struct host *host;
	const char *pf_bdf;
	struct net_device net;		/* the last one */
	unsigned int found;		/* 1, or it cannot be told */
};

/* A devlink_port_fn for a struct uplink_search. */
int uplink_take(const struct devlink_port *port, void *arg, struct err *e);

#endif

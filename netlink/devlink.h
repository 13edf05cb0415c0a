/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devlink.h - the embedded switch of a network card, and its ports
 *
 * A devlink device is named by bus and device: "pci" and the address of the PF.  Its ports are the
 * physical ones and, in switchdev mode, one for each function, whose network device is the
 * function's representor.  A kernel without devlink, and a device without a switch, which are the
 * usual cases, are "absent".
 */
#ifndef NETLINK_DEVLINK_H
#define NETLINK_DEVLINK_H

#include "netlink/genl.h"

struct devlink {
	struct nl nl;
	uint16_t family;		/* type of its messages; the kernel assigns it */
};

/* Connect in our own namespace: 1, 0 when the kernel has no devlink, -1. */
int devlink_open(struct devlink *ret, struct err *e) must_check;
void devlink_done(struct devlink *dl);

#define auto_devlink auto_with(devlink_done)

enum eswitch_mode { ESWITCH_LEGACY, ESWITCH_SWITCHDEV, ESWITCH_OTHER };

/* Get the mode of a device's switch: 1, 0 when there is no such device or it has no switch, -1. */
int devlink_eswitch_mode(struct devlink *dl, const char *bus, const char *dev,
			 enum eswitch_mode *ret, struct err *e) must_check;

/*
 * Get a version that runs on a device, by the name that the kernel's documentation has for it, as
 * "fw.app.name": 1, 0 when there is no such device or its driver does not tell this, -1.  A value
 * of `size` bytes or more is not told.  The driver may have to ask its firmware.
 */
int devlink_version(struct devlink *dl, const char *bus, const char *dev, const char *name,
		    char *ret, size_t size, struct err *e) must_check;

enum devlink_flavour {
	DEVLINK_OTHER,
	DEVLINK_PHYSICAL,
	DEVLINK_PF,
	DEVLINK_VF,
	DEVLINK_SF,
};

struct devlink_port {
	char bus[32], dev[64];		/* of the devlink device */
	uint32_t index;
	enum devlink_flavour flavour;
	int ifindex;			/* of the network device; 0: none in our namespace */
	char netdev[16];		/* its name */

	/* of the function that a port of flavour PF, VF or SF represents */
	uint32_t controller;
	bool external;			/* of another host, as on a DPU */
	uint16_t pf;
	uint32_t number;		/* the VF's or the SF's */
};

/*
 * Call fn for each port of all devices in our namespace; fn is called with NULL at the start, and
 * again when the list has to be read anew.
 */
typedef int devlink_port_fn(const struct devlink_port *port, void *arg, struct err *e);
int devlink_ports(struct devlink *dl, devlink_port_fn *fn, void *arg, struct err *e) must_check;

/* -- composing and parsing, for the functions above and for tests -- */

void devlink_compose_eswitch(struct nl_req *r, uint16_t family, const char *bus, const char *dev);
bool devlink_parse_eswitch(const struct nlmsghdr *nlh, enum eswitch_mode *ret) must_check;
void devlink_compose_info(struct nl_req *r, uint16_t family, const char *bus, const char *dev);
/* False when it does not have a running version of this name. */
bool devlink_parse_version(const struct nlmsghdr *nlh, const char *name, char *ret,
			   size_t size) must_check;
void devlink_compose_ports(struct nl_req *r, uint16_t family);
/* False for a message that describes no port, or lacks what identifies it. */
bool devlink_parse_port(const struct nlmsghdr *nlh, struct devlink_port *ret) must_check;

#endif

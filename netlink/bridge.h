/* SPDX-License-Identifier: Apache-2.0 */
/* bridge.h - ports of a Linux bridge, and the VLANs on them */
#ifndef NETLINK_BRIDGE_H
#define NETLINK_BRIDGE_H

#include "base/idset.h"
#include "netlink/mnl.h"

struct bridge {
	int ifindex;
	char name[16];
	bool is_bridge;			/* what follows is known for one only */
	bool vlan_filtering;		/* without it the VLANs of ports are not looked at */
};

/*
 * The interface of this name and what it is as a bridge: 1, 0 absent, -1.  One that is no bridge is
 * found as well, for the caller to say so.
 */
int bridge_get(struct nl *nl, const char *name, struct bridge *ret, struct err *e) must_check;

/*
 * Make an interface a port of a bridge, or of none (0).  Its VLANs on a bridge before are lost.
 * The error is the kernel's alone: the caller knows both names.
 */
int bridge_set_master(struct nl *nl, int ifindex, int bridge, struct err *e) must_check;

/* The VLANs of a port. */
struct bridge_vlans {
	struct idset all;
	struct idset untagged;		/* of all: those that leave without a tag */
	uint16_t pvid;			/* of all: where frames without a tag go; 0: none */
};

/* Of a port of a bridge: 1; 0 when it is no port, or has none; -1. */
int bridge_vlans_get(struct nl *nl, int ifindex, struct bridge_vlans *ret, struct err *e)
	must_check;

/* Change a port from one set to the other, in as few messages as hold the difference. */
int bridge_vlans_set(struct nl *nl, int ifindex, const struct bridge_vlans *now,
		     const struct bridge_vlans *want, struct err *e) must_check;

bool bridge_vlans_equal(const struct bridge_vlans *a, const struct bridge_vlans *b) must_check;

enum { BRIDGE_VLANS_TEXT = 80 };

/* "100 pvid untagged, 200-210" for messages, cut off with "..." when long; returns buf. */
const char *bridge_vlans_format(const struct bridge_vlans *v, char buf[BRIDGE_VLANS_TEXT]);

/* -- composing and parsing, for the functions above and for tests -- */

/* A run of VLANs with the same flags (BRIDGE_VLAN_INFO_PVID and _UNTAGGED). */
struct bridge_run {
	uint16_t first, last, flags;
};

enum { BRIDGE_RUNS_MAX = 48 };		/* of one message */

/* RTM_SETLINK adds runs to a port, RTM_DELLINK removes them; at most BRIDGE_RUNS_MAX. */
void bridge_compose_vlans(struct nl_req *r, uint16_t type, int ifindex,
			  const struct bridge_run *run, size_t n);
void bridge_compose_get_vlans(struct nl_req *r);
/* False when the message is not about the VLANs of this port. */
bool bridge_parse_vlans(const struct nlmsghdr *nlh, int ifindex, struct bridge_vlans *ret)
	must_check;
void bridge_compose_master(struct nl_req *r, int ifindex, int bridge);
bool bridge_parse(const struct nlmsghdr *nlh, struct bridge *ret) must_check;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* bridge.h - ports of a Linux bridge, and the VLANs on them */
#ifndef NETLINK_BRIDGE_H
#define NETLINK_BRIDGE_H

#include "base/idset.h"
#include "netlink/nl.h"

struct bridge {
	int ifindex;
	char name[16];
	bool is_bridge;			/* the next member is set for a bridge only */
	bool vlan_filtering;		/* without it the VLANs of ports are not looked at */
};

/*
 * Find the interface of this name and its state as a bridge: 1, 0 absent, -1.  One that is no
 * bridge is found too (is_bridge false).
 */
int bridge_get(struct nl *nl, const char *name, struct bridge *ret, struct err *e) must_check;

/*
 * Make an interface a port of a bridge, or of none (0); its VLANs on the bridge before are lost.
 * The error has the kernel's text; the caller adds both names.
 */
int bridge_set_master(struct nl *nl, int ifindex, int bridge, struct err *e) must_check;

/* The VLANs of a port. */
struct bridge_vlans {
	struct idset all;
	struct idset untagged;		/* of all: those that leave without a tag */
	uint16_t pvid;			/* one of all, for frames without a tag; 0: none */
};

/* Get the VLANs of an interface: 1; 0 when it is no bridge port, or has none; -1. */
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

/* A range of VLANs with the same flags (BRIDGE_VLAN_INFO_PVID and _UNTAGGED). */
struct bridge_run {
	uint16_t first, last, flags;
};

enum { BRIDGE_RUNS_MAX = 48 };		/* of one message */

/*
 * type RTM_SETLINK adds ranges to a port, RTM_DELLINK removes them; n is at most BRIDGE_RUNS_MAX.
 */
void bridge_compose_vlans(struct nl_req *r, uint16_t type, int ifindex,
			  const struct bridge_run *run, size_t n);
void bridge_compose_get_vlans(struct nl_req *r);
/* False when the message is not about the VLANs of this port. */
bool bridge_parse_vlans(const struct nlmsghdr *nlh, int ifindex, struct bridge_vlans *ret)
	must_check;
void bridge_compose_master(struct nl_req *r, int ifindex, int bridge);
bool bridge_parse(const struct nlmsghdr *nlh, struct bridge *ret) must_check;

#endif

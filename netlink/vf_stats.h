/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vf_stats.h - what the VFs of a PF have sent and received, by their PF
 *
 * The counters are the VF's own view: rx is what it received.  Who has a VF does not matter: its
 * network device may be in a pod, or it may have none.
 */
#ifndef NETLINK_VF_STATS_H
#define NETLINK_VF_STATS_H

#include "netlink/nl.h"

/* The order is that of IFLA_VF_STATS_*. */
enum vf_count {
	VF_RX_PACKETS,
	VF_TX_PACKETS,
	VF_RX_BYTES,
	VF_TX_BYTES,
	VF_BROADCAST,			/* received packets */
	VF_MULTICAST,
	VF_RX_DROPPED,			/* from Linux 4.18 on, as the next */
	VF_TX_DROPPED,
	VF_COUNTS
};

struct vf_stats {
	uint32_t have;			/* bit 1 << enum vf_count: the kernel has told it */
	uint64_t count[VF_COUNTS];
};

/*
 * Call fn for each VF of a PF, read with one request; 0, -1.  The kernel writes zeros where a
 * driver counts nothing: see vf_stats_is_empty().  The last VFs are missing when the list is too
 * long for a message.
 */
typedef void vf_stats_fn(unsigned int vf, const struct vf_stats *stats, void *arg);
int vf_stats_each(struct nl *nl, int pf_ifindex, vf_stats_fn *fn, void *arg,
		  struct err *e) must_check;

/* Is nothing counted?  When that holds of all VFs of a PF its driver counts nothing, or not yet. */
bool vf_stats_is_empty(const struct vf_stats *s) must_check;

/* -- composing and parsing, for the function above and for tests -- */

struct vf_stats_reader {
	vf_stats_fn *fn;
	void *arg;
};

void vf_stats_compose(struct nl_req *r, int pf_ifindex);
void vf_stats_parse(const struct nlmsghdr *nlh, const struct vf_stats_reader *reader);

#endif

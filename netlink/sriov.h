/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sriov.h - read and set the attributes of a virtual function on its physical function
 *
 * Zero and unset differ: `have` says which members are valid.
 */
#ifndef NETLINK_SRIOV_H
#define NETLINK_SRIOV_H

#include "netlink/nl.h"

enum vf_attr {
	VF_MAC = 1 << 0,
	VF_VLAN = 1 << 1,
	VF_RATE = 1 << 2,
	VF_SPOOFCHK = 1 << 3,
	VF_LINK_STATE = 1 << 4,
	VF_TRUST = 1 << 5,
	VF_ALL = (1 << 6) - 1,

	/* InfiniBand's; a message takes only one: see vf_set_guids() */
	VF_NODE_GUID = 1 << 16,
	VF_PORT_GUID = 1 << 17,
	VF_GUIDS = VF_NODE_GUID | VF_PORT_GUID,
};

enum {
	VF_PROTO_8021Q = 0x8100,
	VF_PROTO_8021AD = 0x88a8,
	VF_LINK_AUTO = 0,
	VF_LINK_ENABLE = 1,
	VF_LINK_DISABLE = 2,
	VF_MAC_MAX = 32,
	VF_ATTR_TEXT = 64,
};

struct vf_state {
	uint32_t have;			/* VF_* bits */
	uint8_t mac[VF_MAC_MAX];	/* VF_MAC: the administrative address; zero: none */
	uint16_t vlan;			/* VF_VLAN: 0 is no VLAN */
	uint8_t qos;
	uint16_t proto;			/* host order; 0 counts as 802.1Q */
	uint32_t min_tx_rate;		/* VF_RATE: Mbit/s, 0 is no limit */
	uint32_t max_tx_rate;
	bool spoofchk, trust;
	uint8_t link_state;		/* VF_LINK_* */
	uint64_t node_guid, port_guid;	/* VF_GUIDS; base/guid.h */
};

/*
 * Read one VF from the list of its PF, without statistics (with them, 222 VFs overflow the
 * attribute; without, 335 do, which is detected and read all the same).  Returns 1, 0 when the PF
 * has no such VF, -1; sys is EMSGSIZE or ENOBUFS when the list is too long for the kernel to send
 * all of it.  A driver that does not report spoofchk or trust leaves their bits out of have.  A
 * driver without a link state reports auto.  GUIDs are reported for InfiniBand only, from Linux 5.5
 * on.
 */
int vf_get(struct nl *nl, int pf_ifindex, unsigned int vf, struct vf_state *ret, struct err *e)
	must_check;

/*
 * Call fn for each VF of a PF, read with one request.  The last VFs are missing when the list is
 * too long for a message.
 */
typedef void vf_fn(unsigned int vf, const struct vf_state *state, void *arg);
int vf_each(struct nl *nl, int pf_ifindex, vf_fn *fn, void *arg, struct err *e) must_check;

/*
 * Set the attributes in want->have, in one message.  The kernel goes through the attributes in a
 * fixed order and stops at the first it refuses, without saying which: on a refusal they are sent
 * again one by one, and the error names attribute and value ("vf 3: vlan 100 qos 0 proto 802.1ad").
 * The others are set then, and the caller rolls back.  A driver that reports the VF as busy is
 * asked again for two seconds.  Returns 0; 1 when all were accepted, but only one by one: the
 * caller then checks what the driver did; -1.
 */
int vf_set(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
	   struct err *e) must_check;

/*
 * Set both GUIDs, whatever want->have says, in two messages; they take effect when the VF is bound.
 */
int vf_set_guids(struct nl *nl, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		 struct err *e) must_check;

/* Return the attributes (VF_* bits) that both have and that differ. */
uint32_t vf_diff(const struct vf_state *a, const struct vf_state *b) must_check;

/* "mac", "vlan", "rate", "spoofchk", "link state", "trust", "node guid", "port guid". */
const char *vf_attr_name(enum vf_attr attr);
/* Format an attribute with its value for messages: "vlan 100 qos 3 proto 802.1q"; returns buf. */
const char *vf_attr_format(const struct vf_state *v, enum vf_attr attr, char buf[VF_ATTR_TEXT]);

/* -- composing and parsing, for the functions above and for tests -- */

void vf_compose_get(struct nl_req *r, int pf_ifindex);
void vf_compose_set(struct nl_req *r, int pf_ifindex, unsigned int vf, const struct vf_state *want,
		    uint32_t which);
/* One of VF_GUIDS. */
void vf_compose_guid(struct nl_req *r, int pf_ifindex, unsigned int vf, enum vf_attr which,
		     uint64_t guid);
/* A search in the list of a PF: for one VF, `vf`, or, with fn, a call of fn for each. */
struct vf_lookup {
	unsigned int vf;
	vf_fn *fn;
	void *arg;
	unsigned int num_vf;		/* number of VFs of the PF */
	bool listed;			/* the message lists a VF */
	unsigned int last;		/* index of the last VF that was read */
	bool found;
	struct vf_state state;
};
/* True when the PF's RTM_NEWLINK has the VF. */
bool vf_parse(const struct nlmsghdr *nlh, struct vf_lookup *l);

#endif

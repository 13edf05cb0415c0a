/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - network interfaces: look at one, change it, move it
 *
 * The connection decides the namespace.  An interface is identified by its ifindex or parent
 * device, never by its name, which may change.
 */
#ifndef NETLINK_LINK_H
#define NETLINK_LINK_H

#include "base/mac.h"
#include "netlink/altname.h"
#include "netlink/nl.h"

enum { LINK_ADDR_MAX = 32 };		/* the kernel's MAX_ADDR_LEN */

/*
 * Settings, other than flags, that an interface keeps when it moves to another namespace:
 * IFLA_GROUP and so on.  A size of zero: an older kernel does not report it.
 */
struct link_settings {
	uint32_t group;
	uint8_t mode;			/* IFLA_LINKMODE: 1: a program sets its operstate */
	uint32_t gso_max_size, gso_max_segs, gro_max_size;
	uint32_t gso_ipv4_max_size, gro_ipv4_max_size;
};

/* The numbers of the XDP programs on an interface, by their mode; 0: none. */
enum { XDP_MODES = 3 };			/* in the driver, generic, in the hardware */
struct xdp {
	uint32_t id[XDP_MODES];
};

/*
 * Attributes of an IPoIB interface.  The mode (datagram or connected) limits the MTU.  Kernels
 * before 5.10 report these for child interfaces only.
 */
struct ipoib {
	bool have;			/* the kernel reports them */
	uint16_t mode;			/* IPOIB_MODE_* */
	uint16_t umcast;		/* 1: programs join multicast groups; else 0 */
};

struct link {
	int ifindex;
	char name[16];
	unsigned int flags;		/* IFF_*; PROMISC and ALLMULTI as set by an administrator */
	uint32_t mtu;
	uint32_t txqlen;		/* packets */
	bool peer_elsewhere;		/* its peer or lower interface is in another namespace */
	int master; /* ifindex of the bridge, bond... it is a port of; 0: none */
	int lower; /* ifindex of the interface here that it is stacked on; 0: none */
	int far_lower, far_nsid; /* the same in another namespace, and that one's nsid here */
	struct link_settings settings;
	struct xdp xdp;
	char alias[256];		/* ifalias, "" for none */
	uint8_t addr[LINK_ADDR_MAX], addr_len;
	uint8_t perm[LINK_ADDR_MAX], perm_len;	/* permanent address; length 0: none */
	char parent_bus[32], parent_dev[64];	/* "pci" and a PCI address; "" without a parent */
	char kind[16];			/* "veth", "macvlan"...; "" for hardware */
	struct altnames alt;
	struct ipoib ipoib;		/* of kind "ipoib" */
	uint32_t promiscuity;		/* number of users, administrators and the kernel */
	bool carrier;
	unsigned int num_vf;		/* filled by queries for VFs only */
};

/*
 * Look up an interface: 1 found, 0 absent, -1 error.  The kernel also takes an alternative name, so
 * ret->name may differ from the name asked for.
 */
int link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e) must_check;
int link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e) must_check;

/* The same by a name or alternative name of up to 127 bytes; 0 for a longer one. */
int link_get_by_altname(struct nl *nl, const char *name, struct link *ret, struct err *e)
	must_check;

/* Count the interfaces of the namespace that match() accepts; *ret is the first. -1 on an error. */
typedef bool link_match_fn(const struct link *link, const void *arg);
int link_find(struct nl *nl, link_match_fn *match, const void *arg, struct link *ret, struct err *e)
	must_check;

/* What link_set() changes; zeroed members are left as they are. */
struct link_change {
	const uint8_t *mac;
	size_t mac_len;
	uint32_t mtu;
	const char *name;
	const char *alias;		/* "" removes it */
	const uint32_t *txqlen;		/* packets; 0 is a value */
	const struct link_settings *settings;	/* all of them; sizes of 0 are left as they are */
	unsigned int flags;		/* the values... */
	unsigned int mask;		/* ...of these IFF_* flags */
};

/* Apply a change in one message.  When the kernel refuses it, some of it may have been applied. */
int link_set(struct nl *nl, int ifindex, const struct link_change *change, struct err *e)
	must_check;

/* Detach the XDP program of a mode; sys is EBUSY when a BPF link holds it. */
int link_detach_xdp(struct nl *nl, int ifindex, unsigned int mode, struct err *e) must_check;

/* Where link_move() sends an interface. */
struct link_target {
	int nsfd;
	const char *name;		/* its name there */
	bool up;
	int ifindex;			/* its index there; 0: keep it, or another if it is taken */
};

/*
 * Move an interface to another namespace, rename it and, if wanted, set it up: one message, but no
 * transaction.  When the name is taken there the kernel answers EEXIST with the interface already
 * moved under its old name (or not at all, if that is taken too): find it by its parent device.
 * Without `up` it is down afterwards.  A requested index that is taken is EBUSY.
 */
int link_move(struct nl *nl, int ifindex, const struct link_target *to, struct err *e) must_check;

int ipoib_set(struct nl *nl, int ifindex, const struct ipoib *want, struct err *e) must_check;

/* -- composing and parsing, for the functions above and for tests -- */

/* False (nothing usable in r) when a name has not 1 to 15 bytes. */
bool link_compose_set(struct nl_req *r, int ifindex, const struct link_change *change) must_check;
bool link_compose_move(struct nl_req *r, int ifindex, const struct link_target *to) must_check;
void link_compose_detach_xdp(struct nl_req *r, int ifindex, unsigned int mode);
/* False for a message that describes no link. */
bool link_parse(const struct nlmsghdr *nlh, struct link *ret) must_check;

void ipoib_compose(struct nl_req *r, int ifindex, const struct ipoib *want);
/* Read the attribute IFLA_INFO_DATA of an IPoIB interface, which may be NULL. */
void ipoib_parse(const struct nlattr *data, struct ipoib *ret);

#endif

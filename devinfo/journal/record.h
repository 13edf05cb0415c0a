/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - the stored state of one attachment, see journal.h */
#ifndef DEVINFO_JOURNAL_RECORD_H
#define DEVINFO_JOURNAL_RECORD_H

#include "base/err.h"
#include "base/field.h"
#include "devinfo/journal/socket_state.h"
#include "devinfo/journal/vdpa_state.h"
#include "devinfo/kubelet/allocation.h"
#include "netlink/bridge.h"
#include "netlink/ethtool.h"
#include "netlink/link.h"
#include "netlink/sriov.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define JOURNAL_VERSION		1

struct owner {
	const char *network, *container_id, *ifname;
	const char *netns;		/* path; the numbers identify the namespace */
	uint64_t netns_dev, netns_ino;
	bool netns_own;			/* the plugin's own one (CNI_NETNS_OVERRIDE) */
	uint64_t netns_cookie; /* 0 where the kernel has none; inode numbers are used again */
};

/* Attributes of /sys/class/net, as the kernel writes them; "": there is none. */
struct napi_settings {
	char threaded[8], gro_flush_timeout[24], napi_defer_hard_irqs[16];
};

/* Settings of an interface that the pod may change and that survive a move to another namespace. */
struct netdev_settings {
	bool have;			/* false: an older version's record has none */
	unsigned int flags;		/* IFF_NOARP, IFF_MULTICAST and so on */
	struct link_settings link;
	struct napi_settings napi;
	struct ethtool_state ethtool;
};

/* A network interface before the first change. */
struct netdev_state {
	bool present;
	char name[16];
	int ifindex;
	char bus[32], parent[64]; /* the device behind it, "" for none: its identity in the pod */
	char kind[16];			/* "veth", "macvlan"..., "" for hardware */
	uint8_t addr[32], addr_len;
	uint8_t perm[32], perm_len; /* the permanent address: a VF's changes with the PF's choice */
	uint32_t mtu, txqlen;
	unsigned int flags;		/* of IFF_UP, IFF_PROMISC, IFF_ALLMULTI */
	char alias[256];
	struct altnames alt;
	struct ipoib ipoib;		/* of an IPoIB interface */
	struct netdev_settings settings;
};

/*
 * The driver of a PCI function before it was bound to the one in `bound`, or, when that is empty,
 * before it was unbound for a GUID or a reset.
 */
struct driver_state {
	char bound[64];			/* "": its driver was left alone */
	char before[64];		/* "": none */
	char override[64];		/* driver_override; "": none */
};

/* The only RDMA device of the function, if it has to move or its driver makes it anew. */
struct rdma_state {
	char name[64];			/* before; "": none, or nothing to do */
	uint32_t index;			/* the kernel's, now: the same in every namespace */
	bool isolated;			/* it is in the container */
};

/* A representor before the first change. */
struct port_state {
	bool present;			/* false: nothing of a representor is changed */
	char name[16];			/* for messages */
	int ifindex;			/* identifies it */

	/* before */
	int master;			/* ifindex of what it was a port of; 0: of nothing */
	char master_name[16];		/* its name, when it is to change; "": not known */
	uint32_t mtu;
	bool up;
	struct bridge_vlans vlans;	/* on that master, if it is a bridge */

	/* what is changed */
	int bridge;			/* ifindex of its new bridge; 0: it keeps its master */
	char bridge_name[16];		/* for messages */
	bool vlans_set, mtu_set, up_set;
};

/* The Open vSwitch port of a device. */
struct ovs_state {
	char port[16];			/* its name, the network device's; "": none is made */
	char bridge[16];		/* the one that was named, or found */
	char db[108];			/* the socket of its database */
	uint32_t timeout_ms;		/* of each call */
};

/*
 * The attributes that an ADD has set on an interface that another plugin made: for each the member,
 * its name on disk, and when it is written: the first two always, others only when they are set.
 * The members and their rows in record.c are both made of this.
 */
#define RECORD_MARKS(row)				\
	row(mac_set, "macSet", .when = is_chained)	\
	row(mtu_set, "mtuSet", .when = is_chained)	\
	row(txqlen_set, "txQueueLenSet", .optional = true)

#define RECORD_MARK_MEMBER(member, name, written)	bool member;

struct record {
	json_t *doc;			/* owned when read from disk: holds the strings below */
	char file[256];			/* that it was read from; "": it was not */
	struct owner owner;
	char boot_id[40];
	struct pod pod;			/* for messages; members NULL: not known */
	/* PCI address, name of auxiliary or network device, key of a socket; "": none */
	char device[SOCKET_KEY_SIZE];
	const char *device_id;		/* the id in results and other files; NULL: not known */
	bool is_pci;
	bool id_is_netdev;		/* device_id is the name of a network device of the host */
	bool unique_parent;		/* no other network device has the same parent */
	bool sf_numbered;		/* of a sub-function, whose device's name is reused */
	unsigned int sf_number;		/* its sfnum, when sf_numbered */
	struct netdev_state netdev;	/* before */
	int pod_ifindex;		/* in the container; 0: the same as before */
	uint8_t mac[MAC_LEN];		/* the requested one; all zero: none */
	/* a new member that changes the function belongs in record_leaves_function() too */
	struct vf_state vf;		/* before; vf.have is 0 when the device is no VF */
	uint32_t vf_set;		/* the VF attributes this attachment sets */
	struct rdma_state rdma;
	struct port_state port;		/* its representor */
	struct ovs_state ovs;		/* its port of Open vSwitch */
	struct vdpa_state vdpa;
	struct socket_state socket;
	const char *devinfo_dir, *run_dir;	/* the ADD's: a DEL may have others */
	const char *device_info_file;	/* its name in cni/, NULL when there is none */
	const char *ipam_type;		/* NULL: no IPAM */
	const char *lease_of; /* IPAM plugin of an sriov-cni record; its request is not known */
	const char *request;		/* the bytes of stdin; NULL: we ran no plugin */
	bool released;

	/* how DEL releases it, from the ADD's configuration */
	bool known_clean; /* a VF's attributes get their defaults, not those of before */
	bool reset;			/* and a function level reset */
	struct driver_state driver;	/* of a function that was given another driver */

	/* a device that another plugin moved: it is changed and restored in the container */
	bool chained;
	RECORD_MARKS(RECORD_MARK_MEMBER)	/* what we changed of netdev */

	/* plugins that we ran in a chain: bit i is delegate i of the request */
	uint32_t delegates_left;	/* their DEL is still to be run */
	uint32_t delegates_added;	/* their ADD has succeeded */

	const json_t *chain_result;	/* the last one's, as of 1.1.0; NULL: none yet */
};

/* The members on disk, without the version; and those of two structs that are read alone. */
extern const struct fields record_fields, port_state_fields, ovs_state_fields;

/* Set r->pod from CNI_ARGS, where the values are valid: engines without pods may pass anything. */
void record_note_pod(struct record *r, const struct pod *pod);

/* Return a new reference; NULL when JSON cannot hold a value (text that is not UTF-8). */
json_t *record_to_json(const struct record *r);

/* Fill *r from r->doc, which its strings borrow from. */
int record_from_json(struct record *r, struct err *e) must_check;

/*
 * Is a namespace that of the ADD?  Its inode number can be reused.  Its cookie cannot, but may be
 * unknown (0); then it is not compared.
 */
bool owner_in_netns(const struct owner *o, uint64_t dev, uint64_t ino, uint64_t cookie);

/*
 * Make the name of a device or port that is created for the owner: "dv" and 12 hexadecimal digits.
 */
void owner_made_name(const struct owner *o, char ret[16]);

/* Is its network device a sub-function's, with the auxiliary device rec->netdev.parent? */
bool record_is_auxiliary(const struct record *rec);

/* Return its device's name for messages: of a socket its path. */
const char *record_device_name(const struct record *r);

/*
 * Is its network device a virtio device's?  A later virtio device may get the same name, virtioN,
 * so the parent is looked up each time.
 */
bool record_netdev_is_virtio(const struct record *rec);

/* Is its device a socket, named by a path on the host, and no kernel device? */
bool record_is_path(const struct record *rec);

/*
 * Is its device a given vDPA device, whose function the record does not change?  Then others may
 * have the function's other vDPA devices.
 */
bool record_leaves_function(const struct record *rec);

void record_done(struct record *r);

#define auto_record auto_with(record_done)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - what is remembered of one attachment, see journal.h */
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
	const char *netns;		/* path; the numbers tell whether it is still the same */
	uint64_t netns_dev, netns_ino;
	bool netns_own;			/* it is the plugin's own: CNI_NETNS_OVERRIDE */
	uint64_t netns_cookie; /* 0 where the kernel has none; inode numbers are used again */
};

/* Attributes of /sys/class/net, as the kernel writes them; "": there is none. */
struct napi_settings {
	char threaded[8], gro_flush_timeout[24], napi_defer_hard_irqs[16];
};

/* What the pod may set of an interface that a move to another namespace leaves as it is. */
struct netdev_settings {
	bool have;			/* false in a record of an older version: nothing of it */
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
 * What drove a PCI function before it was bound to the driver in `bound`, or, when that is empty,
 * before it was taken away for a GUID, or is for a reset.
 */
struct driver_state {
	char bound[64];			/* "": its driver was left alone */
	char before[64];		/* "": none */
	char override[64];		/* driver_override; "": none */
};

/* The one RDMA device of the function, when it is to move, or to be made anew by its driver. */
struct rdma_state {
	char name[64];			/* before; "": there is none, or nothing to do */
	uint32_t index;			/* the kernel's, now: the same in every namespace */
	bool isolated;			/* it is in the container */
};

/* A representor before the first change. */
struct port_state {
	bool present;			/* false: nothing of a representor is changed */
	char name[16];			/* for messages */
	int ifindex;			/* whether it is still the same one */

	/* before */
	int master;			/* ifindex of what it was a port of; 0: of nothing */
	char master_name[16];		/* its name, when it is to change; "": not known */
	uint32_t mtu;
	bool up;
	struct bridge_vlans vlans;	/* on that master, if it is a bridge */

	/* what is changed */
	int bridge;			/* it becomes a port of this one; 0: it stays where it is */
	char bridge_name[16];		/* for messages */
	bool vlans_set, mtu_set, up_set;
};

/* A device's port of Open vSwitch. */
struct ovs_state {
	char port[16];			/* its name, the network device's; "": none is made */
	char bridge[16];		/* the one that was named, or found */
	char db[108];			/* the socket of its database */
	uint32_t timeout_ms;		/* of each call */
};

/*
 * The marks of what an ADD has set of an interface that another plugin made, for each attribute the
 * member, its name on disk, and when it is there: the first two always were, others only when they
 * are set.  The members and their rows in record.c are both made of this.
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
	struct pod pod;			/* its pod, for people; NULL: not known */
	/* PCI address, name of auxiliary or network device, key of a socket; "": none */
	char device[SOCKET_KEY_SIZE];
	const char *device_id;		/* as others call it and were told; NULL: not known */
	bool is_pci;
	bool id_is_netdev;		/* device_id is the name of a network device of the host */
	bool unique_parent;		/* of all network devices this one alone has its parent */
	bool sf_numbered;		/* of a sub-function: its device's name is used again */
	unsigned int sf_number;		/* its sfnum, when sf_numbered */
	struct netdev_state netdev;	/* before */
	int pod_ifindex;		/* in the container; 0: the same as before */
	uint8_t mac[MAC_LEN];		/* the one it was to get; all zero: none */
	/* what changes the function belongs into record_leaves_function() as well */
	struct vf_state vf;		/* before; vf.have is 0 when the device is no VF */
	uint32_t vf_set;		/* the VF attributes this attachment sets */
	struct rdma_state rdma;
	struct port_state port;		/* its representor */
	struct ovs_state ovs;		/* its port of Open vSwitch */
	struct vdpa_state vdpa;
	struct socket_state socket;
	const char *devinfo_dir, *run_dir;	/* those of the ADD, for DEL may come with others */
	const char *device_info_file;	/* its name in cni/, NULL when there is none */
	const char *ipam_type;		/* NULL: no IPAM */
	const char *lease_of; /* an IPAM plugin that sriov-cni asked: only a later call knows how */
	const char *request;		/* the bytes of stdin; NULL: no plugin was run */
	bool released;

	/* how it is to be released, as its ADD was told */
	bool known_clean; /* a VF's attributes get their defaults, not those of before */
	bool reset;			/* and a function level reset */
	struct driver_state driver;	/* of a function that was given another driver */

	/* of a device that is not ours to move: it was in the container, and is restored there */
	bool chained;
	RECORD_MARKS(RECORD_MARK_MEMBER)	/* what of netdev above we changed */

	/* plugins that we ran in a chain: bit i is delegate i of the request */
	uint32_t delegates_left;	/* still to be asked for a DEL */
	uint32_t delegates_added;	/* known to have succeeded */

	const json_t *chain_result;	/* of the last one, form of 1.1.0; NULL: not got so far */
};

/* Its members on disk, but for its version; and those of its parts that others look at alone. */
extern const struct fields record_fields, port_state_fields, ovs_state_fields;

/* Note what CNI_ARGS said of the pod, if it is fit for a record: who has no pods says anything. */
void record_note_pod(struct record *r, const struct pod *pod);

/* New reference; NULL when something in it cannot be said in JSON. */
json_t *record_to_json(const struct record *r);

/* Fill *r from r->doc, which its strings borrow from. */
int record_from_json(struct record *r, struct err *e) must_check;

/*
 * Is a namespace that of the ADD?  Its inode number may be used again.  Its cookie is not, but
 * cannot always be told (0), which is no reason to take it for another.
 */
bool owner_in_netns(const struct owner *o, uint64_t dev, uint64_t ino, uint64_t cookie);

/* What is made for it on the node is called, a device or a port: "dv" and 12 hexadecimal digits. */
void owner_made_name(const struct owner *o, char ret[16]);

/* Its network device is that of an auxiliary device, rec->netdev.parent: a sub-function's. */
bool record_is_auxiliary(const struct record *rec);

/* What people call its device, for messages: of a socket that is its path. */
const char *record_device_name(const struct record *r);

/*
 * Its network device is that of a virtio device on its device: the next one may have the name of
 * that, virtioN, so its parent is found out each time.
 */
bool record_netdev_is_virtio(const struct record *rec);

/* Its device is a path on the host, a socket's, and none of the kernel's. */
bool record_is_path(const struct record *rec);

/*
 * Its device is a vDPA device that was there, and nothing is changed of the function which that is
 * on: others may have the function's other vDPA devices.
 */
bool record_leaves_function(const struct record *rec);

void record_done(struct record *r);

#define auto_record auto_with(record_done)

#endif

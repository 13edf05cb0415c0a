/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inventory.h - one model of the node: its devices, their holders, and the files about them
 *
 * The room manager/inventory/ is devinfoctl's alone: the plugin links nothing of it.  It reads the
 * whole node once into flat, sorted lists of plain structs, which refer to each other by their
 * place (index) in a list.  All code that shows, selects, judges or exports devices reads them
 * here, so nothing is discovered twice.  It reads below host->root, asks the kernel by netlink,
 * looks up names in the machine's PCI ID list, and changes nothing.
 *
 * Answers from sockets (netlink, PodResources, the namespaces of pods) have no files in a recorded
 * tree.  They are in the tree's file INVENTORY_FACTS, one JSON object in the form of the tables
 * below, and for a root with this file no socket is used: so a recorded node answers like the live
 * one.  `devinfoctl record-node` writes it.
 *
 * The three steps are separate functions, as most callers need only the first: inventory_read()
 * reads the devices, inventory_join() attachments and files, inventory_ask_kubelet() kubelet's
 * allocations.
 *
 * To be read in this order:
 *
 *	inventory.c	the lists, and in which order they are read
 *	read_*.c	devices from sysfs: functions, network devices, auxiliary, vDPA and RDMA
 *	names.c		what people call them; lists.c sorts and finds them
 *	kernel_*.c	what the live kernel says of them by netlink
 *	facts.c		what a recorded node's file says in its place, in the form of the tables of
 *			fields.c
 *	places.c	which device belongs to which
 *	health.c	whether a device is well; vf_change.c whether a VF is as a free one is
 *	join*.c		attachments, files and pods; holder.c whose each device is; vanished.c what
 *			the node does not have any more; given.c sriov-cni's
 *	ask.c		what kubelet gave; allocated*.c what such a device is, and whether its pod
 *			waits for it; in_use.c whether anybody has a device
 *	drift.c		whether an attachment is as it was made, by CHECK's own comparison
 *			(cni/attach/compare.h), with what runtime_cache.c knows of its ADD
 *	recording*.c	a node as an archive (tar.c, base64.c), of which known*.c says what stays
 *			and scrub*.c takes out what is nobody else's business
 */
#ifndef MANAGER_INVENTORY_INVENTORY_H
#define MANAGER_INVENTORY_INVENTORY_H

#include "base/err.h"
#include "base/field.h"
#include "base/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INVENTORY_FACTS "/devinfo-node.json"

enum { INV_NONE = -1 };			/* no place in a list */
enum { INV_TEXT = 64, INV_LIST = 256, INV_DRIFT = 1024, INV_NAMES = 8 };

/* Strings are never NULL; "" is "none" or "not known". */

/*
 * A PCI function of class 02 (network), 12 (accelerator), or one that is bound to a driver for user
 * space or vDPA.
 */
struct inv_function {
	char bdf[16];			/* lower case */
	char vendor[8], device[8], subsystem_vendor[8], subsystem_device[8]; /* "8086" */
	char class[8];			/* "020000" */
	char vendor_name[INV_TEXT], device_name[2 * INV_TEXT];	/* of the PCI ID list */
	char driver[INV_TEXT];
	char driver_override[INV_TEXT];
	char drivers_version[INV_TEXT], firmware[INV_TEXT];	/* ethtool's or devlink's */
	char ddp[INV_TEXT];		/* package of a card whose pipeline can be changed (DDP) */
	char pcie_root[16];		/* "pci0000:00" */
	char pci_path[64];		/* "pci0000:00/01.0/00.3": the slots from there to it, which
					   stay when buses are numbered anew */
	char iommu_group[16];
	bool has_numa;
	int numa_node;			/* when has_numa; the kernel's -1 is none */
	bool has_acpi_index;
	int acpi_index;
	int total_vfs, num_vfs;		/* of a PF */
	bool is_vf;
	int vf_index;			/* of a VF; INV_NONE when its PF does not list it */
	char pf_bdf[16];		/* of a VF; its own is "" */
	int pf;				/* place in functions */
	char eswitch[16];		/* of a PF: "legacy", "switchdev"; "": it has none */
	bool has_aer;
	uint64_t aer_correctable, aer_nonfatal, aer_fatal;
	bool vhost_net;			/* the node has /dev/vhost-net and this one could need it */
	char changes[128];		/* of a VF that nobody has, see vf_change.h */
	char health[16];		/* enum inv_health's name, see health.h */
	char health_reason[INV_LIST];
	bool away;			/* it has a network device, in another namespace */
	int reach;			/* enum reach, see in_use.h, */
	char reach_why[192];		/* and why not */
	int holder;			/* place in attachments, of one that lives or not */
	bool has_record;		/* a record has it, with or without a holder */
	bool offered, given;		/* kubelet can give it, has given it, to a pod */
	/*
	 * What belongs to it, places in the lists: its network device, never a representor (of
	 * several the uplink, or the first by name); its representor; the first of its RDMA, vDPA
	 * and auxiliary devices, whose `next` has the others; how its PF shows it.
	 */
	int link, representor, rdma, vdpa, auxiliary, vf;
	bool sriov_cni;			/* sriov-cni has an allocation file for it */
	bool vanished;			/* only a record or kubelet has it, by this address */
};

/* A network device of our own namespace. */
struct inv_link {
	char name[16];
	int ifindex;
	char (*altnames)[128];		/* owned, at most INV_NAMES */
	size_t n_altnames;
	char parent_bus[32], parent[INV_TEXT];	/* the device behind it, of virtio its function */
	char kind[16];			/* "veth", "bridge"; "" for hardware */
	char type[16];			/* "ether", "infiniband", "loopback"... */
	char address[64];		/* of the link layer */
	int mtu;
	bool up, carrier;
	char operstate[16];
	int speed;			/* Mbit/s; 0: not known */
	char master[16];		/* bridge, bond... that it is a port of */
	char switch_id[72], port_name[32];	/* phys_switch_id, phys_port_name */
	char (*ips)[64];		/* "10.0.0.1/24"; owned, at most INV_NAMES */
	size_t n_ips;
	bool default_route;		/* of any family, in any table */
	int xdp;			/* id of an XDP program on it; 0: there is none */
	char driver[32], drivers_version[INV_TEXT], firmware[INV_TEXT];	/* ethtool's */
	int function;			/* place in functions of the one behind it; of one that
					   is an auxiliary device's none: that has it */
	int represents;			/* place in functions: it is this VF's representor */
	int represents_auxiliary;	/* or in auxiliaries: a sub-function's */
};

/* A VF in the list of its PF. */
struct inv_vf {
	char pf[16];			/* network device */
	int index;
	char mac[24];
	int vlan, qos;
	char vlan_proto[8];
	char link_state[8];		/* "auto", "enable", "disable" */
	bool spoofchk, trust;
	int min_tx_rate, max_tx_rate;	/* Mbit/s */
	unsigned int common;		/* values that all VFs of its PF have, see vf_change.c */
};

/* A device of the auxiliary bus on a function of the node. */
struct inv_auxiliary {
	char name[INV_TEXT];		/* "mlx5_core.sf.4" */
	char type[32];			/* "sf", "eth", "rdma", "vnet": before the number */
	char driver[INV_TEXT];
	char pf_bdf[16];
	bool has_sf;
	int sf;				/* its sfnum, when has_sf */
	int function;			/* place in functions of the one it is on */
	int link;			/* place in links; of several, the first by name */
	int representor;		/* place in links */
	int holder;			/* place in attachments */
	int next;			/* place of the next of the same function */
	char health[16];		/* as a function's */
	char health_reason[INV_LIST];
};

struct inv_vdpa {
	char name[INV_TEXT];
	char driver[32];		/* "vhost_vdpa", "virtio_vdpa"; "": none */
	char mgmtdev[96];		/* "pci/0000:65:00.3", "vdpasim_net" */
	char node[32];			/* "vhost-vdpa-3" */
	char bdf[16], auxiliary[INV_TEXT];	/* what it is on */
	char netdev[16];		/* with virtio_vdpa, in our namespace */
	char mac[24];
	int mtu, max_vqp;
	int function, link;
	int holder;
	int next;			/* of the same function */
};

struct inv_mgmtdev {
	char name[96];			/* "pci/0000:65:00.3" */
	uint64_t classes;		/* bit n: it can create devices of virtio id n */
	uint64_t features;
	int function;
};

struct inv_rdma {
	char name[INV_TEXT];
	char parent[INV_TEXT];		/* address or auxiliary device */
	char node_guid[24];
	char pkey[8];			/* "0xffff": InfiniBand's default one, of port 1 */
	int function;
	int next;			/* of the same function */
};

/* An attachment by its record in the journal, and whether it lives. */
struct inv_attachment {
	char network[256], container_id[256], ifname[16];
	char netns[INV_LIST];
	char pod_namespace[64], pod_name[256], pod_uid[64];	/* the record's, or the ledger's */
	char device[INV_LIST];		/* record_device_name() */
	char parent[INV_TEXT];		/* what its network device was on, before */
	char vdpa[INV_TEXT];		/* its vDPA device */
	char device_id[INV_LIST];	/* its id as kubelet or the configuration has it */
	char host_name[16];		/* of its network device, before, */
	int host_ifindex;		/* and the number; 0: it had none, or moved none */
	char kind[16];			/* "netdev", "userspace", "vdpa", "socket"; "chained": of
					   what another plugin made, without a device */
	char state[16];			/* "live", "dead", "earlier boot", "released"; "unknown":
					   that cannot be told; or a bad record's: "damaged",
					   "version 2", "unreadable" */
	char why[INV_LIST];		/* what is wrong with a bad record, or why it is unknown */
	bool untrusted;			/* a damaged one has only a wrong owner or mode */
	char file[256];			/* the record's name */
	char state_dir[INV_LIST];	/* the earlier stateDir that it is in; "": the node's */
	char boot_id[40];
	bool needs_conf;		/* to release it: sriov-cni got its lease */
	bool from_plugin;		/* a socket that a device plugin has made */
	char info_file[256];		/* its device-info file in cni/ */
	bool has_status;		/* network-status has its entry */
	char drift[INV_DRIFT];		/* CHECK's result, see drift.h; "": not checked */
	bool device_away;		/* and the pod does not have the device any more */
	bool carrier;			/* its interface has one, in the pod */
	int function;			/* place in functions of what it has, or has a part of;
					   of one that has vanished none */
};

/* A file in dp/ or cni/. */
struct inv_file {
	char name[256];
	bool is_dp;			/* in dp/, a device plugin's */
	char type[16], version[16], device[INV_LIST];	/* what it says */
	char resource[256];		/* of dp/, as far as PodResources or a pool tells */
	char wrong[INV_LIST];		/* why it is not valid; "": it is */
	int64_t modified;		/* seconds since 1970 */
	int attachment;			/* place, of a file in cni/ */
};

/* A device that kubelet has given to a pod, or could give (pod ""). */
struct inv_allocation {
	char pod_namespace[64], pod_name[256];
	char container[64];
	char resource[320];		/* or, of a claim, "claim NAMESPACE/NAME" */
	char id[INV_LIST];
	char driver[64], pool[256];	/* of a claim */
	char claim_device[256];		/* what its driver calls it; the id is what that means */
	char claim_share[64];		/* which of several allocations of it; "": the one */
	bool unresolved;		/* of a claim: no file tells which of the node's it is, */
	char unreadable[INV_LIST];	/* and this could not be read; "": there is no such file */
	bool allocatable;		/* of GetAllocatableResources */
	bool started;			/* its pod's sandbox has its networks */
	uint64_t waits;			/* or how long the pod has waited for them, in seconds; 0:
					   not known */
	int function;
};

/* Properties of the node as a whole. */
struct inv_node {
	char kernel[128];		/* release */
	char boot_id[40];
	char rdma_mode[16];		/* "shared", "exclusive"; "": no RDMA */
	bool iommu;			/* there is a group */
	bool vhost_net, vhost_vdpa, vduse;	/* device nodes, of the last its control */
	bool has_devlink, has_vdpa;	/* generic netlink families */
	bool is_recorded;
	bool kubelet_asked;
	char kubelet_error[INV_LIST];	/* why it had no answer to List: nothing is known then */
	char allocatable_error[INV_LIST];	/* and to GetAllocatableResources */
};

struct inventory {
	struct inv_node node;
	/* inventory_read() */
	struct inv_function *functions;	/* by address */
	struct inv_link *links;		/* by name */
	struct inv_vf *vfs;		/* by PF and index */
	struct inv_auxiliary *auxiliaries;	/* by name; natural order */
	struct inv_vdpa *vdpas;		/* by name */
	struct inv_mgmtdev *mgmtdevs;	/* by name */
	struct inv_rdma *rdmas;		/* by name */
	/* inventory_join() */
	struct inv_attachment *attachments;	/* by device */
	struct inv_file *files;		/* dp/ before cni/, by name */
	/* inventory_ask_kubelet() */
	struct inv_allocation *allocations;	/* by resource and id */
	size_t n_functions, n_links, n_vfs, n_auxiliaries, n_vdpas, n_mgmtdevs, n_rdmas;
	size_t n_attachments, n_files, n_allocations;
};

/* Read the devices, in one pass.  Release *ret with inventory_done(), also after an error. */
int inventory_read(const struct host *host, struct inventory *ret, struct err *e) must_check;

/*
 * Add attachments of the journal, files of devinfoDir and network-status; the holder and the health
 * of each device.  An unreadable one is in its list with the reason; -1 only when the journal
 * itself cannot be trusted.
 */
int inventory_join(const struct host *host, struct inventory *inv, struct err *e) must_check;
/* Read the attachments alone; 1, 0 when there is no journal, -1. */
int inventory_read_attachments(const struct host *host, struct inventory *inv,
			       struct err *e) must_check;

/*
 * Read what kubelet has given and can give: List and GetAllocatableResources.  0 also when it does
 * not answer: node.kubelet_error has the reason.  Both, and all that is read for them, take
 * timeout_ms at most.
 */
int inventory_ask_kubelet(const struct host *host, unsigned int timeout_ms, struct inventory *inv,
			  struct err *e) must_check;

void inventory_done(struct inventory *inv);
#define auto_inventory auto_with(inventory_done)

/* Find the place of a function, link...; INV_NONE when it is absent. */
int inventory_function(const struct inventory *inv, const char *bdf);
int inventory_link(const struct inventory *inv, const char *name);
int inventory_auxiliary(const struct inventory *inv, const char *name);
int inventory_vdpa(const struct inventory *inv, const char *name);
int inventory_rdma(const struct inventory *inv, const char *name);
int inventory_vf(const struct inventory *inv, const char *pf_netdev, int index);

/*
 * The structs as JSON and back; derived members (places in lists, health) are not in them: they are
 * computed again after reading.
 */
extern const struct fields inv_function_fields, inv_link_fields, inv_vf_fields,
	inv_auxiliary_fields, inv_vdpa_fields, inv_mgmtdev_fields, inv_rdma_fields,
	inv_attachment_fields, inv_file_fields, inv_allocation_fields, inv_node_fields;
/* The members of an attachment that are not in its record or other files. */
extern const struct fields inv_attachment_said;

#endif

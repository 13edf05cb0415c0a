/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_ref.h - find a device by the id that a device plugin, a driver or a person uses for it
 *
 *	0000:65:00.3		PCI function
 *	pci/0000:65:00.3[/1]	the same, as devlink and vDPA management devices spell it
 *	pci:0000:65:00.3	the same, as DPDK spells it
 *	mlx5_core.sf.4		auxiliary device (a sub-function), also auxiliary/mlx5_core.sf.4
 *	vdpa0			vDPA device
 *	ens1f0np0		network device of the host
 *
 * Any other id belongs to another plugin, or is an error.
 */
#ifndef DEVINFO_JOURNAL_DEVICE_REF_H
#define DEVINFO_JOURNAL_DEVICE_REF_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/node/sysfs.h"

#include <stdbool.h>

enum device_ref_kind {
	DEVICE_REF_NONE,
	DEVICE_REF_PCI,
	DEVICE_REF_AUXILIARY,
	DEVICE_REF_VDPA,
	DEVICE_REF_NETDEV,
};

struct device_ref {
	enum device_ref_kind kind;
	char name[64];		/* without prefix; a PCI address in lower case */
	char netdev[16];	/* its network device here, not for PCI functions; "": none */
	char key[64];		/* how the journal knows it, a vDPA device by what it is on; "" when
				   there is neither that nor a network device here */
	bool is_part;		/* a vDPA device; `key` may have several of them */
	char driver[64];	/* of a vDPA device: vhost_vdpa, virtio_vdpa, "" */
	struct net_device net;	/* of a network device: what sysfs has, but for its ifindex */
};

/* Its key is the name of a network device: there is no function behind it that has a key. */
bool device_ref_is_plain_netdev(const struct device_ref *ref);

/* "PCI address", "auxiliary device" ... */
const char *device_ref_kind_name(enum device_ref_kind kind);

/*
 * Find the device of an id: 1; 0 when there is none in our namespace (it may be in a pod); -1.  A
 * PCI address is only parsed: the caller checks under the device's lock that the function exists.
 */
int device_ref_find(const struct host *host, const char *id, struct device_ref *ret,
		    struct err *e) must_check;

/*
 * Look once more for a name that was found to be a plain network device's: is it still there?
 * Other buses are not asked for it.  Returns as device_ref_find().
 */
int device_ref_find_netdev(const struct host *host, const char *name, struct device_ref *ret,
			   struct err *e) must_check;

/*
 * Fill the error that an id names nothing here: ERR_DEVICE, with what an id can name.  Returns -1.
 */
int device_ref_unknown(const char *id, struct err *e);

/*
 * Can the id be the name of a host's network device, which may be in a pod now?  True for every
 * valid interface name, unless it names another device here.
 */
bool device_ref_is_netdev(const struct host *host, const char *id);

/* Return an id as in locks and records: without "auxiliary/".  Borrowed from id. */
const char *device_id_plain(const char *id);

/*
 * Call fn for each attachment, dead or alive, that has the device of this id, until it returns
 * non-zero, which is then the result; 0 at the end, -1.  A record matches when it was allocated by
 * this id; or its `device` is this name; or, when our namespace has no network device of this name,
 * its moved device had this name or this name on its bus.  A record of one vDPA device does not
 * match another one of the same function, but it matches the function.  Records of another boot
 * match only for PCI functions and sockets.  fn may change the record and has to release it.
 */
typedef int device_ref_fn(struct record *rec, void *arg, struct err *e);
int device_ref_each(const struct host *host, struct journal *j, const char *id, device_ref_fn *fn,
		    void *arg, struct err *e) must_check;

/*
 * The same for who has just looked, under the lock of the device: *ref is what device_ref_find()
 * has for this id, or all zeros where it has nothing.
 */
int device_ref_each_of(const struct host *host, struct journal *j, const char *id,
		       const struct device_ref *ref, device_ref_fn *fn, void *arg,
		       struct err *e) must_check;

#endif

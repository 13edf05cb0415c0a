/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_ref.h - a device by whatever name a device plugin, a driver or a person gives it
 *
 *	0000:65:00.3		PCI function
 *	pci/0000:65:00.3[/1]	the same, as devlink and vDPA management devices spell it
 *	pci:0000:65:00.3	the same, as DPDK spells it
 *	mlx5_core.sf.4		auxiliary device (a sub-function), also auxiliary/mlx5_core.sf.4
 *	vdpa0			vDPA device
 *	ens1f0np0		network device of the host
 *
 * Anything else is for other plugins, or an error.
 */
#ifndef DEVINFO_JOURNAL_DEVICE_REF_H
#define DEVINFO_JOURNAL_DEVICE_REF_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

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
	char netdev[16];	/* of all but PCI functions: the network device here, "" for none */
	char key[64];		/* how the journal knows it, a vDPA device by what it is on; "" when
				   there is neither that nor a network device here */
	bool is_part;		/* it is on key, which may have several like it: a vDPA device */
	char driver[64];	/* of a vDPA device: vhost_vdpa, virtio_vdpa, "" */
};

/* "PCI address", "auxiliary device" ... */
const char *device_ref_kind_name(enum device_ref_kind kind);

/*
 * What an id names: 1; 0 when it names nothing here, which may be in a pod; -1.  The form of a PCI
 * address is enough: whether the function is there is looked at under its lock.
 */
int device_ref_find(const struct host *host, const char *id, struct device_ref *ret,
		    struct err *e) must_check;

/* The error that an id names nothing here: ERR_DEVICE, saying what it could name.  Returns -1. */
int device_ref_unknown(const char *id, struct err *e);

/*
 * Is it the name of a network device of the host, which may be in a pod now?  Any name that could
 * be one, unless it names something else here.
 */
bool device_ref_is_netdev(const struct host *host, const char *id);

/* An id as locks and records have it: without "auxiliary/". */
const char *device_id_plain(const char *id);

/*
 * Call fn for each attachment, dead or alive, that has the device of this id, until it returns
 * non-zero, which is then the result; 0 at the end, -1.  It was given under this id; or it is known
 * to the journal under this name; or, when no network device of this id is at home, the one that
 * was moved had this name there, or on its bus.  A vDPA device is not that of who has another one
 * of the same function, and nothing else of that; the function is everybody's who has one.
 * Records of another boot say nothing, but for PCI functions
 * and sockets.
 * fn may change the record, which is the callee's to release.
 */
typedef int device_ref_fn(struct record *rec, void *arg, struct err *e);
int device_ref_each(const struct host *host, struct journal *j, const char *id, device_ref_fn *fn,
		    void *arg, struct err *e) must_check;

#endif

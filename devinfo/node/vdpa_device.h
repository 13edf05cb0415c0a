/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdpa_device.h - a vDPA device: where it is, and what it is reached by
 *
 * The bus vdpa has two drivers: vhost_vdpa gives a device a character device, /dev/vhost-vdpa-N,
 * virtio_vdpa a virtio device and by that a network device.  Names are the kernel's, who makes
 * 'a!b' of 'a/b' everywhere; ':' and blanks may be in them.
 *
 * These functions only look, below host->root, and without netlink: the management device of a
 * simulated device is therefore not known.
 */
#ifndef DEVINFO_NODE_VDPA_DEVICE_H
#define DEVINFO_NODE_VDPA_DEVICE_H

#include "base/err.h"
#include "base/host.h"
#include "base/mac.h"

#include <stdbool.h>
#include <sys/types.h>

/* "" and 0 are "none" */
struct vdpa_device {
	char name[64];
	char driver[32];		/* vhost_vdpa, virtio_vdpa; "": not bound */
	char mgmt_bus[16], mgmt_dev[64];	/* management device, when sysfs shows it */
	char bdf[16]; /* the PCI function that it is one with; of a sub-function none */
	char pf_bdf[16];		/* of a VF or sub-function, its physical function */
	char auxiliary[64];		/* the auxiliary device that it is on */
	char node[32];			/* "vhost-vdpa-3" */
	char virtio[16];		/* "virtio3", when it is known for sure */
	char netdev[16];		/* of that, and its index, when it is in our namespace */
	int ifindex;
	unsigned int siblings;		/* virtio devices that could be its own, with virtio_vdpa */
};

/* Read the vDPA device of this name: 1; 0 absent, also for what can be no such name; -1. */
int vdpa_device_read(const struct host *host, const char *name, struct vdpa_device *ret,
		     struct err *e) must_check;

/* Read only its place, of the members above, and its driver: the rest costs more looks. */
int vdpa_device_glance(const struct host *host, const char *name, struct vdpa_device *ret,
		       struct err *e) must_check;

/*
 * Fill the members of the place in *ret: where a device is, or will be, that has this parent
 * directory.  That is a PCI function or an auxiliary device; of another parent (a simulator)
 * nothing is known.
 */
int vdpa_device_place(const struct host *host, const char *parent, struct vdpa_device *ret,
		      struct err *e) must_check;

/*
 * Find the device that an id means: it is a vDPA device's name; or what that is on, a PCI function
 * (0000:65:00.3 or pci/0000:65:00.3), an auxiliary device (mlx5_core.sf.4 or
 * auxiliary/mlx5_core.sf.4), or another management device that sysfs shows (vduse).  Of several on
 * one it is that of this name, which a device plugin says; "" or NULL: nobody says which.  1; 0
 * when none is meant; -1, with all of them in the details, when several are.
 */
int vdpa_device_find(const struct host *host, const char *id, const char *named,
		     struct vdpa_device *ret, struct err *e) must_check;

/*
 * Find the device that a function stands for: a PCI function (its address) or sub-function (its
 * auxiliary device's name) that has no network device of its own, which would be in its net/; that
 * of a vDPA device is not.  Returns what vdpa_device_find() does.
 */
int vdpa_device_for(const struct host *host, const char *function, struct vdpa_device *ret,
		    struct err *e) must_check;

/* Refuse for a caller who needs one that is not there: ERR_DEVICE names those there are.  -1. */
int vdpa_device_none(const struct host *host, const char *id, struct err *e);

/* Call fn for each until it returns non-zero, which is then the result; 0 at the end, -1. */
typedef int vdpa_device_fn(const struct vdpa_device *dev, void *arg, struct err *e);
int vdpa_device_each(const struct host *host, vdpa_device_fn *fn, void *arg, struct err *e)
	must_check;

/* -- its virtio device -- */

/*
 * A virtio device hangs below the device that does DMA: the vDPA device itself with simulators and
 * VDUSE, and then it is known; with hardware the PCI function, where nothing tells the virtio
 * devices of two vDPA devices apart.  Who binds the driver compares before and after; else there
 * is the address.
 */
enum { VDPA_VIRTIOS_MAX = 512 };

struct vdpa_virtios {
	unsigned int n;
	char name[VDPA_VIRTIOS_MAX][16];
};

/* Get all that could be the device's, whatever its driver is now.  ERR_DEVICE for too many. */
int vdpa_device_virtios(const struct host *host, const struct vdpa_device *dev,
			struct vdpa_virtios *ret, struct err *e) must_check;

/* Find its virtio device where that is sure, and how many there are, for vdpa_device_read(). */
int vdpa_device_read_virtio(const struct host *host, struct vdpa_device *dev, struct err *e)
	must_check;

/* Find the one that came: 1, 0 when none came, -1 when several did and it may be any of them. */
int vdpa_virtios_new(const struct vdpa_virtios *before, const struct vdpa_virtios *after,
		     char ret[16], struct err *e) must_check;

/* Take this for its virtio device, with the network device: 1, 0 when there is none such here. */
int vdpa_device_set_virtio(const struct host *host, struct vdpa_device *dev, const char *virtio,
			   struct err *e) must_check;

/*
 * Take the one whose network device, in our namespace, has this address: 1, 0 none has; -1 several
 * have.  The caller knows that no other vDPA device of the function was given the same address.
 */
int vdpa_device_set_virtio_of(const struct host *host, struct vdpa_device *dev,
			      const uint8_t mac[MAC_LEN], struct err *e) must_check;

/* -- its device node -- */

/* Get the numbers of its node, which sysfs has. */
int vdpa_node_number(const struct host *host, const struct vdpa_device *dev, dev_t *ret,
		     struct err *e) must_check;

/*
 * Open the node below /dev, which is a character device with the numbers that sysfs has: returns an
 * O_PATH descriptor for the caller to close, or -1.
 */
int vdpa_node_open(const struct host *host, const struct vdpa_device *dev, struct err *e)
	must_check;

#endif

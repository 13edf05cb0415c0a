/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl_vdpa.h - vDPA devices, and the management devices that make them
 *
 * The kernel serves one vDPA request at a time, and the deletion of a device blocks for as long as
 * a process has it open.  All others then wait uninterruptibly.  So a child makes each request,
 * until the caller's deadline; then the error is ERR_TRY_AGAIN with ETIMEDOUT.  A request that
 * waits for another one is never sent then, because the child hangs while it looks up the family; a
 * request that was sent may still be carried out later.
 *
 * The family exists in the initial network namespace only: call these before entering another.
 */
#ifndef NETLINK_NL_VDPA_H
#define NETLINK_NL_VDPA_H

#include "base/deadline.h"
#include "netlink/nl.h"

enum {
	VDPA_NAME_MAX = 64,		/* bytes of a name that we accept, NUL included */
	VDPA_BUS_MAX = 16,
	VDPA_DEVICES_MAX = 512,
	VDPA_MGMTDEVS_MAX = 256,
	VDPA_ID_NET = 1,		/* VIRTIO_ID_NET */
};

/* Which members of a struct are filled in. */
enum vdpa_have {
	VDPA_MAC	= 1 << 0,
	VDPA_MTU	= 1 << 1,
	VDPA_MAX_VQP	= 1 << 2,
	VDPA_FEATURES	= 1 << 3,
};

struct vdpa_mgmtdev {
	char bus[VDPA_BUS_MAX];		/* "pci", "auxiliary"; "" for none, as of a simulator */
	char dev[VDPA_NAME_MAX];	/* "0000:65:00.3", "vdpasim_net" */
	uint64_t classes;		/* bit n: it can create devices of virtio id n */
	uint64_t features;		/* virtio feature bits that its devices can have */
};

struct vdpa_dev {
	char name[VDPA_NAME_MAX];	/* as in sysfs, where '/' is '!' */
	char mgmt_bus[VDPA_BUS_MAX], mgmt_dev[VDPA_NAME_MAX];
	uint32_t id;			/* of virtio */
};

/* overflow: there are more, or some whose names are too long for us. */
struct vdpa_devices {
	unsigned int n;
	bool overflow;
	struct vdpa_dev dev[VDPA_DEVICES_MAX];
};

struct vdpa_mgmtdevs {
	unsigned int n;
	bool overflow;
	struct vdpa_mgmtdev dev[VDPA_MGMTDEVS_MAX];
};

/* The configuration of a network device (VDPA_ID_NET); of another only the id is set. */
struct vdpa_net_config {
	uint32_t id;
	unsigned int have;		/* enum vdpa_have */
	uint8_t mac[6];
	uint16_t mtu;
	uint16_t max_vqp;		/* queue pairs; not reported for a device with only one */
	uint64_t features;		/* offered by the device */
};

/* A device to be made; the strings are borrowed. */
struct vdpa_new {
	const char *name;
	const char *mgmt_bus;		/* NULL or "": none */
	const char *mgmt_dev;
	unsigned int have;		/* MAC, MTU, MAX_VQP, FEATURES; the kernel chooses others */
	uint8_t mac[6];
	uint16_t mtu, max_vqp;
	uint64_t features;
};

/* List all of them: 1, 0 when the kernel has no vDPA, -1. */
int vdpa_list_devices(struct vdpa_devices *ret, const struct deadline *d, struct err *e) must_check;
int vdpa_list_mgmtdevs(struct vdpa_mgmtdevs *ret, const struct deadline *d, struct err *e)
	must_check;

/* Get a device, or its configuration, by name: 1, 0 when there is none of that name, -1. */
int vdpa_device_get(const char *name, struct vdpa_dev *ret, const struct deadline *d,
		    struct err *e) must_check;
int vdpa_config_get(const char *name, struct vdpa_net_config *ret, const struct deadline *d,
		    struct err *e) must_check;

/*
 * Make a device.  The kernel refuses a name that is taken (sys is EEXIST), a management device that
 * is not there (ENODEV), and what the driver cannot set (EOPNOTSUPP: the details have a mask of
 * attributes, of which 0x400 is the MAC, 0x1000 the queue pairs and 0x2000 the MTU).  It takes any
 * MAC, also group and zero addresses: the caller has to check it.
 */
int vdpa_create(const struct vdpa_new *spec, const struct deadline *d, struct err *e) must_check;

/*
 * Delete a device: 1, 0 when there is none of that name, -1.  While a process has the device open,
 * this and all other requests of generic netlink that are not served in parallel (also connecting
 * to devlink) block: check that first.
 */
int vdpa_delete(const char *name, const struct deadline *d, struct err *e) must_check;

/*
 * Set the MAC of an existing device; sys is EOPNOTSUPP when the kernel (before 6.12) or the driver
 * cannot.
 */
int vdpa_set_mac(const char *name, const uint8_t mac[6], const struct deadline *d, struct err *e)
	must_check;

/* -- composing and parsing, for the functions above and for tests -- */

void vdpa_compose_list_devices(struct nl_req *r, uint16_t family);
void vdpa_compose_list_mgmtdevs(struct nl_req *r, uint16_t family);
void vdpa_compose_device(struct nl_req *r, uint16_t family, const char *name);
void vdpa_compose_config(struct nl_req *r, uint16_t family, const char *name);
/* False when a name is not valid for the kernel, sysfs or us. */
bool vdpa_compose_create(struct nl_req *r, uint16_t family, const struct vdpa_new *spec) must_check;
void vdpa_compose_delete(struct nl_req *r, uint16_t family, const char *name);
void vdpa_compose_set_mac(struct nl_req *r, uint16_t family, const char *name,
			  const uint8_t mac[6]);

/* False, *ret unchanged, for another message, or one that lacks what identifies the device. */
bool vdpa_parse_mgmtdev(const struct nlmsghdr *nlh, struct vdpa_mgmtdev *ret) must_check;
bool vdpa_parse_device(const struct nlmsghdr *nlh, struct vdpa_dev *ret) must_check;
bool vdpa_parse_config(const struct nlmsghdr *nlh, struct vdpa_net_config *ret) must_check;

/* For nl_request_dump(): add to a struct vdpa_mgmtdevs or vdpa_devices. */
int vdpa_take_mgmtdev(const struct nlmsghdr *nlh, void *arg, struct err *e);
int vdpa_take_device(const struct nlmsghdr *nlh, void *arg, struct err *e);

#endif

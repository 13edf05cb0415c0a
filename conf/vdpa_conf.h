/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdpa_conf.h - the key vdpa, for an attachment whose device is a vDPA device
 *
 * The device either exists (given) and is bound to one of the two drivers of the vDPA bus, or is
 * created for the attachment on a management device.  Keys that only apply to a created device are
 * refused for a given one, so that no key is without effect.
 */
#ifndef CONF_VDPA_CONF_H
#define CONF_VDPA_CONF_H

#include "base/err.h"
#include "base/mac.h"
#include "conf/key.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum vdpa_driver {
	VDPA_DRIVER_UNSET,		/* keep the driver that it has */
	VDPA_DRIVER_VHOST,		/* a device node, for a program in user space */
	VDPA_DRIVER_VIRTIO,		/* a network device */
};

struct vdpa_conf {
	bool present;			/* there is a vdpa object, even an empty one */
	enum vdpa_driver driver;
	bool switch_driver;		/* a given device may be bound to the other driver */

	bool create;			/* create one on mgmt_dev, or on what deviceID names */
	char mgmt_bus[16], mgmt_dev[64];	/* "": deviceID's; the bus alone may be "" too */

	/* of a created device; false and 0: the management device's default */
	bool has_mac, has_features;
	uint8_t mac[MAC_LEN];
	uint16_t mtu;			/* bytes */
	uint64_t features;		/* bits of virtio-net */
	uint16_t max_vqp;		/* pairs of queues; a given device must have as many */

	/* of /dev/vhost-vdpa-N while attached */
	bool has_owner, has_mode;
	uid_t uid;
	gid_t gid;
	mode_t mode;
};

extern const struct conf_key vdpa_key[], vdpa_keys[];

/* Read a configuration; an absent key leaves *ret zeroed.  0, or -1 with ERR_NETCONF. */
int vdpa_conf_parse(const json_t *doc, struct vdpa_conf *ret, struct err *e) must_check;

/* Does the id of a device name the management device of this configuration? */
bool vdpa_conf_is_mgmtdev(const struct vdpa_conf *c, const char *id);

/*
 * Combine the MTU of the attachment (bytes, at most 65535; below 1: none) with this key: with a
 * network device the MTU must not exceed c->mtu that the device is created with; without one the
 * device is created with it, and c->mtu is set. -1: ERR_NETCONF.
 */
int vdpa_conf_take_mtu(struct vdpa_conf *c, int64_t mtu, struct err *e) must_check;

#endif

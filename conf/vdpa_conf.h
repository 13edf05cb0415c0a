/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vdpa_conf.h - the key vdpa: an attachment whose device is a vDPA device
 *
 * Either a device that is there (given), which is bound to the one driver of the vDPA bus or the
 * other, or one that is made for the attachment on a management device.  What can be said only
 * when a device is made is refused for a given one, so that nothing said has no effect.
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
	VDPA_DRIVER_UNSET,		/* the one that it has */
	VDPA_DRIVER_VHOST,		/* a device node, for a program in user space */
	VDPA_DRIVER_VIRTIO,		/* a network device */
};

struct vdpa_conf {
	bool present;			/* there is a vdpa object, and be it empty */
	enum vdpa_driver driver;
	bool switch_driver;		/* a given device may be bound to the other driver */

	bool create;			/* make one: on mgmt_dev, or on what deviceID names */
	char mgmt_bus[16], mgmt_dev[64];	/* "": deviceID's; the bus alone may be "" too */

	/* of the one that is made; false and 0: as the management device has it */
	bool has_mac, has_features;
	uint8_t mac[MAC_LEN];
	uint16_t mtu;			/* bytes */
	uint64_t features;		/* bits of virtio-net */
	uint16_t max_vqp;		/* pairs of queues; a given device must have as many */

	/* of /dev/vhost-vdpa-N meanwhile */
	bool has_owner, has_mode;
	uid_t uid;
	gid_t gid;
	mode_t mode;
};

extern const struct conf_key vdpa_key[], vdpa_keys[];

/* From a configuration; an absent key leaves *ret zeroed. */
int vdpa_conf_parse(const json_t *doc, struct vdpa_conf *ret, struct err *e) must_check;

/* Does the id of a device name the management device of this configuration? */
bool vdpa_conf_is_mgmtdev(const struct vdpa_conf *c, const char *id);

/*
 * The MTU of the attachment (bytes, at most 65535; below 1: none) with what is said here: there is
 * a network device to set it on, which is not above what that is made with; or a device without
 * one is made with it, which is said in c->mtu then.
 */
int vdpa_conf_take_mtu(struct vdpa_conf *c, int64_t mtu, struct err *e) must_check;

#endif

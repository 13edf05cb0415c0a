/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_driver.h - the driver of a vDPA device, and the node that vhost_vdpa makes of it */
#ifndef CNI_VDPA_DRIVER_H
#define CNI_VDPA_DRIVER_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/vdpa_state.h"
#include "devinfo/node/vdpa_device.h"

#define VHOST_VDPA	"vhost_vdpa"
#define VIRTIO_VDPA	"virtio_vdpa"

/*
 * Check that no program has its node open, which is in /dev and that of a network device, so that
 * the driver can be taken from it: ERR_TRY_AGAIN when one has.  To open it resets the device, so
 * this is for one that nobody uses.
 */
int vdpa_check_unused(const struct host *host, const struct vdpa_device *dev, struct err *e)
	must_check;

/*
 * Check the same for who gives it back, whatever has become of the node in /dev: VDPA_FREE;
 * VDPA_MUTE when it does not answer in time, and nobody has it open; -1.  ERR_TRY_AGAIN with EBUSY
 * when a program has it open, with ETIMEDOUT when our own late open of it hangs in the kernel
 * still.
 */
int vdpa_see_use(const struct host *host, const struct vdpa_device *dev, struct err *e) must_check;

/* Read driver_override into the state before; set one that there is to another.  "" is none. */
int vdpa_override_note(const struct host *host, struct vdpa_state *s, struct err *e) must_check;
int vdpa_override_set(const struct host *host, const char *name, const char *driver, struct err *e)
	must_check;

/*
 * Bind it to this driver, "" for none, from whatever has it.  Nothing is done when it is that.  A
 * driver_override that it has becomes that driver.
 */
int vdpa_bind(const struct host *host, const char *name, const char *driver, struct err *e)
	must_check;

/* Read owner and mode of its node into the state before; set those of a state that has them. */
int vdpa_node_note(const struct host *host, const struct vdpa_device *dev, struct vdpa_state *s,
		   struct err *e) must_check;
int vdpa_node_set(const struct host *host, const struct vdpa_device *dev,
		      const struct vdpa_state *s, struct err *e) must_check;

#endif

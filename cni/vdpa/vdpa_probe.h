/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_probe.h - what the files of vDPA's ADD share */
#ifndef CNI_VDPA_PROBE_H
#define CNI_VDPA_PROBE_H

#include "base/err.h"
#include "cni/aspect/attachment.h"
#include "cni/vdpa/vdpa.h"
#include "netlink/nl_vdpa.h"

enum { VDPA_REQUEST_MS = 5000 };	/* for one request of ADD or CHECK */

/* One that is to be made: name, place and management device into a->vdpa, and into the record. */
int vdpa_probe_create(struct attachment *a, struct err *e) must_check;

/* It has the driver virtio_vdpa, or will have. */
bool vdpa_is_virtio(const struct attachment *a);

/* What the kernel tells of the record's device, into a->vdpa_config: that of a network device. */
int vdpa_read_config(struct attachment *a, struct err *e) must_check;

/* Pairs of queues: one where the kernel does not say how many. */
unsigned int vdpa_pairs(const struct vdpa_net_config *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_probe.h - what the files of vDPA's ADD share */
#ifndef CNI_VDPA_PROBE_H
#define CNI_VDPA_PROBE_H

#include "base/err.h"
#include "cni/aspect/attachment.h"
#include "cni/vdpa/vdpa.h"
#include "netlink/nl_vdpa.h"

enum { VDPA_REQUEST_MS = 5000 };	/* for one request of ADD or CHECK */

/* Put name, place and management device of one to be made into a->vdpa, and into the record. */
int vdpa_probe_create(struct attachment *a, struct err *e) must_check;

/* Has it the driver virtio_vdpa, or will it have? */
bool vdpa_is_virtio(const struct attachment *a);

/* Read the kernel's configuration of the record's network device into a->vdpa_config. */
int vdpa_read_config(struct attachment *a, struct err *e) must_check;

/* Return the pairs of queues: one where the kernel does not say how many. */
unsigned int vdpa_pairs(const struct vdpa_net_config *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.h - which device is behind a device of a claim?
 *
 * kubelet tells driver, pool and name, and names of CDI.  What they stand for is found on
 * the node, without the API server, from the first of these that says it:
 *
 *	1. the driver's metadata file (KEP-5304), see metadata.h
 *	2. an environment variable of a CDI specification, see cdi.h
 *	3. the device's name itself, if it is a PCI address spelled dddd-bb-dd-f
 */
#ifndef DEVINFO_KUBELET_CLAIM_H
#define DEVINFO_KUBELET_CLAIM_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"

enum { CLAIM_TRIED_SIZE = 512 };

/* What is known of a device of a claim; "" is "not said". */
struct claim_info {
	char id[256];		/* a device id as of name_is_device_id(): mostly a PCI address */
	char resource[256];	/* attribute k8s.cni.cncf.io/resourceName; name_is_resource() */
	char pod_claim[256];	/* what the pod's specification calls the claim; name_is_file() */
	char request[256];	/* which request of it, without "/subrequest"; name_is_file() */
	const char *source;	/* "DRA metadata", "CDI", "DRA device name"; a constant */
	char tried[CLAIM_TRIED_SIZE];	/* what was damaged and passed over; fit for a warning */
};

/*
 * 1 with ret->id filled; 0 when nothing says what device it is, as for what is no network device
 * (the rest of *ret is what was found all the same, source NULL).  A file that is torn or damaged
 * is named in ret->tried and the next source looked at.  -1: ERR_INTERRUPTED, ERR_TRY_AGAIN (see
 * cdi_find()), or what is wrong with this node (ERR_IO).
 */
int claim_resolve(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		  struct claim_info *ret, struct err *e) must_check;

/* -- for the sources -- */

/* Take a valid id; a PCI address becomes the lower-case one of sysfs. */
void claim_set_id(char ret[256], const char *id);

/* Append "; text" to what was passed over. */
void claim_note(char tried[CLAIM_TRIED_SIZE], const char *fmt, ...) printflike(2, 3);

/* Reading or parsing a file failed: 0 and noted when it is to blame; -1 and *e when the node is. */
int claim_pass_over(char tried[CLAIM_TRIED_SIZE], const struct err *why,
		    struct err *e) must_check;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* claim_info.h - what a source finds of a device of a claim, and what it passes over */
#ifndef DEVINFO_KUBELET_CLAIM_INFO_H
#define DEVINFO_KUBELET_CLAIM_INFO_H

#include "base/err.h"

#include <stdbool.h>

enum { CLAIM_TRIED_SIZE = 1024 };

/* What is known of a device of a claim; "" is "not said". */
struct claim_info {
	char id[256];		/* a device id as of name_is_device_id(): mostly a PCI address */
	char resource[256];	/* attribute k8s.cni.cncf.io/resourceName; name_is_resource() */
	char pod_claim[256];	/* what the pod's specification calls the claim; name_is_file() */
	char request[256];	/* which request of it, or request/subrequest; name_is_request() */
	bool deferred;		/* its driver has a file for it without any attribute, as yet */
	const char *source;	/* "DRA metadata", "CDI", "DRA device name"; a constant */
	char tried[CLAIM_TRIED_SIZE];	/* what was damaged and passed over; fit for a warning */
};

/* Take a valid id; a PCI address, however it is spelled, becomes the one of sysfs. */
void claim_set_id(char ret[256], const char *id);

/* Append "; text" to what was passed over. */
void claim_note(char tried[CLAIM_TRIED_SIZE], const char *fmt, ...) printflike(2, 3);

/* Reading or parsing a file failed: 0 and noted when it is to blame; -1 and *e when the node is. */
int claim_pass_over(char tried[CLAIM_TRIED_SIZE], const struct err *why,
		    struct err *e) must_check;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* claim_info.h - what a source says about a device of a claim, and the errors that it skips */
#ifndef DEVINFO_KUBELET_CLAIM_INFO_H
#define DEVINFO_KUBELET_CLAIM_INFO_H

#include "base/err.h"

#include <stdbool.h>

enum { CLAIM_TRIED_SIZE = 1024 };

/* What is known of a device of a claim; "" is "not known". */
struct claim_info {
	char id[256];		/* a device id as of name_is_device_id(): mostly a PCI address */
	char resource[256];	/* attribute k8s.cni.cncf.io/resourceName; name_is_resource() */
	char pod_claim[256];	/* the claim's name in the pod's specification; name_is_file() */
	char request[256];	/* its request, or request/subrequest; name_is_request() */
	bool deferred;		/* its driver's file has no attributes for it yet */
	const char *source;	/* "DRA metadata", "CDI", "DRA device name"; a constant */
	char tried[CLAIM_TRIED_SIZE];	/* damaged files that were skipped, for a warning */
};

/* Store a valid id; a PCI address, in any spelling, gets sysfs's form. */
void claim_set_id(char ret[256], const char *id);

/* Append "; text" to the errors that were skipped. */
void claim_note(char tried[CLAIM_TRIED_SIZE], const char *fmt, ...) printflike(2, 3);

/*
 * Handle an error of reading or parsing a file: note it and return 0 when the file is wrong; -1
 * with *e when it is the node.
 */
int claim_pass_over(char tried[CLAIM_TRIED_SIZE], const struct err *why,
		    struct err *e) must_check;

#endif

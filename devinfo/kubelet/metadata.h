/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata.h - the file in which a DRA driver describes the devices of a request (KEP-5304)
 *
 *	<kubeletDir>/plugins/<driver>/dra-device-metadata/
 *		<namespace>_<claim>/<request>/metadata.json
 *
 * A stream of JSON objects, one for each apiVersion the driver knows, newest first; we know v1beta1
 * and v1alpha1.  Drivers write it in place, so an incomplete file is read again, and may replace it
 * by one of a higher metadata.generation, which is used from then on.  <request> is the first part
 * of the request's name alone: that of a prioritized list is "request/subrequest".
 */
#ifndef DEVINFO_KUBELET_METADATA_H
#define DEVINFO_KUBELET_METADATA_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"
#include "devinfo/kubelet/claim_info.h"

#define METADATA_MAX		(1024 * 1024)	/* bytes */
#define METADATA_MAX_REQUESTS	256		/* of a claim; Kubernetes has 32 */

/*
 * Find a device of a claim in the files of all its requests: 1 when a file has it, with ret->id ""
 * if none of its attributes is a device id; 0 when none has it, with only ret->tried changed; -1.
 */
int metadata_find(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		  struct claim_info *ret, struct err *e) must_check;

/*
 * The same in the text of one file; the caller adds its name to errors. -1 when the stream is not
 * valid (incomplete, perhaps), and the device is not in what precedes the error.
 */
int metadata_parse(const char *text, size_t len, const struct claimed_device *c,
		   struct claim_info *ret, struct err *e) must_check;

#endif

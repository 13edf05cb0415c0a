/* SPDX-License-Identifier: Apache-2.0 */
/* pod_attach.h - the process of one attachment: the calls of its plugins, one after another */
#ifndef CNI_POD_ATTACH_H
#define CNI_POD_ATTACH_H

#include "cni/pod/pod.h"
#include "cni/pod/pod_child.h"
#include "devinfo/journal/pod_record.h"

#include <jansson.h>

/* All is borrowed, and stays until the end of the process. */
struct pod_job {
	const struct pod_call *call;
	enum verb verb;
	const struct pod_attachment *of;
	const json_t *calls;		/* of->calls, or with secrets for an ADD */
	struct cni_attachment as;
	const struct owner *container;	/* whose container and namespace; its network is not read */
	bool lives;			/* false: the container's namespace is gone */
};

/* Begin it.  Its answer is that of the last plugin. */
int pod_attach_start(const struct pod_job *job, struct pod_child *ret, struct err *e) must_check;

#endif

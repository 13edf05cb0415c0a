/* SPDX-License-Identifier: Apache-2.0 */
/* pod_plan.h - which attachments an ADD is to make, checked before the first one begins */
#ifndef CNI_POD_PLAN_H
#define CNI_POD_PLAN_H

#include "cni/pod/pod.h"
#include "devinfo/journal/pod_record.h"
#include "devinfo/network/network_selection.h"

#include <jansson.h>

struct pod_plan {
	struct pod_record rec;		/* as it is to be written */
	/* owned lists, an element for each attachment */
	json_t *texts;			/* objects: what of the record is borrowed from */
	json_t *asked;			/* its calls, with the secrets that the record leaves out */
	struct cni_attachment *as;	/* owned; one for each attachment */
	struct network_selections selections;	/* owned; what those borrow from */
};

/*
 * Read what the pod asks for: 1; 0 when that is its default network alone, attached as without
 * podNetworks; -1, ERR_NETCONF or ERR_ENV.
 */
int pod_plan_read(const struct pod_call *c, struct pod_plan *ret, struct err *e) must_check;

/*
 * Read and check call i of an attachment, one of this program: as it will be, with the result of
 * the plugins before it, of which nothing is known yet.
 */
int pod_plan_parse(const json_t *calls, size_t i, struct netconf *ret, struct err *e) must_check;

/* Does the configuration say podNetworks? */
bool pod_plan_is_asked(const struct netconf *conf);

/* STATUS: are there definitions that can be read?  ERR_UNAVAILABLE. */
int pod_plan_check_definitions(const struct host *host, struct err *e) must_check;

void pod_plan_done(struct pod_plan *p);

#define auto_pod_plan auto_with(pod_plan_done)

#endif

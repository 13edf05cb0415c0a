/* SPDX-License-Identifier: Apache-2.0 */
/*
 * podres.c - kubelet's PodResources API, one question at a time
 *
 * Get names the pod and is cheap, List sends the whole node.  Which kubelet offers what:
 *
 *   before 1.27	List; Get is status 12, UNIMPLEMENTED
 *   1.27 to 1.33	List; Get is status 2, "PodResources API Get method disabled", unless the
 *			feature gate is on
 *   from 1.34		both
 *
 * A pod that kubelet does not know is status 2 as well, so its text has to be looked at.
 */
#include "devinfo/kubelet/podres.h"

#include "base/mem.h"
#include "devinfo/grpc/client.h"
#include "devinfo/kubelet/podres_part.h"
#include "devinfo/kubelet/podresources.pb-c.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static const char *const paths[] = {
	[PODRES_GET] = "/v1.PodResourcesLister/Get",
	[PODRES_LIST] = "/v1.PodResourcesLister/List",
	[PODRES_ALLOCATABLE] = "/v1.PodResourcesLister/GetAllocatableResources",
};
static_assert(ARRAY_SIZE(paths) == PODRES_ALLOCATABLE + 1, "a method without a path");

/* -- what kubelet refuses -- */

static const char *status_name(int status)
{
	static const char *const names[] = {
		"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
		"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
		"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
		"UNAUTHENTICATED",
	};

	return (size_t)status < ARRAY_SIZE(names) ? names[status] : "no known status";
}

/* "not found" goes first: a pod may well be called "disabled". */
static enum podres_answer status_meaning(const struct grpc_reply *r)
{
	switch (r->grpc_status) {
	case GRPC_NOT_FOUND:
		return PODRES_NO_POD;
	case GRPC_UNIMPLEMENTED:
		return PODRES_NOT_OFFERED;
	case GRPC_CANCELLED:
	case GRPC_DEADLINE_EXCEEDED:
	case GRPC_RESOURCE_EXHAUSTED:
	case GRPC_UNAVAILABLE:
		return PODRES_AGAIN;
	case GRPC_UNKNOWN:
		if (strstr(r->grpc_message, "not found"))
			return PODRES_NO_POD;
		return strstr(r->grpc_message, "disabled") ? PODRES_NOT_OFFERED : PODRES_FAILED;
	default:
		return PODRES_FAILED;
	}
}

/* A question about all pods has none: who does not find one has failed. */
static enum podres_answer status_answer(enum podres_method m, const struct pod *pod,
					const struct grpc_reply *r, struct err *e)
{
	enum podres_answer answer = status_meaning(r);
	int status = r->grpc_status;

	if (answer == PODRES_NO_POD && !pod)
		answer = PODRES_FAILED;
	if (answer == PODRES_NO_POD && pod)
		(void)podres_unknown_pod(pod, e);
	else
		err_set(e, answer == PODRES_AGAIN ? ERR_TRY_AGAIN : ERR_PODRES, 0,
			"kubelet refused %s%s%s%s%s with status %d (%s)", podres_name(m),
			pod ? " for pod " : "", pod ? pod->name_space : "", pod ? "/" : "",
			pod ? pod->name : "", status, status_name(status));
	err_detail(e, "status %d: %s", status, r->grpc_message);
	return answer;
}

/* -- asking -- */

static int name_check(const struct pod *pod, struct err *e)
{
	if (strlen(pod->name) <= NAME_MAX_LEN && strlen(pod->name_space) <= NAME_MAX_LEN)
		return 0;
	return err_set(e, ERR_PODRES, EINVAL, "the pod's name has more than %d bytes: %.60s/%.60s",
		       NAME_MAX_LEN, pod->name_space, pod->name);
}

/* The names have been checked, and fit.  The others ask for everything: a message of 0 bytes. */
static size_t request_pack(enum podres_method m, const struct pod *pod,
			   uint8_t buf[2 * NAME_MAX_LEN + 16])
{
	char name[NAME_MAX_LEN + 1], name_space[NAME_MAX_LEN + 1];
	V1__GetPodResourcesRequest req;

	if (m != PODRES_GET || !pod)
		return 0;
	v1__get_pod_resources_request__init(&req);
	req.pod_name = strcpy(name, pod->name);
	req.pod_namespace = strcpy(name_space, pod->name_space);
	return v1__get_pod_resources_request__pack(&req, buf);
}

/* PODRES_FOUND: the reply has a body. */
static enum podres_answer call(const struct host *h, enum podres_method m, const struct pod *pod,
			       const struct deadline *d, struct grpc_reply *ret, struct err *e)
{
	uint8_t req[2 * NAME_MAX_LEN + 16];

	if (pod && name_check(pod, e) < 0)
		return PODRES_FAILED;
	if (grpc_unary(h->root, h->set.kubelet_socket, paths[m], req,
		       request_pack(m, pod, req), PODRES_MAX_REPLY, d, ret, e) < 0)
		return PODRES_FAILED;
	return ret->grpc_status == GRPC_OK ? PODRES_FOUND : status_answer(m, pod, ret, e);
}

enum podres_answer podres_ask(const struct host *h, enum podres_method m, const struct pod *pod,
			      const struct deadline *d, struct allocation *ret, struct err *e)
{
	auto_grpc_reply struct grpc_reply reply = { 0 };
	enum podres_answer answer;

	if (h->facts)
		return podres_recorded(h->facts, m, pod, ret, e);
	answer = call(h, m, pod, d, &reply, e);
	return answer == PODRES_FOUND ? podres_decode(m, reply.body, reply.len, pod, ret, e) :
					answer;
}

enum podres_answer podres_each(const struct host *h, enum podres_method m, const struct deadline *d,
			       podres_device_fn *fn, void *arg, struct err *e)
{
	auto_grpc_reply struct grpc_reply reply = { 0 };
	enum podres_answer answer = call(h, m, NULL, d, &reply, e);

	if (answer != PODRES_FOUND)
		return answer;
	return podres_each_decode(m, reply.body, reply.len, fn, arg, e) < 0 ? PODRES_FAILED :
									      PODRES_FOUND;
}

int podres_probe(const struct host *h, const struct deadline *d, struct err *e)
{
	if (grpc_probe(h->root, h->set.kubelet_socket, d, e) == 0)
		return 0;
	return err_wrap(e, "kubelet's PodResources at %.128s", h->set.kubelet_socket);
}

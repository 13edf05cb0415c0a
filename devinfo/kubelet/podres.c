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
 *
 * Claims (DynamicResource) are told since 1.27: at first the names that CDI has for a device, since
 * 1.31 also driver, pool and device, since 1.35 a share id.  A claim without devices is told too.
 *
 * An answer is hostile until proven otherwise: its size is bounded by h2_unary(), the memory it
 * decodes to by the allocator, what is kept of it by struct allocation, which also leaves out
 * every text that is not usable.
 */
#include "devinfo/kubelet/podres.h"

#include "base/mem.h"
#include "devinfo/kubelet/h2.h"
#include "devinfo/kubelet/podresources.pb-c.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	NAME_MAX_LEN = 253,	/* Kubernetes' bound on names: RFC 1123 subdomain */
	TEXT_SIZE = 257,	/* one byte more than any text that is usable */
};

static const struct method {
	const char *name, *path;
} methods[] = {
	[PODRES_GET] = { "PodResources Get", "/v1.PodResourcesLister/Get" },
	[PODRES_LIST] = { "PodResources List", "/v1.PodResourcesLister/List" },
};
static_assert(ARRAY_SIZE(methods) == PODRES_LIST + 1, "a method without a path");

const char *podres_name(enum podres_method m)
{
	return methods[m].name;
}

struct query {
	enum podres_method method;
	const struct pod *pod;
	size_t memory;		/* bytes that decoding one pod may take */
};

/* -- text of the wire -- */

static bool text_is(const ProtobufCBinaryData *t, const char *want)
{
	return t->len == strlen(want) && (t->len == 0 || memcmp(t->data, want, t->len) == 0);
}

/*
 * A string that passes no check where t is none: a NUL becomes a control character, and what is too
 * long is cut to what is still too long.
 */
static char *text_copy(const ProtobufCBinaryData *t, char ret[TEXT_SIZE])
{
	size_t n = t->len < TEXT_SIZE - 1 ? t->len : TEXT_SIZE - 1;

	for (size_t i = 0; i < n; i++)
		ret[i] = t->data[i] ? (char)t->data[i] : '\1';
	ret[n] = '\0';
	return ret;
}

/* -- memory with a ceiling -- */

struct arena {
	ProtobufCAllocator allocator;
	size_t left;
	bool exhausted;
};

/* What is freed while decoding is not given back: the ceiling is on the sum. */
static void *arena_alloc(void *data, size_t size)
{
	struct arena *a = data;
	void *p = NULL;

	if (size <= a->left)
		p = malloc(size ? size : 1);
	if (!p) {
		a->exhausted = true;
		return NULL;
	}
	a->left -= size;
	return p;
}

static void arena_free(void *data, void *p)
{
	(void)data;
	free(p);
}

static void arena_init(struct arena *a, size_t size)
{
	*a = (struct arena){ .left = size };
	a->allocator = (ProtobufCAllocator){ arena_alloc, arena_free, a };
}

static int decode_error(const struct arena *a, enum podres_method m, size_t len, struct err *e)
{
	if (a->exhausted)
		return err_set(e, ERR_PODRES, ENOMEM,
			       "the answer to %s needs more than %d bytes when decoded",
			       podres_name(m), PODRES_MAX_MEMORY);
	return err_set(e, ERR_PODRES, EPROTO, "the answer to %s does not decode (%zu bytes)",
		       podres_name(m), len);
}

/* -- what a pod has -- */

/* kubelet makes an entry for each NUMA node, in newer releases for each device, in random order. */
static int add_devices(struct allocation *a, const V1__ContainerDevices *dev, struct err *e)
{
	char resource[TEXT_SIZE], id[TEXT_SIZE];

	(void)text_copy(&dev->resource_name, resource);
	for (size_t i = 0; i < dev->n_device_ids; i++)
		if (allocation_add_device(a, resource, text_copy(&dev->device_ids[i], id), e) < 0)
			return -1;
	return 0;
}

static int add_claimed(struct allocation *a, const V1__DynamicResource *claim,
		       const V1__ClaimResource *r, struct err *e)
{
	char text[6][TEXT_SIZE], names[ALLOCATION_MAX_CDI][TEXT_SIZE];
	char *cdi[ALLOCATION_MAX_CDI];
	struct claimed_device c = {
		.name_space = text_copy(&claim->claim_namespace, text[0]),
		.claim = text_copy(&claim->claim_name, text[1]),
		.driver = text_copy(&r->driver_name, text[2]),
		.pool = text_copy(&r->pool_name, text[3]),
		.device = text_copy(&r->device_name, text[4]),
		.share = text_copy(&r->share_id, text[5]),
		.cdi = cdi,
	};

	for (; c.n_cdi < r->n_cdi_devices && c.n_cdi < ALLOCATION_MAX_CDI; c.n_cdi++)
		cdi[c.n_cdi] = text_copy(&r->cdi_devices[c.n_cdi]->name, names[c.n_cdi]);
	return allocation_add_claimed(a, &c, e);
}

static int add_container(struct allocation *a, const V1__ContainerResources *c, struct err *e)
{
	for (size_t i = 0; i < c->n_devices; i++)
		if (add_devices(a, c->devices[i], e) < 0)
			return -1;
	allocation_end_container(a);
	for (size_t i = 0; i < c->n_dynamic_resources; i++) {
		const V1__DynamicResource *claim = c->dynamic_resources[i];

		for (size_t j = 0; j < claim->n_claim_resources; j++)
			if (add_claimed(a, claim, claim->claim_resources[j], e) < 0)
				return -1;
	}
	return 0;
}

static int add_pod(struct allocation *a, const V1__PodResources *pod, struct err *e)
{
	for (size_t i = 0; i < pod->n_containers; i++)
		if (add_container(a, pod->containers[i], e) < 0)
			return -1;
	return 0;
}

static bool pod_is(const V1__PodResources *pod, const struct pod *want)
{
	return text_is(&pod->namespace_, want->name_space) && text_is(&pod->name, want->name);
}

/* -- which pod -- */

/* 1 when these bytes are the pod we look for, whose share goes to *a unless that is NULL; 0; -1. */
static int entry_read(const struct query *q, const ProtobufCBinaryData *bytes, struct allocation *a,
		      struct err *e)
{
	struct arena arena;
	V1__PodResources *pod;
	int r = 0;

	arena_init(&arena, q->memory);
	pod = v1__pod_resources__unpack(&arena.allocator, bytes->len, bytes->data);
	if (!pod)
		return decode_error(&arena, q->method, bytes->len, e);
	if (pod_is(pod, q->pod))
		r = a && add_pod(a, pod, e) < 0 ? -1 : 1;
	v1__pod_resources__free_unpacked(pod, &arena.allocator);
	return r;
}

static enum podres_answer pod_unknown(const struct query *q, struct err *e)
{
	(void)err_set(e, ERR_PODRES, 0, "kubelet does not know pod %s/%s", q->pod->name_space,
		      q->pod->name);
	return PODRES_NO_POD;
}

/* Nothing tells two pods of one name apart: better no device than that of another pod. */
static enum podres_answer pod_ambiguous(const struct query *q, struct err *e)
{
	(void)err_set(e, ERR_PODRES, 0, "kubelet lists two pods %s/%s", q->pod->name_space,
		      q->pod->name);
	return PODRES_AMBIGUOUS;
}

static enum podres_answer list_read(const struct query *q, const V1__ListPodResourcesResponse *list,
				    struct allocation *ret, struct err *e)
{
	auto_allocation struct allocation found = { .source = podres_name(q->method) };
	bool known = false;

	for (size_t i = 0; i < list->n_pod_resources; i++) {
		int r = entry_read(q, &list->pod_resources[i], known ? NULL : &found, e);

		if (r < 0)
			return PODRES_FAILED;
		if (r > 0 && known)
			return pod_ambiguous(q, e);
		known |= r > 0;
	}
	if (q->method == PODRES_GET && (!known || list->n_pod_resources != 1))
		return err_set(e, ERR_PODRES, EPROTO, "the answer to %s is not about pod %s/%s",
			       podres_name(q->method), q->pod->name_space, q->pod->name);
	if (!known)
		return pod_unknown(q, e);
	*ret = found;
	found = (struct allocation){ 0 };
	return PODRES_FOUND;
}

enum podres_answer podres_decode(enum podres_method m, const unsigned char *body, size_t len,
				 const struct pod *pod, struct allocation *ret, struct err *e)
{
	struct query q = { .method = m, .pod = pod };
	V1__ListPodResourcesResponse *list;
	enum podres_answer answer;
	struct arena arena;

	arena_init(&arena, PODRES_MAX_MEMORY);
	list = v1__list_pod_resources_response__unpack(&arena.allocator, len, body);
	if (!list)
		return decode_error(&arena, m, len, e);
	q.memory = arena.left;
	answer = list_read(&q, list, ret, e);
	v1__list_pod_resources_response__free_unpacked(list, &arena.allocator);
	return answer;
}

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
static enum podres_answer status_meaning(const struct h2_reply *r)
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

static enum podres_answer status_answer(const struct query *q, const struct h2_reply *r,
					struct err *e)
{
	enum podres_answer answer = status_meaning(r);
	int status = r->grpc_status;

	if (answer == PODRES_NO_POD)
		(void)pod_unknown(q, e);
	else
		err_set(e, answer == PODRES_AGAIN ? ERR_TRY_AGAIN : ERR_PODRES, 0,
			"kubelet refused %s for pod %s/%s with status %d (%s)",
			podres_name(q->method), q->pod->name_space, q->pod->name, status,
			status_name(status));
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

/* The names have been checked, and fit.  List asks for everything: a message of 0 bytes. */
static size_t request_pack(const struct query *q, uint8_t buf[2 * NAME_MAX_LEN + 16])
{
	char name[NAME_MAX_LEN + 1], name_space[NAME_MAX_LEN + 1];
	V1__GetPodResourcesRequest req;

	if (q->method != PODRES_GET)
		return 0;
	v1__get_pod_resources_request__init(&req);
	req.pod_name = strcpy(name, q->pod->name);
	req.pod_namespace = strcpy(name_space, q->pod->name_space);
	return v1__get_pod_resources_request__pack(&req, buf);
}

enum podres_answer podres_ask(const struct host *h, enum podres_method m, const struct pod *pod,
			      const struct deadline *d, struct allocation *ret, struct err *e)
{
	auto_h2_reply struct h2_reply reply = { 0 };
	const struct query q = { .method = m, .pod = pod };
	uint8_t req[2 * NAME_MAX_LEN + 16];

	if (name_check(pod, e) < 0)
		return PODRES_FAILED;
	if (h2_unary(h->root, h->set.kubelet_socket, methods[m].path, req, request_pack(&q, req),
		     PODRES_MAX_REPLY, d, &reply, e) < 0)
		return PODRES_FAILED;
	if (reply.grpc_status != GRPC_OK)
		return status_answer(&q, &reply, e);
	return podres_decode(m, reply.body, reply.len, pod, ret, e);
}

int podres_probe(const struct host *h, const struct deadline *d, struct err *e)
{
	if (h2_probe(h->root, h->set.kubelet_socket, d, e) == 0)
		return 0;
	return err_wrap(e, "kubelet's PodResources at %.128s", h->set.kubelet_socket);
}

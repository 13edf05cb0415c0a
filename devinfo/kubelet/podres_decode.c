/* SPDX-License-Identifier: Apache-2.0 */
/*
 * podres_decode.c - what is in an answer of kubelet's PodResources API
 *
 * Claims (DynamicResource) are told since 1.27: at first the names that CDI has for a device, since
 * 1.31 also driver, pool and device, since 1.35 a share id.  A claim without devices is told too.
 *
 * An answer is hostile until proven otherwise: its size is bounded by grpc_unary(), the memory it
 * decodes to by the allocator, what is kept of it by struct allocation, which also leaves out
 * every text that is not usable.
 */
#include "devinfo/kubelet/podres.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/grpc/arena.h"
#include "devinfo/kubelet/podres_part.h"
#include "devinfo/kubelet/podresources.pb-c.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { TEXT_SIZE = 257 };	/* one byte more than any text that is usable */

const char *podres_name(enum podres_method m)
{
	static const char *const names[] = {
		[PODRES_GET] = "PodResources Get",
		[PODRES_LIST] = "PodResources List",
		[PODRES_ALLOCATABLE] = "PodResources GetAllocatableResources",
	};

	static_assert(ARRAY_SIZE(names) == PODRES_ALLOCATABLE + 1, "a method without a name");
	return names[m];
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

enum podres_answer podres_unknown_pod(const struct pod *pod, struct err *e)
{
	(void)err_set(e, ERR_PODRES, 0, "kubelet does not know pod %s/%s", pod->name_space,
		      pod->name);
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
		return podres_unknown_pod(q->pod, e);
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

/* -- all of them -- */

struct telling {
	enum podres_method method;
	size_t memory;		/* as a query's */
	podres_device_fn *fn;
	void *arg;
};

/* What was added of one container, which is told in the order of allocation_end_container(). */
static int tell_container(const struct telling *t, const char *const of[3],
			  const struct allocation *a, struct err *e)
{
	struct podres_device d = { .name_space = of[0], .pod = of[1], .container = of[2] };
	int r = 0;

	for (size_t i = 0; i < a->n_devices && r == 0; i++) {
		d.device = &a->devices[i];
		r = t->fn(&d, t->arg, e);
	}
	d.device = NULL;
	for (size_t i = 0; i < a->n_claimed && r == 0; i++) {
		d.claimed = &a->claimed[i];
		r = t->fn(&d, t->arg, e);
	}
	return r;
}

static int tell_pod(const struct telling *t, const V1__PodResources *pod, struct err *e)
{
	char text[3][TEXT_SIZE];
	const char *const of[] = {
		text_copy(&pod->namespace_, text[0]), text_copy(&pod->name, text[1]), text[2],
	};
	int r = 0;

	if (!name_is_dns_label(of[0]) || !name_is_dns_subdomain(of[1]))
		return 0;
	for (size_t i = 0; i < pod->n_containers && r == 0; i++) {
		auto_allocation struct allocation a = { 0 };

		(void)text_copy(&pod->containers[i]->name, text[2]);
		r = add_container(&a, pod->containers[i], e);
		if (r >= 0)
			r = tell_container(t, of, &a, e);
	}
	return r;
}

static int tell_allocatable(const struct telling *t, const V1__ContainerDevices *dev, struct err *e)
{
	static const char *const nobody[3] = { "", "", "" };
	auto_allocation struct allocation a = { 0 };

	if (add_devices(&a, dev, e) < 0)
		return -1;
	allocation_end_container(&a);
	return tell_container(t, nobody, &a, e);
}

/* One pod of a List, or one entry of what can be allocated: decoded and freed on its own. */
static int tell_entry(const struct telling *t, const ProtobufCBinaryData *bytes, struct err *e)
{
	bool is_list = t->method == PODRES_LIST;
	struct arena arena;
	ProtobufCMessage *m;
	int r;

	arena_init(&arena, t->memory);
	m = protobuf_c_message_unpack(is_list ? &v1__pod_resources__descriptor :
						&v1__container_devices__descriptor,
				      &arena.allocator, bytes->len, bytes->data);
	if (!m)
		return decode_error(&arena, t->method, bytes->len, e);
	r = is_list ? tell_pod(t, (const V1__PodResources *)m, e) :
		      tell_allocatable(t, (const V1__ContainerDevices *)m, e);
	protobuf_c_message_free_unpacked(m, &arena.allocator);
	return r;
}

/* Both answers have all that is wanted as messages in field 1. */
int podres_each_decode(enum podres_method m, const unsigned char *body, size_t len,
		       podres_device_fn *fn, void *arg, struct err *e)
{
	struct telling t = { .method = m, .fn = fn, .arg = arg };
	V1__ListPodResourcesResponse *list;
	struct arena arena;
	int r = 0;

	arena_init(&arena, PODRES_MAX_MEMORY);
	list = v1__list_pod_resources_response__unpack(&arena.allocator, len, body);
	if (!list)
		return decode_error(&arena, m, len, e);
	t.memory = arena.left;
	for (size_t i = 0; i < list->n_pod_resources && r == 0; i++)
		r = tell_entry(&t, &list->pod_resources[i], e);
	v1__list_pod_resources_response__free_unpacked(list, &arena.allocator);
	return r;
}

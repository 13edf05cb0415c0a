/* SPDX-License-Identifier: Apache-2.0 */
/*
 * podres.c - which devices did kubelet give this pod?
 *
 * The sources are asked in turn until one can answer at all.  Get names the pod and is cheap, List
 * sends the whole node.  Which kubelet offers what:
 *
 *   before 1.27	List; Get is status 12, UNIMPLEMENTED
 *   1.27 to 1.33	List; Get is status 2, "PodResources API Get method disabled", unless the
 *			feature gate is on
 *   from 1.34		both
 *
 * A pod that kubelet does not know is status 2 as well, so its text has to be looked at.
 *
 * An answer is hostile until proven otherwise: its size is bounded by h2_unary(), the memory it
 * decodes to by the allocator, the number of ids by us; each id must be usable as a file name part.
 */
#include "devinfo/podres.h"

#include "base/mem.h"
#include "base/name.h"
#include "devinfo/h2.h"
#include "devinfo/podresources.pb-c.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LEN = 253 };	/* Kubernetes' bound on names: RFC 1123 subdomain */

/* What one source says; the first three are what podres_devices() returns. */
enum answer { ANSWER_ERROR = -1, ANSWER_NONE = 0, ANSWER_FOUND = 1, ANSWER_NOT_OFFERED = 2 };

struct query {
	const struct host *host;
	const struct podres_pod *pod;
	const char *resource;
	const struct deadline *deadline;
};

/* -- text of the wire -- */

static bool text_is(const ProtobufCBinaryData *t, const char *want)
{
	return t->len == strlen(want) && (t->len == 0 || memcmp(t->data, want, t->len) == 0);
}

/* false when it does not fit or a NUL hides its end. */
static bool text_copy(const ProtobufCBinaryData *t, char *ret, size_t size)
{
	if (t->len >= size)
		return false;
	for (size_t i = 0; i < t->len; i++)
		ret[i] = (char)t->data[i];
	ret[t->len] = '\0';
	return strlen(ret) == t->len;
}

/* The head of t, fit for a message. */
static const char *text_show(const ProtobufCBinaryData *t, char buf[80])
{
	size_t n = t->len < 79 ? t->len : 79;

	for (size_t i = 0; i < n; i++)
		buf[i] = isprint(t->data[i]) ? (char)t->data[i] : '?';
	buf[n] = '\0';
	return buf;
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

static void arena_init(struct arena *a)
{
	*a = (struct arena){ .left = PODRES_MAX_MEMORY };
	a->allocator = (ProtobufCAllocator){ arena_alloc, arena_free, a };
}

static int decode_error(const struct arena *a, const char *method, const struct h2_reply *r,
			struct err *e)
{
	if (a->exhausted)
		return err_set(e, ERR_PODRES, ENOMEM,
			       "the answer to %s needs more than %d bytes when decoded", method,
			       PODRES_MAX_MEMORY);
	return err_set(e, ERR_PODRES, EPROTO, "the answer to %s (%zu bytes) does not decode",
		       method, r->len);
}

/* -- the ids -- */

/*
 * Natural order.  That of PCI addresses is the plain one, as their digits are of base 16 and fixed
 * in number: strverscmp() would put 1a before 10.
 */
static int id_compare(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	bool x_bdf = name_is_bdf(x), y_bdf = name_is_bdf(y);

	if (x_bdf != y_bdf)
		return x_bdf ? -1 : 1;
	if (!x_bdf)
		return strverscmp(x, y);
	if (strlen(x) != strlen(y))
		return strlen(x) < strlen(y) ? -1 : 1;
	return strcmp(x, y);
}

/* The value of *p, which is empty afterwards. */
static struct podres_devices devices_steal(struct podres_devices *p)
{
	struct podres_devices ret = *p;

	*p = (struct podres_devices){ 0 };
	return ret;
}

static bool id_known(const struct podres_devices *p, const char *id)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->ids[i], id) == 0)
			return true;
	return false;
}

/* Append a checked copy of one id unless it is there already. */
static int id_add(struct podres_devices *p, const ProtobufCBinaryData *text, struct err *e)
{
	char id[NAME_MAX_LEN + 1], shown[80];

	if (!text_copy(text, id, sizeof(id)) || !name_is_device_id(id))
		return err_set(e, ERR_PODRES, EPROTO, "kubelet names a device '%s': no device id",
			       text_show(text, shown));
	if (id_known(p, id))
		return 0;
	if (p->count == PODRES_MAX_IDS)
		return err_set(e, ERR_PODRES, E2BIG, "kubelet names more than %d devices",
			       PODRES_MAX_IDS);
	if (!p->ids)
		p->ids = calloc(PODRES_MAX_IDS, sizeof(*p->ids));
	if (!p->ids || !(p->ids[p->count] = strdup(id)))
		return err_set(e, ERR_PODRES, ENOMEM, "device '%s'", id);
	p->count++;
	return 0;
}

/* kubelet makes an entry for each NUMA node, in newer releases for each device, in random order. */
static int container_collect(const V1__ContainerResources *c, const char *resource,
			     struct podres_devices *p, struct err *e)
{
	size_t first = p->count;

	for (size_t i = 0; i < c->n_devices; i++) {
		const V1__ContainerDevices *dev = c->devices[i];

		if (!text_is(&dev->resource_name, resource))
			continue;
		for (size_t j = 0; j < dev->n_device_ids; j++)
			if (id_add(p, &dev->device_ids[j], e) < 0)
				return -1;
	}
	if (p->count > first)
		qsort(p->ids + first, p->count - first, sizeof(*p->ids), id_compare);
	return 0;
}

/* ANSWER_FOUND, ANSWER_NONE or ANSWER_ERROR for one pod of an answer. */
static enum answer pod_collect(const V1__PodResources *pod, const char *resource,
			       struct podres_devices *ret, struct err *e)
{
	auto_podres_devices struct podres_devices found = { 0 };

	for (size_t i = 0; i < pod->n_containers; i++)
		if (container_collect(pod->containers[i], resource, &found, e) < 0)
			return ANSWER_ERROR;
	*ret = devices_steal(&found);
	return ret->count > 0 ? ANSWER_FOUND : ANSWER_NONE;
}

static bool pod_is(const V1__PodResources *pod, const struct podres_pod *want)
{
	return text_is(&pod->namespace_, want->name_space) && text_is(&pod->name, want->name);
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

static bool status_says(const struct h2_reply *r, int status, const char *text)
{
	return r->grpc_status == status && strstr(r->grpc_message, text);
}

static int pod_unknown(const struct query *q, struct err *e)
{
	return err_set(e, ERR_PODRES, 0, "kubelet does not know pod %s/%s", q->pod->name_space,
		       q->pod->name);
}

static enum answer status_answer(const struct query *q, const char *method,
				 const struct h2_reply *r, struct err *e)
{
	int status = r->grpc_status;
	bool later = status == GRPC_RESOURCE_EXHAUSTED || status == GRPC_UNAVAILABLE;

	if (status == GRPC_UNIMPLEMENTED || status_says(r, GRPC_UNKNOWN, "disabled"))
		return ANSWER_NOT_OFFERED;
	if (status_says(r, GRPC_UNKNOWN, "not found") || status == GRPC_NOT_FOUND) {
		pod_unknown(q, e);
	} else {
		err_set(e, later ? ERR_TRY_AGAIN : ERR_PODRES, 0,
			"kubelet refused PodResources %s for pod %s/%s with status %d (%s)", method,
			q->pod->name_space, q->pod->name, status, status_name(status));
	}
	return err_detail(e, "%s answered status %d: %s", method, status, r->grpc_message);
}

/* -- the sources -- */

/* ANSWER_FOUND with a reply of status 0 in *ret, or what its status means. */
static enum answer source_call(const struct query *q, const char *method, const void *req,
			       size_t len, struct h2_reply *ret, struct err *e)
{
	auto_h2_reply struct h2_reply reply = { 0 };
	char path[64];

	(void)snprintf(path, sizeof(path), "/v1.PodResourcesLister/%s", method);
	if (h2_unary(q->host->root, q->host->set.kubelet_socket, path, req, len, PODRES_MAX_REPLY,
		     q->deadline, &reply, e) < 0)
		return err_wrap(e, "PodResources %s for pod %s/%s", method, q->pod->name_space,
				q->pod->name);
	if (reply.grpc_status != GRPC_OK)
		return status_answer(q, method, &reply, e);
	*ret = reply;
	reply = (struct h2_reply){ 0 };
	return ANSWER_FOUND;
}

static int request_pack(const struct podres_pod *pod, uint8_t *buf, size_t size, size_t *len,
			struct err *e)
{
	char name[NAME_MAX_LEN + 1], name_space[NAME_MAX_LEN + 1];
	V1__GetPodResourcesRequest req;

	if (strlen(pod->name) > NAME_MAX_LEN || strlen(pod->name_space) > NAME_MAX_LEN)
		return err_set(e, ERR_PODRES, EINVAL,
			       "the pod's name has more than %d bytes: %.60s/%.60s", NAME_MAX_LEN,
			       pod->name_space, pod->name);
	v1__get_pod_resources_request__init(&req);
	req.pod_name = strcpy(name, pod->name);
	req.pod_namespace = strcpy(name_space, pod->name_space);
	if (v1__get_pod_resources_request__get_packed_size(&req) > size)
		return err_set(e, ERR_PODRES, EMSGSIZE, "the request for pod %s", pod->name);
	*len = v1__get_pod_resources_request__pack(&req, buf);
	return 0;
}

static enum answer get_decode(const struct query *q, const struct h2_reply *r,
			      struct podres_devices *ret, struct err *e)
{
	enum answer answer = ANSWER_ERROR;
	struct arena arena;
	V1__GetPodResourcesResponse *msg;

	arena_init(&arena);
	msg = v1__get_pod_resources_response__unpack(&arena.allocator, r->len, r->body);
	if (!msg)
		return decode_error(&arena, "Get", r, e);
	if (msg->pod_resources && pod_is(msg->pod_resources, q->pod))
		answer = pod_collect(msg->pod_resources, q->resource, ret, e);
	else
		err_set(e, ERR_PODRES, EPROTO, "the answer to Get is not about pod %s/%s",
			q->pod->name_space, q->pod->name);
	v1__get_pod_resources_response__free_unpacked(msg, &arena.allocator);
	return answer;
}

static enum answer source_get(const struct query *q, struct podres_devices *ret, struct err *e)
{
	auto_h2_reply struct h2_reply reply = { 0 };
	uint8_t req[2 * NAME_MAX_LEN + 16];
	enum answer answer;
	size_t len = 0;

	if (request_pack(q->pod, req, sizeof(req), &len, e) < 0)
		return ANSWER_ERROR;
	answer = source_call(q, "Get", req, len, &reply, e);
	return answer == ANSWER_FOUND ? get_decode(q, &reply, ret, e) : answer;
}

/*
 * Before 1.34 List may still have the last pod of this name with its devices (a StatefulSet uses
 * names again), and nothing tells which is which: better no device than that of another pod.
 */
static enum answer list_choose(const struct query *q, const V1__ListPodResourcesResponse *list,
			       struct podres_devices *ret, struct err *e)
{
	auto_podres_devices struct podres_devices found = { 0 };
	bool known = false;

	for (size_t i = 0; i < list->n_pod_resources; i++) {
		auto_podres_devices struct podres_devices more = { 0 };

		if (!pod_is(list->pod_resources[i], q->pod))
			continue;
		known = true;
		if (pod_collect(list->pod_resources[i], q->resource, &more, e) < 0)
			return ANSWER_ERROR;
		if (more.count > 0 && found.count > 0)
			return err_set(e, ERR_TRY_AGAIN, 0,
				       "kubelet lists two pods %s/%s that have devices of %s",
				       q->pod->name_space, q->pod->name, q->resource);
		if (more.count > 0)
			found = devices_steal(&more);
	}
	if (!known)
		return pod_unknown(q, e);
	*ret = devices_steal(&found);
	return ret->count > 0 ? ANSWER_FOUND : ANSWER_NONE;
}

static enum answer source_list(const struct query *q, struct podres_devices *ret, struct err *e)
{
	auto_h2_reply struct h2_reply reply = { 0 };
	enum answer answer = source_call(q, "List", NULL, 0, &reply, e);
	struct arena arena;
	V1__ListPodResourcesResponse *msg;

	if (answer != ANSWER_FOUND)
		return answer;
	arena_init(&arena);
	msg = v1__list_pod_resources_response__unpack(&arena.allocator, reply.len, reply.body);
	if (!msg)
		return decode_error(&arena, "List", &reply, e);
	answer = list_choose(q, msg, ret, e);
	v1__list_pod_resources_response__free_unpacked(msg, &arena.allocator);
	return answer;
}

/* Asked from the top; the next one only when a source is not offered. */
static const struct source {
	const char *name;
	enum answer (*ask)(const struct query *q, struct podres_devices *ret, struct err *e);
} sources[] = {
	{ "PodResources Get", source_get },
	{ "PodResources List", source_list },
};

int podres_devices(const struct host *h, const struct podres_pod *pod, const char *resource,
		   const struct deadline *d, struct podres_devices *ret, struct err *e)
{
	const struct query q = { h, pod, resource, d };

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		struct podres_devices found = { 0 };
		enum answer answer = sources[i].ask(&q, &found, e);

		if (answer == ANSWER_NOT_OFFERED)
			continue;
		if (answer == ANSWER_ERROR)
			return -1;
		found.source = sources[i].name;
		*ret = found;
		return answer;
	}
	return err_set(e, ERR_PODRES, EOPNOTSUPP,
		       "kubelet has neither Get nor List of PodResources");
}

int podres_probe(const struct host *h, const struct deadline *d, struct err *e)
{
	if (h2_probe(h->root, h->set.kubelet_socket, d, e) == 0)
		return 0;
	return err_wrap(e, "kubelet's PodResources at %.128s", h->set.kubelet_socket);
}

void podres_devices_done(struct podres_devices *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->ids[i]);
	free(p->ids);
	*p = (struct podres_devices){ 0 };
}
